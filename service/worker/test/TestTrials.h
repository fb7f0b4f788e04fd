// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trials of an invented task, a table with their times, and emulated workers. The tests of the
// dispatcher and the rate program use them.

#pragma once

#include "service/queue/NatsDispatcher.h"
#include "service/worker/Emulation.h"
#include "tests/service/Servers.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <csignal>
#include <set>
#include <spawn.h>
#include <thread>

namespace convoy::service::test {

inline constexpr char kClass[] = "emulated";

// The longest wait for an event. A busy machine takes long, and a failed test may.
inline constexpr double kDeadlineSeconds = 100;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Waits for an event. Returns whether it came before the deadline.
template <typename Condition>
bool waitUntil(Condition isTrue) {
  for (double end = now() + kDeadlineSeconds; now() < end;) {
    if (isTrue()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return isTrue();
}

/// Returns the results that arrive first; nothing after the deadline.
inline std::vector<tuning::Completion> firstResults(NatsDispatcher &dispatcher) {
  std::vector<tuning::Completion> completions;
  waitUntil([&] {
    completions = llvm::cantFail(dispatcher.wait(0.5));
    return !completions.empty();
  });
  return completions;
}

/// The task and configuration of a numbered trial. Configuration 7 of each ten is unknown to the
/// table.
struct TestTask {
  std::shared_ptr<const layout::Task> task =
      std::make_shared<layout::Task>(layout::Task{"an invented task", "invented"});
  std::shared_ptr<const targets::Target> target = std::make_shared<targets::Target>();

  tuning::TrialWork work(const std::string &job, int number) const {
    tuning::TrialWork work;
    work.trial = llvm::formatv("{0}/{1}/{2}", job, number / 8, number % 8);
    work.task = task;
    work.target = target;
    work.deviceClass = kClass;
    work.configuration = {"loops", 1, "c" + std::to_string(number % 100), "planar", "planar"};
    return work;
  }
  static bool isKnown(int number) { return number % 10 != 7; }
  static double seconds(int number) { return 1e-5 * (1 + number % 100); }

  /// Writes the table of emulated devices.
  void writeTable(const std::string &path) const {
    std::ofstream file(path);
    file << R"({"format": 1, "tasks": {")" << task->key() << R"(": {)";
    for (int i = 0; i < 100; ++i) {
      if (isKnown(i)) {
        file << (i ? ", " : "") << "\"loops|1|c" << i << "|planar|planar\": " << seconds(i);
      }
    }
    file << "}}}";
  }
};

/// A program of the service.
class Program {
public:
  explicit Program(std::vector<std::string> words) {
    std::vector<char *> arguments;
    for (std::string &word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    if (posix_spawn(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
      ADD_FAILURE() << "cannot start " << words.front();
    }
  }
  ~Program() { end(SIGKILL); }
  int end(int signal) {
    if (process > 0) {
      kill(process, signal);
    }
    return wait();
  }
  /// Returns the exit code, or 128 plus the signal.
  int wait() {
    int status = 0;
    if (process > 0) {
      waitpid(process, &status, 0);
      process = 0;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

private:
  pid_t process = 0;
};

/// Emulated workers in threads of this process.
class TestWorkers {
public:
  TestWorkers(WorkerOptions options, std::vector<std::unique_ptr<WorkStation>> stations) {
    thread =
        std::thread([this, options = std::move(options), stations = std::move(stations)]() mutable {
          end = runWorker(options, std::move(stations), isStopping);
        });
  }
  ~TestWorkers() { stop(); }
  WorkerEnd stop() {
    isStopping = true;
    if (thread.joinable()) {
      thread.join();
    }
    return end;
  }
  /// Waits until the worker ends by itself.
  WorkerEnd wait() {
    thread.join();
    return end;
  }

private:
  std::atomic<bool> isStopping{false};
  WorkerEnd end = WorkerEnd::Stopped;
  std::thread thread;
};

/// Connects as a user of the servers.
inline NatsOptions natsOf(Servers &servers, const std::string &user) {
  NatsOptions options;
  options.url = servers.value("NATS_URL");
  options.tls = TlsFiles::inFolder(servers.value("CONVOY_CERTS"), user);
  options.user = user;
  options.timeoutSeconds = 3;
  return options;
}

inline WorkerOptions builderOptions(Servers &servers) {
  WorkerOptions options;
  options.nats = natsOf(servers, "builder");
  options.stage = tuning::WorkStage::Build;
  options.stream = "BUILD";
  options.consumer = "builders";
  options.helloSeconds = 0.5;
  options.fetchSeconds = 0.3;
  return options;
}

inline WorkerOptions agentOptions(Servers &servers) {
  WorkerOptions options;
  options.nats = natsOf(servers, "agent");
  options.stage = tuning::WorkStage::Measure;
  options.stream = "MEASURE";
  options.consumer = kClass;
  options.helloSeconds = 0.5;
  options.fetchSeconds = 0.3;
  return options;
}

inline std::vector<std::unique_ptr<WorkStation>> emulatedBuilders(int count, double seconds) {
  std::vector<std::unique_ptr<WorkStation>> stations;
  for (int i = 0; i < count; ++i) {
    EmulationOptions options;
    options.name = "builder-" + std::to_string(i);
    options.seconds = seconds;
    stations.push_back(makeEmulatedBuilder(std::move(options)));
  }
  return stations;
}

inline std::vector<std::unique_ptr<WorkStation>>
emulatedDevices(int count, EmulationOptions options,
                const std::shared_ptr<const EmulationTables> &tables) {
  std::vector<std::unique_ptr<WorkStation>> stations;
  for (int i = 0; i < count; ++i) {
    EmulationOptions one = options;
    one.name = options.name + "-" + std::to_string(i);
    one.deviceClass = kClass;
    stations.push_back(makeEmulatedDevice(std::move(one), tables));
  }
  return stations;
}

/// Runs both stages of trials through a dispatcher and counts the results.
class TrialRunner {
public:
  TrialRunner(NatsDispatcher &dispatcher, TestTask task, std::string job, int count, int window)
      : dispatcher(dispatcher), task(std::move(task)), job(std::move(job)), count(count),
        window(window) {
    for (int i = 0; i < count; ++i) {
      numbers[this->task.work(this->job, i).trial] = i;
    }
  }

  /// Works until all trials have ended. Returns false after the deadline.
  bool run() { return runFor(kDeadlineSeconds); }
  bool runFor(double seconds) {
    double end = now() + seconds;
    return runUntil([&] { return now() >= end; });
  }

  /// Works until so many trials have ended, and most have not. Returns false after the deadline.
  bool runSome(int trials) {
    EXPECT_LE(trials + window, count / 2);
    double end = now() + kDeadlineSeconds;
    runUntil([&] { return finished >= trials || now() >= end; });
    return finished >= trials;
  }

  /// Works until the condition holds. Returns whether all trials have ended.
  template <typename Condition>
  bool runUntil(Condition isEnough) {
    while (finished < count && !isEnough()) {
      start();
      llvm::Expected<std::vector<tuning::Completion>> completions = dispatcher.wait(0.1);
      if (!completions) {
        ADD_FAILURE() << llvm::toString(completions.takeError());
        return false;
      }
      for (const tuning::Completion &completion : *completions) {
        take(completion);
      }
      llvm::cantFail(dispatcher.acknowledge(*completions));
    }
    return finished == count;
  }

  int finished = 0;
  std::map<std::string, int> built, measured; // results by trial
  std::map<std::string, tuning::Completion> results;
  std::set<std::string> workers;

private:
  void start() {
    for (auto it = waiting.begin(); it != waiting.end();) {
      llvm::Error error = dispatcher.measure(task.work(job, numbers[it->first]), it->second);
      if (error) {
        llvm::consumeError(std::move(error)); // NATS is away; try again later
        return;
      }
      it = waiting.erase(it);
    }
    for (; next < count && next - finished < window; ++next) {
      if (llvm::Error error = dispatcher.build(task.work(job, next))) {
        llvm::consumeError(std::move(error));
        return;
      }
    }
  }

  void take(const tuning::Completion &completion) {
    workers.insert(completion.worker);
    if (completion.stage == tuning::WorkStage::Build) {
      if (++built[completion.trial] == 1) {
        EXPECT_EQ(completion.outcome, tuning::Outcome::Ok) << completion.message;
        waiting[completion.trial] = completion.candidate;
      }
      return;
    }
    finished += ++measured[completion.trial] == 1 ? 1 : 0;
    results[completion.trial] = completion;
  }

  NatsDispatcher &dispatcher;
  TestTask task;
  std::string job;
  int count, window, next = 0;
  std::map<std::string, int> numbers;
  std::map<std::string, tuning::RunnableCandidate> waiting; // built, not given to a device
};

} // namespace convoy::service::test
