// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy, the driver. Arguments.h reads the command line; Failure.h handles what ends the
// program early.

#include "Arguments.h"
#include "Failure.h"
#include <unistd.h>

using namespace convoy::tool;

int main(int argc, char **argv) {
  installFailureHandlers(argc, argv);
  Console console{llvm::outs(), llvm::errs(), isatty(STDERR_FILENO) != 0};
  try {
    return runTool(argc, argv, console);
  } catch (...) {
    endByException();
  }
}
