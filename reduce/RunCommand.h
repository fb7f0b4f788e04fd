// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command with limits on time and memory and keeps what it printed. A model that is reduced
// may crash the compiler, fill the memory or run forever.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <string>

namespace convoy::reduce {

struct CommandLimits {
  double cpuSeconds = 0;   // 0: no limit
  int64_t memoryBytes = 0; // of address space; 0: no limit
  /// Returns whether the caller no longer needs the result; may be empty.
  std::function<bool()> isCanceled;
};

struct CommandResult {
  int exitCode = -1; // -1: a signal ended the command
  int signal = 0;    // the signal, or 0
  bool isOverTime = false;
  double cpuSeconds = 0; // of the command and its children
  std::string output, errors;
};

/// Runs the program at the path `command[0]`. `folder` holds its output while it runs. The command
/// ends with its children when it exceeds a limit. The limit of wall time is a multiple of the
/// limit of CPU time, for commands that wait forever.
llvm::Expected<CommandResult> runCommand(llvm::ArrayRef<std::string> command,
                                         llvm::StringRef folder, const CommandLimits &limits);

} // namespace convoy::reduce
