// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts one child per request. The child sends its answer through a pipe. The exit status
// shows how it ended, and a shared page shows its progress.

#include "Serve.h"
#include "Spec.h"
#include "Trial.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace convoy::measure {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

CandidateSpec readCandidate(const json &object) {
  CandidateSpec spec;
  spec.library = object.at("library");
  spec.symbol = object.at("symbol");
  spec.workspaceBytes = object.at("workspaceBytes");
  for (const json &input : object.at("inputs")) {
    spec.inputs.push_back({input.at("file"), input.at("bytes")});
  }
  for (const json &output : object.at("outputs")) {
    spec.outputs.push_back({output.at("bytes"), output.value("expected", "")});
  }
  return spec;
}

TrialSpec readTrial(const json &object) {
  TrialSpec spec;
  for (const json &candidate : object.at("candidates")) {
    spec.candidates.push_back(readCandidate(candidate));
  }
  spec.policy = object.at("policy") == "warm" ? Policy::Warm : Policy::ColdWeights;
  spec.cpus = object.at("cpus").get<std::vector<int>>();
  spec.samples = object.at("samples");
  spec.sampleMs = object.at("sampleMs");
  spec.giveUpNs = object.value("giveUpNs", 0.0);
  return spec;
}

json encode(const TrialSample &sample) {
  return json::array({sample.runs, sample.wallNs, sample.cpuNs, sample.isClean ? 1 : 0});
}

json encode(const std::vector<TrialResult> &results) {
  json list = json::array();
  for (const TrialResult &result : results) {
    json samples = json::array();
    for (const TrialSample &sample : result.samples) {
      samples.push_back(encode(sample));
    }
    list.push_back({{"outcome", result.problem.empty() ? "ok" : "wrong-result"},
                    {"message", result.problem},
                    {"wanted", result.wanted},
                    {"samples", samples}});
  }
  return list;
}

json answer(const json &request, TrialProgress &progress) {
  if (request.at("kind") == "sentinel") {
    return {{"sentinel", encode(runSentinel(request.at("cpus").at(0), request.at("samples")))}};
  }
  return {{"results", encode(runTrial(readTrial(request), progress))}};
}

void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) {
      std::_Exit(1);
    }
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
}

/// Runs the child. It writes only its answer, and it ends when this process ends.
[[noreturn]] void runChild(const json &request, TrialProgress &progress, int out, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int silence = open("/dev/null", O_RDWR);
  dup2(silence, STDIN_FILENO);
  dup2(silence, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  std::string text;
  try {
    text = answer(request, progress).dump();
  } catch (const json::exception &error) {
    fail(std::string("invalid request: ") + error.what());
  }
  writeAll(out, text);
  // Skips the destructors, because a candidate may have corrupted the memory.
  std::_Exit(0);
}

struct Pipe {
  int ends[2] = {-1, -1};
  std::string text;

  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) {
      fail(std::string("cannot create a pipe: ") + std::strerror(errno));
    }
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  void closeEnd(int end) {
    if (ends[end] >= 0) {
      close(std::exchange(ends[end], -1));
    }
  }
  /// Reads the available data. Closes the pipe at its end.
  void take() {
    char buffer[65536];
    ssize_t count = read(ends[0], buffer, sizeof(buffer));
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      closeEnd(0);
    }
  }
};

/// Reads both pipes until they end. Returns false if the time limit passes first.
bool readBoth(Pipe &out, Pipe &errors, double timeoutMs) {
  auto end = Clock::now() + std::chrono::duration<double, std::milli>(timeoutMs);
  while (out.ends[0] >= 0 || errors.ends[0] >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) {
      return false;
    }
    // Also watches the input, so that no process remains if the tuner is killed.
    pollfd files[] = {{out.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}, {STDIN_FILENO, 0, 0}};
    poll(files, 3, static_cast<int>(left) + 1);
    if (files[2].revents & POLLHUP) {
      std::_Exit(1); // the child ends with this process
    }
    if (files[0].revents) {
      out.take();
    }
    if (files[1].revents) {
      errors.take();
    }
  }
  return true;
}

json failure(const TrialProgress &progress, const std::string &outcome, const std::string &text) {
  static constexpr const char *kPhases[] = {"while loading", "in its first run", "while measuring",
                                            "at the end"};
  return {{"failed", progress.candidate},
          {"outcome", outcome},
          {"message", text + " " + kPhases[progress.phase & 3]}};
}

std::string trimmed(const std::string &text) {
  size_t end = text.find_last_not_of(" \n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

json verdict(int status, const TrialProgress &progress, const Pipe &out, const Pipe &errors) {
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    // A kernel cannot cause this signal. Another process or the out-of-memory killer sent it.
    return failure(progress, signal == SIGKILL ? "time-out" : "crash",
                   std::string("signal ") + std::to_string(signal) + " (" + strsignal(signal) +
                       ")");
  }
  json result = json::parse(out.text, nullptr, /*allow_exceptions=*/false);
  if (WEXITSTATUS(status) == 0 && !result.is_discarded()) {
    return result;
  }
  std::string words = trimmed(errors.text);
  return failure(progress, progress.phase == 0 ? "build-error" : "crash",
                 words.empty() ? "it ended with exit code " + std::to_string(WEXITSTATUS(status))
                               : words + ";");
}

/// Runs the request in a child. Returns nothing if another process killed the child.
std::optional<json> attempt(const json &request, TrialProgress &progress, bool isLast) {
  progress = {};
  Pipe out, errors;
  double timeoutMs = request.at("timeoutMs");
  pid_t child = fork();
  if (child < 0) {
    return json{{"error", std::string("cannot start a process: ") + std::strerror(errno)}};
  }
  if (child == 0) {
    runChild(request, progress, out.ends[1], errors.ends[1]);
  }
  out.closeEnd(1);
  errors.closeEnd(1);
  bool isInTime = readBoth(out, errors, timeoutMs);
  if (!isInTime) {
    kill(child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!isInTime) {
    return failure(progress, "time-out",
                   "no answer within " + std::to_string(static_cast<int64_t>(timeoutMs)) + " ms");
  }
  bool isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return isKilled && !isLast ? std::nullopt
                             : std::optional<json>(verdict(status, progress, out, errors));
}

/// Repeats the request if the child was killed. If the out-of-memory killer kills it each
/// time, the last attempt reports it.
json handle(const json &request, TrialProgress &progress) {
  constexpr int kAttempts = 4;
  std::optional<json> reply;
  for (int i = 1; !reply; ++i) {
    reply = attempt(request, progress, /*isLast=*/i == kAttempts);
  }
  return *reply;
}

} // namespace

int serve() {
  void *page = mmap(nullptr, sizeof(TrialProgress), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    fail(std::string("cannot allocate a page: ") + std::strerror(errno));
  }
  auto &progress = *static_cast<TrialProgress *>(page);
  for (std::string line; std::getline(std::cin, line);) {
    json reply;
    try {
      reply = handle(json::parse(line), progress);
    } catch (const json::exception &error) {
      reply = {{"error", std::string("invalid request: ") + error.what()}};
    }
    std::cout << reply.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}

} // namespace convoy::measure
