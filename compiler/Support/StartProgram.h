// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts another program whose streams, process group and life time the caller decides. A caller
// that needs none of these uses llvm/Support/Program.h.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>

namespace convoy {

struct ProgramStart {
  /// File descriptors of the program's streams; -1 is /dev/null.
  int input = -1, output = -1, errors = -1;
  /// The program leads a process group: kill(-id, ...) ends its children too, and Ctrl-C at the
  /// terminal does not reach it.
  bool leadsGroup = false;
  /// The program ends with the thread that starts it.
  bool endsWithParent = false;
  bool ignoresInterrupts = false;
};

/// Starts the program at the path `command[0]`. Returns its process id, for waitpid(). A program
/// that cannot be executed ends with exit code 127.
llvm::Expected<pid_t> startProgram(llvm::ArrayRef<std::string> command, const ProgramStart &how);

struct ProgramEnd {
  int code = 0;        // the exit code, or -1 if a signal ended the program
  bool isLate = false; // the program did not end in time
};

/// Waits for a program that leads a group. After `seconds`, ends the program and its children.
ProgramEnd waitForGroup(pid_t leader, int64_t seconds);

} // namespace convoy
