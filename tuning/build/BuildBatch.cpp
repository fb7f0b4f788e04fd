// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process takes one candidate after the other from a common pipe of numbers, and
// answers with a line of JSON for each. Its end is seen as the end of its answers: what
// it had in hand failed, and a new process takes what is left.

#include "tuning/build/BuildBatch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::tuning {
namespace {

namespace json = llvm::json;

/// One process, and the candidates that it builds: every so many-th.
struct Worker {
  pid_t process = 0;
  int answers = -1;             // end of a pipe to read from
  std::vector<size_t> requests; // in order
  size_t answered = 0;
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
    std::vector<Worker> workers(static_cast<size_t>(std::max(options.processes, 1)));
    for (size_t i = 0; i < requests.size(); ++i) {
      workers[i % workers.size()].requests.push_back(i);
    }
    for (Worker &worker : workers) {
      start(worker);
    }
    for (Worker &worker : workers) {
      listen(worker);
    }
    return std::move(results);
  }

private:
  /// Forks a process for what the worker has left.
  void start(Worker &worker) {
    int ends[2];
    if (worker.answered == worker.requests.size()) {
      return;
    }
    if (pipe(ends) != 0) {
      failRest(worker, "the system gives no pipe");
      return;
    }
    worker.process = fork();
    if (worker.process == 0) {
      close(ends[0]);
      build(worker, ends[1]);
    }
    close(ends[1]);
    worker.answers = ends[0];
    if (worker.process < 0) {
      close(ends[0]);
      failRest(worker, "the system gives no process");
    }
  }

  [[noreturn]] void build(const Worker &worker, int answers) {
    for (size_t i = worker.answered; i < worker.requests.size(); ++i) {
      size_t number = worker.requests[i];
      // Ends this process, which the other end sees.
      alarm(static_cast<unsigned>(std::max(options.timeoutSeconds, 1.0)));
      const BuildRequest &request = requests[number];
      writeAll(answers,
               toLine(resultOf(buildCandidate(request.task, request.configuration, options.build,
                                              prefix + std::to_string(number)))));
    }
    _exit(0);
  }

  /// Takes answers until all are there, with new processes for those that end early.
  void listen(Worker &worker) {
    while (worker.answered < worker.requests.size()) {
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
      results[worker.requests[worker.answered++]] = fault(status);
      worker.received.clear();
      start(worker);
    }
    if (worker.process > 0) {
      close(worker.answers);
      waitpid(worker.process, nullptr, 0);
    }
  }

  void takeLines(Worker &worker) {
    for (size_t end = 0; (end = worker.received.find('\n')) != std::string::npos;) {
      llvm::StringRef line(worker.received.data(), end);
      results[worker.requests[worker.answered++]] = fromLine(line);
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

  void failRest(Worker &worker, llvm::StringRef why) {
    while (worker.answered < worker.requests.size()) {
      BuildResult &result = results[worker.requests[worker.answered++]];
      result.problem = "crash";
      result.message = why.str();
    }
    worker.process = 0;
  }

  llvm::ArrayRef<BuildRequest> requests;
  const BatchOptions &options;
  std::string prefix;
  std::vector<BuildResult> results;
};

} // namespace

std::vector<BuildResult> buildBatch(llvm::ArrayRef<BuildRequest> requests,
                                    const BatchOptions &options, llvm::StringRef prefix) {
  return Batch(requests, options, prefix).run();
}

} // namespace convoy::tuning
