// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each worker process reads the indices of candidates from a shared pipe and writes one line
// of JSON per candidate. If a worker ends early, the candidate it was building has failed, and
// a new worker takes the remaining candidates.

#include "tuning/build/BuildBatch.h"
#include "io/ChildProcess.h"
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

/// A worker process. For each candidate, it writes a line with the index and then a line with
/// the result.
struct Worker {
  std::optional<io::ChildProcess> process;
  std::optional<size_t> inHand;
  std::string received; // the incomplete last line
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
    result.message =
        "the build process wrote an invalid answer: '" + line.take_front(80).str() + "'";
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
    failUnbuilt("cannot start a build process");
    return std::move(results);
  }

private:
  /// Writes all indices into the pipe that the workers read. The pipe's buffer holds them.
  bool fillQueue() {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) {
      return false;
    }
    queue = ends[0];
    for (uint32_t number = 0; number < requests.size(); ++number) {
      if (write(ends[1], &number, sizeof(number)) != sizeof(number)) {
        break; // failUnbuilt() reports the remaining candidates
      }
    }
    close(ends[1]);
    return true;
  }

  /// Forks a worker. If this fails, the other workers build its candidates.
  void start(Worker &worker) {
    worker.process = io::ChildProcess::start([&](int answers) { build(answers); });
  }

  void build(int answers) {
    uint32_t number = 0;
    while (read(queue, &number, sizeof(number)) == sizeof(number)) {
      io::writeToPipe(answers, std::to_string(number) + "\n");
      // Ends this process when the time limit expires. The parent then sees the end of the
      // pipe.
      alarm(static_cast<unsigned>(std::max(options.timeoutSeconds, 1.0)));
      const BuildRequest &request = requests[number];
      io::writeToPipe(answers, toLine(resultOf(buildCandidate(request.task, request.configuration,
                                                              options.build,
                                                              prefix + std::to_string(number)))));
    }
  }

  /// Reads answers until the worker ends. If it ends while building a candidate, starts a new
  /// worker.
  void listen(Worker &worker) {
    while (worker.process) {
      if (worker.process->readMore(worker.received)) {
        takeLines(worker);
        continue;
      }
      int status = worker.process->wait();
      worker.process.reset();
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
        isLate ? llvm::formatv("the build exceeded {0:f0} s", options.timeoutSeconds).str()
        : WIFSIGNALED(status)
            ? "the build process was ended by signal " + std::to_string(WTERMSIG(status))
            : "the build process ended with exit code " + std::to_string(WEXITSTATUS(status));
    return result;
  }

  /// Reports the candidates that no worker built.
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
