// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job learns from the build and the timing of its whole network.

#include "service/jobs/Job.h"
#include <gtest/gtest.h>

namespace convoy::service {
namespace {

using tuning::WorkStage;

tuning::Completion builtNetwork() {
  tuning::Completion built;
  built.network.emplace();
  built.network->files = {{"m.so", "sha256:aa", 10}, {"m.h", "sha256:bb", 2}};
  built.network->defaultFiles = {{"m.so", "sha256:cc", 11}};
  return built;
}

/// Samples of 1000 runs around `ns`, with noise of 1 %.
std::vector<tuning::Sample> samplesOf(int64_t ns) {
  std::vector<tuning::Sample> samples;
  for (int64_t i = -5; i <= 5; ++i) {
    int64_t wall = 1000 * ns + 2 * i * ns;
    samples.push_back({1000, wall, wall, true});
  }
  return samples;
}

TEST(NetworkTime, HasAnInterval) {
  tuning::Completion measured;
  measured.worker = "agent";
  measured.measurement.samples = samplesOf(2000);
  measured.measurement.samples.push_back({1, 900000, 900000, false}); // disturbed
  NetworkTime time = networkTime(builtNetwork(), measured, /*isSingle=*/true);
  EXPECT_DOUBLE_EQ(time.us(), 2);
  EXPECT_LT(time.low_us(), 2);
  EXPECT_GT(time.low_us(), 1.97);
  EXPECT_GT(time.high_us(), 2);
  EXPECT_LT(time.high_us(), 2.03);
  EXPECT_EQ(time.samples(), 11);
  EXPECT_EQ(time.device(), "agent");
  EXPECT_EQ(time.ratio(), 0); // the default has the same code
  ASSERT_EQ(time.files_size(), 2);
  EXPECT_EQ(time.files(0).blob(), "aa");
}

TEST(NetworkTime, KeepsTheDefaultOnlyIfItIsClearlyFaster) {
  tuning::Completion measured;
  measured.measurement.samples = samplesOf(1500);
  measured.defaultMeasurement.samples = samplesOf(2000);
  NetworkTime time = networkTime(builtNetwork(), measured, true);
  EXPECT_DOUBLE_EQ(time.ratio(), 0.75);
  EXPECT_DOUBLE_EQ(time.default_us(), 2);
  EXPECT_DOUBLE_EQ(time.us(), 1.5);
  EXPECT_FALSE(time.keeps_default());
  EXPECT_EQ(time.files(0).blob(), "aa");
  measured.measurement.samples = samplesOf(2500);
  time = networkTime(builtNetwork(), measured, true);
  EXPECT_TRUE(time.keeps_default());
  EXPECT_GT(time.low_ratio(), 1);
  EXPECT_DOUBLE_EQ(time.us(), 2);
  ASSERT_EQ(time.files_size(), 1);
  EXPECT_EQ(time.files(0).blob(), "cc");
}

TEST(NetworkTime, SaysThatTheDefaultWasNotTimed) {
  tuning::Completion built = builtNetwork(), measured;
  measured.measurement.samples = samplesOf(2000);
  EXPECT_EQ(networkTime(built, measured, true).problem(), ""); // the same code
  built.network->byDefault.library = "sha256:cc";
  NetworkTime time = networkTime(built, measured, true);
  EXPECT_EQ(time.problem(), "the default configurations were not timed");
  EXPECT_DOUBLE_EQ(time.us(), 2);
}

/// A job whose network is built, and timed or not.
struct NetworkJob : Job {
  explicit NetworkJob(double latencyUs = 0)
      : Job("j", service::scheduler::JobId{1}, specOf(latencyUs), targets::Target()) {
    timedUs = 1;
    start();
  }
  static JobSpec specOf(double latencyUs) {
    JobSpec spec;
    spec.set_model("m");
    spec.set_latency_us(latencyUs);
    spec.set_threads(1);
    return spec;
  }
  void start(WorkStage stage = WorkStage::Measure) {
    network.emplace().id = {"j", kNetworkRound, 1};
    network->stage = stage;
    if (stage == WorkStage::Measure) {
      network->built = builtNetwork();
    }
  }
  static tuning::Completion timed(std::vector<tuning::Sample> samples) {
    tuning::Completion completion;
    completion.stage = WorkStage::Measure;
    completion.seconds = 3;
    completion.measurement.samples = std::move(samples);
    return completion;
  }
  static tuning::Completion failed(WorkStage stage, const std::string &message) {
    tuning::Completion completion;
    completion.stage = stage;
    completion.outcome = tuning::Outcome::BuildError;
    completion.message = message;
    return completion;
  }
};

TEST(JobNetwork, TakesATime) {
  NetworkJob job;
  job.takeNetwork(NetworkJob::timed(samplesOf(2000)));
  EXPECT_FALSE(job.network);
  ASSERT_TRUE(job.networkTime);
  EXPECT_DOUBLE_EQ(job.networkTime->us(), 2);
  EXPECT_DOUBLE_EQ(job.networkFactor, 2);
  EXPECT_DOUBLE_EQ(job.deviceSeconds, 3);
}

TEST(JobNetwork, KeepsAnEarlierTimeAfterAFailure) {
  NetworkJob job;
  job.takeNetwork(NetworkJob::timed(samplesOf(2000)));
  job.start(WorkStage::Build);
  job.takeNetwork(NetworkJob::failed(WorkStage::Build, "cannot compile the network: no"));
  EXPECT_DOUBLE_EQ(job.networkTime->us(), 2);
  EXPECT_EQ(job.networkTime->files_size(), 2);
  EXPECT_EQ(job.networkTime->problem(), "cannot compile the network: no");
  job.start();
  job.takeNetwork(NetworkJob::timed(samplesOf(3000)));
  EXPECT_DOUBLE_EQ(job.networkTime->us(), 3);
  EXPECT_EQ(job.networkTime->problem(), "");
}

TEST(JobNetwork, KeepsFilesWithoutATime) {
  NetworkJob job;
  job.takeNetwork(NetworkJob::failed(WorkStage::Measure, "signal 11"));
  EXPECT_EQ(job.networkTime->problem(), "signal 11");
  EXPECT_EQ(job.networkTime->us(), 0);
  ASSERT_EQ(job.networkTime->files_size(), 2);
  EXPECT_EQ(job.networkTime->files(0).blob(), "aa");
}

TEST(JobNetwork, NamesTheBlobsThatItNeeds) {
  NetworkJob job;
  EXPECT_EQ(job.blobs(), (std::vector<std::string>{"m"}));
  job.takeNetwork(NetworkJob::timed(samplesOf(2000)));
  EXPECT_EQ(job.blobs(), (std::vector<std::string>{"m", "aa", "bb"}));
}

TEST(JobNetwork, SaysThatAStageWasLost) {
  NetworkJob job;
  job.takeNetwork(NetworkJob::failed(WorkStage::Measure, ""));
  EXPECT_EQ(job.networkTime->problem(), "it was lost");
  job.start();
  job.takeNetwork(NetworkJob::timed({})); // no sample
  EXPECT_EQ(job.networkTime->problem(), "it was lost");
}

TEST(JobNetwork, RefusesSamplesThatAreNoTimes) {
  struct Case {
    tuning::Sample sample;
    const char *problem;
  };
  for (const Case &one :
       {Case{{0, 5, 5, true}, "a sample has 0 runs in 5 ns; expected at least one run"},
        Case{{1, -5, 5, true}, "a sample has 1 runs in -5 ns; expected at least one run"},
        Case{{10, 0, 0, true}, "a run of the network takes less than 1 ns"},
        Case{{INT64_MAX, 1000, 1000, true}, "a run of the network takes less than 1 ns"}}) {
    for (bool isDefault : {false, true}) {
      NetworkJob job;
      tuning::Completion completion = NetworkJob::timed(samplesOf(2000));
      (isDefault ? completion.defaultMeasurement : completion.measurement).samples = {one.sample};
      job.takeNetwork(completion);
      EXPECT_EQ(job.networkTime->problem(),
                std::string("the result cannot be used: ") + one.problem);
      EXPECT_EQ(job.networkTime->us(), 0);
    }
  }
}

TEST(JobNetwork, RefusesARatioThatIsNotFinite) {
  // All samples are disturbed, so the ratio is that of the CPU times.
  NetworkJob job;
  tuning::Completion completion = NetworkJob::timed({{1, 1000, 1000, false}});
  completion.defaultMeasurement.samples = {{1, 1000, 0, false}};
  job.takeNetwork(completion);
  EXPECT_EQ(job.networkTime->problem(),
            "the result cannot be used: its times have no finite ratio");
  EXPECT_EQ(job.networkTime->ratio(), 0);
}

TEST(JobNetwork, StoresABoundedText) {
  NetworkJob job;
  job.takeNetwork(NetworkJob::failed(WorkStage::Measure, "\xff" + std::string(100000, 'a')));
  EXPECT_LT(job.networkTime->problem().size(), 5000U);
  EXPECT_EQ(job.networkTime->problem().substr(3, 2), "aa"); // U+FFFD first
}

TEST(JobNetwork, SearchesOnIfTheNetworkMissesTheLatency) {
  NetworkJob job(/*latencyUs=*/1.5);
  job.ending = JobEnd{JobState::SLA_MET, "stored"};
  job.takeNetwork(NetworkJob::timed(samplesOf(2000)));
  EXPECT_FALSE(job.ending);
  job.ending = JobEnd{JobState::SLA_MET, "stored"};
  job.start();
  job.takeNetwork(NetworkJob::timed(samplesOf(1000)));
  EXPECT_TRUE(job.ending);
}

TEST(JobNetwork, GivesUpAfterAGracePeriod) {
  NetworkJob job;
  service::scheduler::PoolStatus none, all;
  all.buildSlots = all.devices = 1;
  job.start(WorkStage::Build);
  EXPECT_EQ(job.networkObstacle(none, 100, 60), "");
  EXPECT_EQ(job.networkObstacle(none, 159, 60), "");
  EXPECT_EQ(job.networkObstacle(all, 160, 60), ""); // a builder said hello
  EXPECT_EQ(job.networkObstacle(none, 170, 60), "");
  EXPECT_EQ(job.networkObstacle(none, 230, 60), "no builder is reachable");
  job.start();
  none.buildSlots = 1;
  EXPECT_EQ(job.networkObstacle(none, 300, 60), "");
  EXPECT_EQ(job.networkObstacle(none, 360, 60), "no device of the class is reachable");
  EXPECT_EQ(job.networkObstacle(none, 400, 60), "");
  job.state = JobState::PAUSED; // waits for the user
  EXPECT_EQ(job.networkObstacle(none, 500, 60), "");
}

} // namespace
} // namespace convoy::service
