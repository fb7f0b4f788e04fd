// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A socket connects to the process. Writing to a socket of an ended process returns an error;
// writing to a pipe would raise a signal.

#include "MeasureProcess.h"
#include "Support/Json.h"
#include "Support/StartProgram.h"
#include "Support/TypedError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

// The extra time after the time-out for killing the candidate and answering.
constexpr double kGraceMs = 5000;
constexpr int kAttempts = 4;

llvm::json::Object failureAnswer(llvm::StringRef outcome, const llvm::Twine &message) {
  return llvm::json::Object{{"failed", 0}, {"outcome", outcome}, {"message", message.str()}};
}

} // namespace

llvm::Error MeasureProcess::start() {
  if (!llvm::sys::fs::can_execute(program)) {
    return llvm::createStringError("cannot find the program '" + program +
                                   "', which measures candidates; build or install it");
  }
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return llvm::createStringError("cannot create a socket: " +
                                   std::generic_category().message(errno));
  }
  ProgramStart how;
  how.input = how.output = ends[1];
  how.errors = STDERR_FILENO;
  // Ctrl-C is for the tuner, which stores its results before it ends this process.
  how.ignoresInterrupts = true;
  llvm::Expected<pid_t> child = startProgram({program, "--serve"}, how);
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return child.takeError();
  }
  process = *child;
  socket = ends[0];
  received.clear();
  isClosed = false;
  return llvm::Error::success();
}

void MeasureProcess::stop() {
  if (process == 0) {
    return;
  }
  close(socket);
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  process = 0;
}

bool MeasureProcess::send(llvm::StringRef line) const {
  while (!line.empty()) {
    ssize_t count = ::send(socket, line.data(), line.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) {
      return false;
    }
    line = line.drop_front(count > 0 ? static_cast<size_t>(count) : 0);
  }
  return true;
}

std::optional<std::string> MeasureProcess::receive(double timeoutMs) {
  using namespace std::chrono;
  auto end = steady_clock::now() + duration<double, std::milli>(timeoutMs);
  while (true) {
    size_t length = received.find('\n');
    if (length != std::string::npos) {
      std::string line = received.substr(0, length);
      received.erase(0, length + 1);
      return line;
    }
    auto left = duration_cast<milliseconds>(end - steady_clock::now()).count();
    pollfd file{socket, POLLIN, 0};
    if (left < 0 || (poll(&file, 1, static_cast<int>(left) + 1) < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    char buffer[65536];
    ssize_t count = file.revents ? recv(socket, buffer, sizeof(buffer), 0) : -1;
    if (count > 0) {
      received.append(buffer, static_cast<size_t>(count));
    } else if (file.revents && (count == 0 || errno != EINTR)) {
      isClosed = true;
      return std::nullopt;
    }
  }
}

llvm::Expected<llvm::json::Object> MeasureProcess::ask(llvm::json::Object request,
                                                       double timeoutMs) {
  request["timeoutMs"] = timeoutMs;
  std::string line = llvm::formatv("{0}\n", llvm::json::Value(std::move(request))).str();
  // Candidates run in children of the process. If the process itself ends, something outside
  // killed it, so a new process gets the same request.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (process == 0) {
      if (llvm::Error error = start()) {
        return std::move(error);
      }
    }
    if (!send(line)) {
      stop();
      continue;
    }
    std::optional<std::string> answer = receive(timeoutMs + kGraceMs);
    if (!answer) {
      bool hasEnded = isClosed;
      stop();
      if (hasEnded) {
        continue;
      }
      return failureAnswer("time-out", "the measuring process did not answer and was restarted");
    }
    llvm::Expected<llvm::json::Value> value = parseJson(*answer);
    if (!value) {
      return value.takeError();
    }
    if (!value->getAsObject()) {
      return createBug(
          "convoy-measure sent an answer that is not a JSON object; this is a bug in convoy");
    }
    return std::move(*value->getAsObject());
  }
  return llvm::createStringError("'" + program +
                                 "' ends immediately after its start; run it manually "
                                 "with --serve to see the reason");
}

} // namespace convoy::tuning
