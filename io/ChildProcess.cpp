// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats system calls that a signal interrupts.

#include "io/ChildProcess.h"
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace convoy::io {

std::optional<ChildProcess> ChildProcess::start(llvm::function_ref<void(int results)> work) {
  int ends[2];
  if (pipe(ends) != 0) {
    return std::nullopt;
  }
  pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  int reason = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    errno = reason;
    return std::nullopt;
  }
  return ChildProcess(process, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : process(other.process), pipeEnd(std::exchange(other.pipeEnd, -1)) {}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept {
  process = other.process;
  std::swap(pipeEnd, other.pipeEnd);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pipeEnd >= 0) {
    close(pipeEnd);
  }
}

bool ChildProcess::readMore(std::string &text) const {
  char buffer[65536];
  ssize_t count = 0;
  do {
    count = read(pipeEnd, buffer, sizeof(buffer));
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return count > 0;
}

void ChildProcess::kill() const { ::kill(process, SIGKILL); }

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void writeToPipe(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      _exit(1);
    }
    text = text.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
}

} // namespace convoy::io
