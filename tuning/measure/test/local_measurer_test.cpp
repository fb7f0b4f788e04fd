// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the measuring process with candidates that crash, hang or are wrong, and with a CPU
// that another process uses.

#include "Support/test/TestFolder.h"
#include "tuning/measure/ExpectedPoints.h"
#include "tuning/measure/LocalMeasurer.h"
#include "tuning/measure/MemoryFile.h"
#include "tuning/measure/Race.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace convoy::tuning {
namespace {

using testing::HasSubstr;

constexpr int64_t kCount = 1024; // elements of each candidate's data

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A process that keeps a CPU busy during the lifetime of this object.
class BusyProcess {
public:
  explicit BusyProcess(int cpu) : process(fork()) {
    if (process == 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(cpu, &set);
      sched_setaffinity(0, sizeof(set), &set);
      for (volatile int i = 0;; i = i + 1) {
      }
    }
  }
  ~BusyProcess() { end(); }
  void end() {
    if (process > 0) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
      process = 0;
    }
  }

private:
  pid_t process;
};

class LocalMeasurerTest : public testing::Test {
protected:
  void SetUp() override {
    Tensor expected(ElementType::F32, {kCount});
    std::error_code error;
    llvm::raw_fd_ostream os(folder + "/x.raw", error);
    for (int64_t i = 0; i < kCount; ++i) {
      float x = static_cast<float>(i % 17) / 16;
      os.write(reinterpret_cast<const char *>(&x), sizeof(x));
      expected.setDouble(i, 2.0 * x + 1);
    }
    llvm::cantFail(writeExpectedPoints(folder + "/y.points", expected, pointsToCheck({kCount}, 1),
                                       {1e-6, 0}, [](int64_t i) { return i; }));
  }

  RunnableCandidate candidate(const std::string &symbol) const {
    RunnableCandidate result;
    result.id = result.symbol = symbol;
    result.library = CANDIDATES;
    result.workspaceBytes = 64;
    result.inputs = {{folder + "/x.raw", kCount * 4}};
    result.outputs = {{kCount * 4, folder + "/y.points"}};
    return result;
  }

  /// Limits the waiting time, so that a busy machine does not slow down the tests.
  LocalOptions options(double maxWaitSeconds = 0) {
    LocalOptions result;
    result.program = MEASURE_PROGRAM;
    result.watch.cpus = usableCpus();
    result.watch.maxWaitSeconds = maxWaitSeconds;
    result.say = [this](const std::string &text) {
      said.push_back(text);
      std::cout << text << "\n";
    };
    return result;
  }

  Measurement measure(const std::string &symbol, MeasurePlan plan = {}) {
    if (!measurer) {
      measurer = std::make_unique<LocalMeasurer>(options());
    }
    return llvm::cantFail(measurer->measure({candidate(symbol)}, plan)).front();
  }

  convoy::test::TemporaryFolder temporary;
  std::string folder = temporary.path();
  std::vector<std::string> said;
  std::unique_ptr<LocalMeasurer> measurer;
};

TEST_F(LocalMeasurerTest, TimesAGoodCandidate) {
  for (Policy policy : {Policy::ColdWeights, Policy::Warm}) {
    MeasurePlan plan;
    plan.policy = policy;
    Measurement result = measure("good", plan);
    // If the machine is never free, there is no time, but the candidate must not count as
    // failed either.
    if (result.outcome == Outcome::Ok) {
      EXPECT_GT(result.ns(), 1000);
      EXPECT_LT(result.ns(), 1e6);
      EXPECT_GE(result.samples.size(), 1u);
    } else {
      EXPECT_THAT(result.message, HasSubstr("the machine is too busy"));
    }
    for (const Sample &sample : result.samples) {
      EXPECT_GT(sample.cpuNs, 0);
      EXPECT_GT(sample.runs, 1);
    }
  }
}

TEST_F(LocalMeasurerTest, WrongResults) {
  Measurement wrong = measure("wrong");
  EXPECT_EQ(wrong.outcome, Outcome::WrongResult);
  EXPECT_THAT(wrong.message, HasSubstr("output 0, element 1023 in memory: expects "));
  EXPECT_EQ(measure("lazy").outcome, Outcome::WrongResult);
  EXPECT_THAT(measure("lazy").message, HasSubstr("nan"));
  EXPECT_EQ(measure("later_wrong").outcome, Outcome::WrongResult);
}

TEST_F(LocalMeasurerTest, Crashes) {
  Measurement crash = measure("crash");
  EXPECT_EQ(crash.outcome, Outcome::Crash);
  EXPECT_EQ(crash.message, "signal 11 (Segmentation fault) in its first run");
  EXPECT_EQ(measure("overrun").outcome, Outcome::Crash);
  EXPECT_EQ(measure("ends").message, "signal 6 (Aborted) in its first run");
  EXPECT_THAT(measure("refuses").message, HasSubstr("the candidate returned 7"));
  EXPECT_EQ(measure("missing").outcome, Outcome::BuildError);
  EXPECT_THAT(measure("missing").message, HasSubstr("has no 'missing_run'"));
  // The measuring process still works.
  EXPECT_NE(measure("good").outcome, Outcome::Crash);
}

TEST_F(LocalMeasurerTest, Hangs) {
  MeasurePlan plan;
  plan.timeoutMs = 3000; // a busy machine needs part of it to load the candidate
  Measurement result = measure("hang", plan);
  EXPECT_EQ(result.outcome, Outcome::TimeOut);
  EXPECT_EQ(result.message, "no answer within 3000 ms in its first run");
}

TEST_F(LocalMeasurerTest, OneThatFailsDoesNotSpoilARace) {
  LocalMeasurer local(options());
  MeasurePlan plan;
  plan.isInterleaved = true;
  std::vector<Measurement> results = llvm::cantFail(local.measure(
      {candidate("good"), candidate("crash"), candidate("slower"), candidate("wrong")}, plan));
  EXPECT_EQ(results[1].outcome, Outcome::Crash);
  EXPECT_EQ(results[3].outcome, Outcome::WrongResult);
  EXPECT_FALSE(results[0].samples.empty());
  EXPECT_FALSE(results[2].samples.empty());
}

TEST_F(LocalMeasurerTest, AKilledProcessIsStartedAgain) {
  measure("good");
  pid_t before = measurer->processId();
  ASSERT_GT(before, 0);
  kill(before, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Measurement next = measure("wrong");
  EXPECT_EQ(next.outcome, Outcome::WrongResult) << next.message;
  EXPECT_NE(measurer->processId(), before);
}

TEST_F(LocalMeasurerTest, KilledAtAHundredMoments) {
  measure("good");
  std::mt19937 random(1);
  int killedBusy = 0;
  for (int round = 0; round < 100; ++round) {
    pid_t process = measurer->processId();
    auto wait = std::chrono::microseconds(random() % 30000);
    std::thread killer([&] {
      std::this_thread::sleep_for(wait);
      kill(process, SIGKILL);
    });
    bool isWrong = round % 2 == 0;
    Measurement result = measure(isWrong ? "wrong" : "good");
    killer.join();
    killedBusy += measurer->processId() != process;
    // A right candidate must not be rejected, and a wrong candidate must not be accepted.
    EXPECT_EQ(result.outcome == Outcome::WrongResult, isWrong) << result.message;
    EXPECT_NE(result.outcome, Outcome::Crash) << result.message;
  }
  std::cout << killedBusy << " of 100 killed while they measured\n";
  EXPECT_GT(killedBusy, 10);
}

/// Kills `wanted` children of a process one after the other. Stops if the process has no
/// children for one second.
int killChildrenOf(pid_t process, int wanted) {
  std::string list = "/proc/" + std::to_string(process) + "/task/" + std::to_string(process);
  int killed = 0;
  pid_t last = 0;
  for (int i = 0; i < 10000 && killed < wanted; ++i) {
    auto text = llvm::MemoryBuffer::getFileAsStream(list + "/children");
    pid_t child = 0;
    if (text && !(*text)->getBuffer().split(' ').first.getAsInteger(10, child) && child != last) {
      killed += kill(child, SIGKILL) == 0;
      last = child;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return killed;
}

TEST_F(LocalMeasurerTest, ACandidateThatSomebodyKillsIsMeasuredAgain) {
  measure("good");
  pid_t process = measurer->processId();
  constexpr int kKills = 3; // the first may belong to a sentinel
  int killed = 0;
  std::thread killer([&] { killed = killChildrenOf(process, kKills); });
  Measurement result = measure("good");
  killer.join();
  ASSERT_EQ(killed, kKills);
  // On a busy machine, all samples may be disturbed, which is not a failure of the candidate.
  if (result.outcome != Outcome::Ok) {
    EXPECT_THAT(result.message, HasSubstr("the machine is too busy"));
  }
  EXPECT_FALSE(result.samples.empty());
}

/// Returns the state "R", "Z" ... of a process, or "" if it does not exist.
std::string stateOf(pid_t process) {
  auto text = llvm::MemoryBuffer::getFileAsStream("/proc/" + std::to_string(process) + "/stat");
  return text ? (*text)->getBuffer().rsplit(") ").second.take_front(1).str() : "";
}

TEST_F(LocalMeasurerTest, AKilledTunerLeavesNothingBehind) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t tuner = fork();
  if (tuner == 0) {
    LocalMeasurer local(options());
    llvm::cantFail(local.measure({candidate("good")}, {}));
    pid_t server = local.processId();
    (void)!write(ends[1], &server, sizeof(server));
    MeasurePlan plan;
    plan.timeoutMs = 60000;
    llvm::cantFail(local.measure({candidate("hang")}, plan));
    kill(getpid(), SIGKILL); // does not continue with the test
  }
  pid_t server = 0;
  ASSERT_EQ(read(ends[0], &server, sizeof(server)), static_cast<ssize_t>(sizeof(server)));
  std::this_thread::sleep_for(std::chrono::milliseconds(200)); // By now, it hangs.
  kill(tuner, SIGKILL);
  waitpid(tuner, nullptr, 0);
  auto begin = std::chrono::steady_clock::now();
  auto isGone = [&] { return stateOf(server).empty() || stateOf(server) == "Z"; };
  while (!isGone() && secondsSince(begin) < 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(isGone());
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LocalMeasurerTest, RacesFindTheFasterOne) {
  LocalMeasurer local(options());
  RaceResult result = llvm::cantFail(
      race(local, {candidate("slower"), candidate("good"), candidate("slow")}, RaceOptions{}));
  for (const Measurement &measurement : result.measurements) {
    if (measurement.outcome != Outcome::Ok) {
      GTEST_SKIP() << measurement.message;
    }
  }
  EXPECT_EQ(result.order, (std::vector<size_t>{1, 0, 2}));
  std::cout << result.rounds << " rounds\n";
}

TEST_F(LocalMeasurerTest, NoProgramIsAnError) {
  LocalOptions wrong = options();
  wrong.program = folder + "/none";
  EXPECT_THAT(llvm::toString(LocalMeasurer(wrong).measure({candidate("good")}, {}).takeError()),
              HasSubstr("build or install it"));
}

TEST_F(LocalMeasurerTest, ALibraryInMemory) {
  auto bytes = llvm::MemoryBuffer::getFile(CANDIDATES);
  ASSERT_TRUE(bytes);
  MemoryFile memory = llvm::cantFail(MemoryFile::create((*bytes)->getBuffer()));
  RunnableCandidate good = candidate("wrong");
  good.library = memory.path();
  LocalMeasurer local(options());
  EXPECT_EQ(llvm::cantFail(local.measure({good}, {})).front().outcome, Outcome::WrongResult);
}

TEST_F(LocalMeasurerTest, SlowOnesAreGivenUp) {
  MeasurePlan plan;
  plan.giveUpNs = 1000;
  Measurement result = measure("slow", plan);
  EXPECT_LE(result.samples.size(), 3u * 4u); // one is requested; more only if disturbed
  EXPECT_LT(result.samples.size(), 20u);
}

TEST_F(LocalMeasurerTest, ABusyCoreIsNoticed) {
  // Even if other processes use this CPU, the busy process takes at least half of it.
  int cpu = usableCpus().front();
  BusyProcess other(cpu);
  LocalOptions busy = options(1);
  busy.watch.cpus = {cpu};
  LocalMeasurer local(busy);
  MeasurePlan plan;
  plan.sampleMs = 20; // longer than the scheduler's time slice
  Measurement result = llvm::cantFail(local.measure({candidate("slow")}, plan)).front();
  EXPECT_FALSE(said.empty());
  EXPECT_TRUE(result.isDisturbed || result.outcome == Outcome::TimeOut ||
              llvm::any_of(result.samples, [](const Sample &s) { return !s.isClean; }));
  EXPECT_GT(local.coreWatch().waitedSeconds(), 0);
  EXPECT_LE(local.coreWatch().waitedSeconds(), 1);
}

TEST_F(LocalMeasurerTest, AnInterruptEndsAWait) {
  int cpu = usableCpus().front();
  BusyProcess other(cpu);
  LocalOptions busy = options(60);
  busy.watch.cpus = {cpu};
  auto begin = std::chrono::steady_clock::now();
  busy.isInterrupted = [&] { return secondsSince(begin) > 0.5; };
  LocalMeasurer local(busy);
  llvm::Error error = llvm::Error::success();
  llvm::consumeError(std::move(error));
  for (error = llvm::Error::success(); !error && secondsSince(begin) < 20;) {
    error = local.measure({candidate("slow")}, {}).takeError();
  }
  EXPECT_TRUE(error.isA<WaitCanceled>());
  llvm::consumeError(std::move(error));
  EXPECT_LT(local.waitedSeconds(), 5);
}

TEST_F(LocalMeasurerTest, OneProcessServesManyTrials) {
  constexpr int kTrials = 40;
  measure("good");
  pid_t process = measurer->processId();
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTrials; ++i) {
    EXPECT_FALSE(measure("good").samples.empty());
    EXPECT_EQ(measurer->processId(), process);
  }
  double rate = kTrials / secondsSince(begin);
  std::cout << llvm::formatv("{0:f1} candidates per second, without building\n", rate).str();
}

} // namespace
} // namespace convoy::tuning
