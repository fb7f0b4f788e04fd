// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between fork() and execv(), the child only makes system calls, because another thread of the
// parent may hold any lock. posix_spawn() cannot set the signal of the parent's end.

#include "StartProgram.h"
#include "MonotonicClock.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace convoy {
namespace {

constexpr int kCannotExecute = 127; // the exit code of shells

/// Copies the stream of the caller, or /dev/null. Returns whether that worked.
bool setStream(int stream, int from, int silence) {
  from = from >= 0 ? from : silence;
  if (from == stream) { // dup2() would keep the flag that closes the file at the start
    return fcntl(from, F_SETFD, 0) >= 0;
  }
  return dup2(from, stream) >= 0;
}

/// Prepares the child and executes the program. Returns only on failure.
void execute(char *const *words, const ProgramStart &how) {
  if (how.leadsGroup) {
    setpgid(0, 0);
  }
  if (how.endsWithParent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  if (how.ignoresInterrupts) {
    signal(SIGINT, SIG_IGN);
  }
  int silence = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (setStream(STDIN_FILENO, how.input, silence) &&
      setStream(STDOUT_FILENO, how.output, silence) &&
      setStream(STDERR_FILENO, how.errors, silence)) {
    execv(words[0], words);
  }
}

} // namespace

llvm::Expected<pid_t> startProgram(llvm::ArrayRef<std::string> command, const ProgramStart &how) {
  std::vector<char *> words;
  for (const std::string &word : command) {
    words.push_back(const_cast<char *>(word.c_str())); // execv() does not change it
  }
  words.push_back(nullptr);
  pid_t process = fork();
  if (process == 0) {
    execute(words.data(), how);
    _exit(kCannotExecute); // skips the parent's exit handlers
  }
  if (process > 0 && how.leadsGroup) {
    setpgid(process, process); // the caller may signal the group before the child runs
  }
  if (process < 0) {
    return llvm::createStringError("cannot start '" + command.front() +
                                   "': " + std::generic_category().message(errno));
  }
  return process;
}

ProgramEnd waitForGroup(pid_t leader, int64_t seconds) {
  constexpr useconds_t kPollMicroseconds = 1000;
  double begin = monotonicSeconds();
  ProgramEnd end;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(leader, &status, WNOHANG)) == 0) {
    if (monotonicSeconds() - begin >= static_cast<double>(seconds)) {
      end.isLate = true;
      kill(-leader, SIGKILL);
      ended = waitpid(leader, &status, 0);
      break;
    }
    usleep(kPollMicroseconds);
  }
  end.code = ended == leader && WIFEXITED(status) && !end.isLate ? WEXITSTATUS(status) : -1;
  return end;
}

} // namespace convoy
