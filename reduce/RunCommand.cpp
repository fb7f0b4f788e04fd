// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the command in its own process group and waits with a deadline.

#include "reduce/RunCommand.h"
#include "Support/StartProgram.h"
#include "io/Files.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace convoy::reduce {
namespace {

// A command on a busy machine can need many times its CPU time.
constexpr double kWallFactor = 20;
constexpr double kWallSeconds = 60;
// How often a running command asks whether it is canceled.
constexpr int kPollMilliseconds = 200;

double secondsOf(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// A file that receives a stream of the command.
class StreamFile {
public:
  StreamFile(llvm::StringRef folder, llvm::StringRef name)
      : path((folder + "/" + name).str()),
        descriptor(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)) {}
  StreamFile(const StreamFile &) = delete;
  StreamFile &operator=(const StreamFile &) = delete;
  ~StreamFile() {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }

  int file() const { return descriptor; }
  std::string text() const {
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = io::readFile(path);
    if (!buffer) {
      llvm::consumeError(buffer.takeError());
      return "";
    }
    return (*buffer)->getBuffer().str();
  }

private:
  std::string path;
  int descriptor;
};

void setLimits(pid_t process, const CommandLimits &limits) {
  rlimit core{0, 0};
  prlimit(process, RLIMIT_CORE, &core, nullptr);
  if (limits.cpuSeconds > 0) {
    auto seconds = static_cast<rlim_t>(std::ceil(limits.cpuSeconds));
    rlimit cpu{seconds, seconds + 1};
    prlimit(process, RLIMIT_CPU, &cpu, nullptr);
  }
  if (limits.memoryBytes > 0) {
    auto bytes = static_cast<rlim_t>(limits.memoryBytes);
    rlimit memory{bytes, bytes};
    prlimit(process, RLIMIT_AS, &memory, nullptr);
  }
}

/// Waits until the process ends. Returns false if it exceeds its time or is canceled.
bool waitForEnd(pid_t process, const CommandLimits &limits) {
  using Clock = std::chrono::steady_clock;
  double seconds = limits.cpuSeconds > 0 ? limits.cpuSeconds * kWallFactor + kWallSeconds : 0;
  Clock::time_point begin = Clock::now();
  int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  bool isInTime = true;
  for (bool isRunning = true; isRunning && isInTime;) {
    if (handle >= 0) {
      pollfd event{handle, POLLIN, 0};
      isRunning = poll(&event, 1, kPollMilliseconds) <= 0;
    } else { // a system without process descriptors
      siginfo_t info{};
      usleep(kPollMilliseconds * 1000 / 10);
      isRunning =
          waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == 0;
    }
    std::chrono::duration<double> spent = Clock::now() - begin;
    isInTime =
        (seconds <= 0 || spent.count() < seconds) && !(limits.isCanceled && limits.isCanceled());
  }
  if (handle >= 0) {
    close(handle);
  }
  return isInTime;
}

} // namespace

llvm::Expected<CommandResult> runCommand(llvm::ArrayRef<std::string> command,
                                         llvm::StringRef folder, const CommandLimits &limits) {
  StreamFile output(folder, "stdout"), errors(folder, "stderr");
  ProgramStart start;
  start.output = output.file();
  start.errors = errors.file();
  start.leadsGroup = true;
  start.endsWithParent = true;
  if (output.file() < 0 || errors.file() < 0) {
    return llvm::createStringError("cannot write in the folder '" + folder + "'");
  }
  llvm::Expected<pid_t> process = startProgram(command, start);
  if (!process) {
    return process.takeError();
  }
  setLimits(*process, limits);
  CommandResult result;
  result.isOverTime = !waitForEnd(*process, limits);
  kill(-*process, SIGKILL); // also the children that a crashed command left
  int status = 0;
  rusage usage{};
  while (wait4(*process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.cpuSeconds = secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  if (WIFEXITED(status)) {
    result.exitCode = WEXITSTATUS(status);
  } else {
    result.signal = WTERMSIG(status);
    result.isOverTime |= result.signal == SIGXCPU;
  }
  result.output = output.text();
  result.errors = errors.text();
  return result;
}

} // namespace convoy::reduce
