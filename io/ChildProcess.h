// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child process that runs a function of this program and sends its result through a pipe. The
// tuner and the conformance tests use it, so that a crash or a memory limit ends only the child.
// A caller that starts another program uses llvm/Support/Program.h.

#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <sys/types.h>

namespace convoy::io {

class ChildProcess {
public:
  /// Forks. The child calls `work` with the write end of the pipe and ends with exit code 0.
  /// Returns nothing if the system cannot start a process. The caller must have no other threads.
  static std::optional<ChildProcess> start(llvm::function_ref<void(int results)> work);

  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  /// Closes the pipe. A caller that has not waited leaves the process running.
  ~ChildProcess();

  pid_t id() const { return process; }
  /// Returns the read end of the pipe, for poll().
  int results() const { return pipeEnd; }
  /// Waits for data and appends it. Returns false at the end of the pipe.
  bool readMore(std::string &text) const;
  /// Ends the process by SIGKILL.
  void kill() const;
  /// Waits for the end of the process and returns its status, as waitpid() does.
  int wait();

private:
  ChildProcess(pid_t process, int pipeEnd) : process(process), pipeEnd(pipeEnd) {}

  pid_t process;
  int pipeEnd;
};

/// Writes the text to a pipe. If the reader is gone, ends this process.
void writeToPipe(int file, llvm::StringRef text);

} // namespace convoy::io
