// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for a C compiler on the path. Emitted C and custom ops use it.

#include "Driver/Backends/Source/HostCompiler.h"
#include "llvm/Support/Program.h"

namespace convoy::driver {

llvm::Expected<std::string> findHostCompiler(const std::string &wanted) {
  if (!wanted.empty()) {
    auto found = llvm::sys::findProgramByName(wanted);
    return found ? llvm::Expected<std::string>(*found)
                 : llvm::createStringError("the C compiler '" + wanted +
                                           "', which the environment variable CC or the request "
                                           "names, is not on the path");
  }
  for (llvm::StringRef name : {"clang-19", "clang", "gcc", "cc"}) {
    if (auto found = llvm::sys::findProgramByName(name)) {
      return *found;
    }
  }
  return llvm::createStringError("no C compiler on the path; install clang or gcc, or emit the C "
                                 "with convoy compile --emit=c and compile it elsewhere");
}

} // namespace convoy::driver
