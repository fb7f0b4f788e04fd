// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child writes its outcome as JSON into a pipe and ends. Its standard error goes to a file
// in memory, from which the parent reads the message of a crash. The parent has no MLIR state
// and no threads, so fork() is safe.

#include "Children.h"
#include "Support/Json.h"
#include "io/ChildProcess.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::conformance {
namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  io::ChildProcess process;
  size_t test;
  int errors; // a file descriptor
  Clock::time_point started;
  std::string text; // data read so far
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string encode(const Outcome &outcome) {
  llvm::json::Object object{{"passed", outcome.isPassed},
                            {"wrong", outcome.isWrongResult},
                            {"drawn", outcome.isDrawn},
                            {"problem", llvm::json::fixUTF8(outcome.problem)},
                            {"bound", llvm::json::Array(outcome.bound)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

/// Returns nothing if the text is not a complete outcome because the child ended early.
std::optional<Outcome> decode(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  Outcome outcome;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper members(*value, root);
  bool isComplete = members && members.map("passed", outcome.isPassed) &&
                    members.map("wrong", outcome.isWrongResult) &&
                    members.map("drawn", outcome.isDrawn) &&
                    members.map("problem", outcome.problem) && members.map("bound", outcome.bound);
  return isComplete ? std::optional(std::move(outcome)) : std::nullopt;
}

void limitMemory(int64_t bytes) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  // Sanitizers reserve terabytes of address space, so the limit does not apply to them.
  rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  setrlimit(RLIMIT_AS, &limit);
#endif
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
}

void runChild(const TestCase &test, const driver::ResolvedTarget &target, const ChildLimits &limits,
              int results, int errors) {
  dup2(errors, STDERR_FILENO);
  dup2(errors, STDOUT_FILENO);
  limitMemory(limits.memoryBytes);
  io::writeToPipe(results, encode(runTest(test, target)));
}

/// Starts a child. Returns nothing if the system cannot start a process.
std::optional<Child> start(size_t index, const TestCase &test, const driver::ResolvedTarget &target,
                           const ChildLimits &limits) {
  int errors = memfd_create("stderr", MFD_CLOEXEC);
  if (errors < 0) {
    return std::nullopt;
  }
  std::optional<io::ChildProcess> process = io::ChildProcess::start(
      [&](int results) { runChild(test, target, limits, results, errors); });
  if (!process) {
    close(errors);
    return std::nullopt;
  }
  return Child{std::move(*process), index, errors, Clock::now(), ""};
}

/// Returns the first line of a child's standard error.
std::string firstErrorLine(int fd) {
  char buffer[2000];
  ssize_t count = pread(fd, buffer, sizeof(buffer), 0);
  return count > 0 ? llvm::StringRef(buffer, count).split('\n').first.str() : "";
}

Outcome endedEarly(int status, const std::string &words) {
  Outcome outcome;
  outcome.isCrash = true;
  outcome.problem = WIFSIGNALED(status) ? std::string("crash: ") + strsignal(WTERMSIG(status))
                                        : "crash: exit code " + std::to_string(WEXITSTATUS(status));
  outcome.problem += words.empty() ? "" : ": " + words;
  return outcome;
}

/// Waits for a child that closed its pipe or exceeded the time limit.
Outcome finish(Child &child, const ChildLimits &limits, bool isLate) {
  if (isLate) {
    child.process.kill();
  }
  int status = child.process.wait();
  Outcome outcome;
  std::optional<Outcome> reported = decode(child.text);
  if (isLate) {
    outcome.isCrash = true;
    outcome.problem = "hang: no result after " + std::to_string(int(limits.seconds)) + " s";
  } else if (reported && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    outcome = std::move(*reported);
  } else {
    outcome = endedEarly(status, firstErrorLine(child.errors));
  }
  outcome.seconds = secondsSince(child.started);
  close(child.errors);
  return outcome;
}

/// Waits until a child has written data, for at most 0.1 s.
std::vector<short> pollChildren(llvm::ArrayRef<Child> running) {
  std::vector<pollfd> fds;
  for (const Child &child : running) {
    fds.push_back({child.process.results(), POLLIN, 0});
  }
  poll(fds.data(), fds.size(), 100);
  std::vector<short> events;
  for (const pollfd &fd : fds) {
    events.push_back(fd.revents);
  }
  return events;
}

} // namespace

std::vector<Outcome> runInChildren(llvm::ArrayRef<TestCase> tests,
                                   const driver::ResolvedTarget &target, const ChildLimits &limits,
                                   llvm::function_ref<void(size_t, const Outcome &)> done) {
  std::vector<Outcome> outcomes(tests.size());
  std::vector<Child> running;
  size_t next = 0;
  auto end = [&](Child &child, bool isLate) {
    outcomes[child.test] = finish(child, limits, isLate);
    done(child.test, outcomes[child.test]);
  };
  while (next < tests.size() || !running.empty()) {
    while (next < tests.size() && running.size() < static_cast<size_t>(limits.processes)) {
      if (std::optional<Child> child = start(next, tests[next], target, limits)) {
        running.push_back(std::move(*child));
      } else {
        outcomes[next].isCrash = true;
        outcomes[next].problem = std::string("cannot start a process: ") + strerror(errno);
        done(next, outcomes[next]);
      }
      ++next;
    }
    std::vector<short> events = pollChildren(running);
    std::vector<Child> still;
    for (size_t i = 0; i < running.size(); ++i) {
      Child &child = running[i];
      bool isOpen = !events[i] || child.process.readMore(child.text);
      bool isLate = isOpen && secondsSince(child.started) > limits.seconds;
      if (isOpen && !isLate) {
        still.push_back(std::move(child));
      } else {
        end(child, isLate);
      }
    }
    running = std::move(still);
  }
  return outcomes;
}

} // namespace convoy::conformance
