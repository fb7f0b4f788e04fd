// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and runs the programs of a microcontroller's tool chain.

#pragma once

#include "Targets/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace convoy::driver {

/// Returns an error if this machine lacks a program of the tool chain. The error names the
/// Debian packages. The target must have a tool chain.
llvm::Error checkMicroTools(const targets::Target &target);

/// How a command ended.
struct CommandResult {
  int code = 0;        // 0: success; negative: the command did not start or was ended
  bool isLate = false; // the command exceeded its time limit
  std::string text;    // of the command, or the system's reason why it did not start
};

/// Runs the command of a tool with more arguments. Its output goes to the file `log`. If
/// `seconds` is not 0, ends the command after this time.
llvm::Expected<CommandResult> runTool(const targets::Tool &tool,
                                      llvm::ArrayRef<std::string> arguments, llvm::StringRef log,
                                      int64_t seconds = 0);

} // namespace convoy::driver
