// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy, the driver. Arguments.h reads the command line; Failure.h handles what ends the
// program early.

#include "tools/convoy/Failure.h"
#include "tools/convoy/arguments/Arguments.h"
#include "tools/convoy/output/PlainStream.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace convoy::tool;

/// Returns the columns of the terminal on stderr, 80 if it does not say.
static unsigned terminalColumns() {
  winsize size{};
  bool isKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return isKnown ? size.ws_col : 80;
}

int main(int argc, char **argv) {
  installFailureHandlers(argc, argv);
  PlainStream out(llvm::outs()), err(llvm::errs());
  Console console{out, err, isatty(STDERR_FILENO) != 0};
  console.terminal = &llvm::errs();
  console.columns = terminalColumns();
  try {
    return runTool(argc, argv, console);
  } catch (...) {
    endByException();
  }
}
