// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process takes one candidate after the other from a common pipe of numbers, and
// answers with a line of JSON for each. Its end is seen as the end of its answers: what
// it had in hand failed, and a new process takes what is left.

#include "tuning/build/BuildBatch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

/// One process. What it says are lines: the number of the candidate that it takes, then
/// the result of that one.
struct Worker {
  pid_t process = 0;
  int answers = -1; // end of a pipe to read from
  std::optional<size_t> inHand;
  std::string received; // beyond the last line
};

BuildResult resultOf(llvm::Expected<BuiltCandidate> built) {
  BuildResult result;
  if (!built) {
    llvm::handleAllErrors(built.takeError(), [&](const BuildError &error) {
      result.problem = name(error.problem).str();
      result.message = error.text;
    });
    return result;
  }
  result.candidate = std::move(*built);
  return result;
}

std::string toLine(const BuildResult &result) {
  const codegen::LibraryFiles &files = result.candidate.files;
  const BuildTimes &times = result.candidate.times;
  json::Object object{{"problem", result.problem},
                      {"message", json::fixUTF8(result.message)},
                      {"library", files.library},
                      {"header", files.header},
                      {"model", files.interface.model},
                      {"hash", files.interface.hash},
                      {"workspace", files.interface.workspaceBytes},
                      {"read", times.readSeconds},
                      {"stages", times.stagesSeconds},
                      {"emit", times.emitSeconds}};
  return llvm::formatv("{0}\n", json::Value(std::move(object)));
}

BuildResult fromLine(llvm::StringRef line) {
  BuildResult result;
  llvm::Expected<json::Value> value = json::parse(line);
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    llvm::consumeError(value.takeError());
    result.problem = "crash";
    result.message = "the building process answered '" + line.take_front(80).str() + "'";
    return result;
  }
  auto text = [&](llvm::StringRef key) { return object->getString(key).value_or("").str(); };
  auto number = [&](llvm::StringRef key) { return object->getNumber(key).value_or(0); };
  codegen::LibraryFiles &files = result.candidate.files;
  result.problem = text("problem");
  result.message = text("message");
  files.library = text("library");
  files.header = text("header");
  files.interface.model = text("model");
  files.interface.hash = text("hash");
  files.interface.workspaceBytes = object->getInteger("workspace").value_or(0);
  result.candidate.times = {number("read"), number("stages"), number("emit")};
  return result;
}

void writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(file, text.data(), text.size());
    if (count <= 0) {
      _exit(1);
    }
    text = text.drop_front(static_cast<size_t>(count));
  }
}

class Batch {
public:
  Batch(llvm::ArrayRef<BuildRequest> requests, const BatchOptions &options, llvm::StringRef prefix)
      : requests(requests), options(options), prefix(prefix), results(requests.size()) {}

  std::vector<BuildResult> run() {
    if (!fillQueue()) {
      failUnbuilt("cannot create a pipe");
      return std::move(results);
    }
    std::vector<Worker> workers(static_cast<size_t>(std::max(options.processes, 1)));
    for (Worker &worker : workers) {
      start(worker);
    }
    for (Worker &worker : workers) {
      listen(worker);
    }
    close(queue);
    failUnbuilt("cannot create a process");
    return std::move(results);
  }

private:
  /// Writes all numbers into the pipe that workers take them from: few bytes, which it holds.
  bool fillQueue() {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) {
      return false;
    }
    queue = ends[0];
    for (uint32_t number = 0; number < requests.size(); ++number) {
      if (write(ends[1], &number, sizeof(number)) != sizeof(number)) {
        break; // the rest counts as never built
      }
    }
    close(ends[1]);
    return true;
  }

  /// Forks a process; without one the others do its work.
  void start(Worker &worker) {
    int ends[2];
    if (pipe(ends) != 0) {
      return;
    }
    worker.process = fork();
    if (worker.process == 0) {
      close(ends[0]);
      build(ends[1]);
    }
    close(ends[1]);
    worker.answers = ends[0];
    if (worker.process < 0) {
      close(ends[0]);
    }
  }

  [[noreturn]] void build(int answers) {
    uint32_t number = 0;
    while (read(queue, &number, sizeof(number)) == sizeof(number)) {
      writeAll(answers, std::to_string(number) + "\n");
      // Ends this process, which the other end sees.
      alarm(static_cast<unsigned>(std::max(options.timeoutSeconds, 1.0)));
      const BuildRequest &request = requests[number];
      writeAll(answers,
               toLine(resultOf(buildCandidate(request.task, request.configuration, options.build,
                                              prefix + std::to_string(number)))));
    }
    _exit(0);
  }

  /// Takes answers until the process has no more, with new ones for those that end early.
  void listen(Worker &worker) {
    while (worker.process > 0) {
      char buffer[4096];
      ssize_t count = read(worker.answers, buffer, sizeof(buffer));
      if (count > 0) {
        worker.received.append(buffer, static_cast<size_t>(count));
        takeLines(worker);
        continue;
      }
      close(worker.answers);
      int status = 0;
      waitpid(worker.process, &status, 0);
      worker.process = 0;
      if (worker.inHand) {
        results[*worker.inHand] = fault(status);
        worker.inHand.reset();
        worker.received.clear();
        start(worker);
      }
    }
  }

  void takeLines(Worker &worker) {
    for (size_t end = 0; (end = worker.received.find('\n')) != std::string::npos;) {
      llvm::StringRef line(worker.received.data(), end);
      if (worker.inHand) {
        results[*worker.inHand] = fromLine(line);
        worker.inHand.reset();
      } else {
        worker.inHand = std::stoul(line.str());
      }
      worker.received.erase(0, end + 1);
    }
  }

  BuildResult fault(int status) const {
    BuildResult result;
    bool isLate = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    result.problem = isLate ? "time-out" : "crash";
    result.message =
        isLate ? llvm::formatv("not built within {0:f0} s", options.timeoutSeconds).str()
        : WIFSIGNALED(status)
            ? "the building process ended by signal " + std::to_string(WTERMSIG(status))
            : "the building process ended with code " + std::to_string(WEXITSTATUS(status));
    return result;
  }

  /// What no process took.
  void failUnbuilt(llvm::StringRef why) {
    for (BuildResult &result : results) {
      if (result.isBuilt() && result.candidate.files.library.empty()) {
        result.problem = "crash";
        result.message = why.str();
      }
    }
  }

  llvm::ArrayRef<BuildRequest> requests;
  const BatchOptions &options;
  std::string prefix;
  std::vector<BuildResult> results;
  int queue = -1;
};

} // namespace

std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix) {
  return Batch(requests, options, prefix).run();
}

} // namespace convoy::tuning
