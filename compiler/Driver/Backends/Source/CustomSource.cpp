// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Backends/Source/CustomSource.h"
#include "Driver/Backends/Micro/MicroTools.h"

namespace convoy::driver {

llvm::Error compileCustomSource(const targets::Tool &compiler, const std::string &source,
                                const std::string &object, std::vector<std::string> flags) {
  flags.insert(flags.end(), {"-std=c11", "-ffp-contract=off", "-c", "-o", object, source});
  llvm::Expected<CommandResult> result = runTool(compiler, flags, object + ".log");
  if (!result) {
    return result.takeError();
  }
  if (result->code != 0) {
    return llvm::createStringError("the C file '" + source +
                                   "' of a custom op does not compile: " + result->text);
  }
  return llvm::Error::success();
}

} // namespace convoy::driver
