// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages survive their JSON form; invalid messages are refused with a reason.

#include "service/queue/Messages.h"
#include "service/queue/NatsConnection.h"
#include "service/queue/WorkerRegistry.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace convoy::service;
using namespace convoy::tuning;

namespace {

TEST(Messages, work_survives) {
  WorkMessage work;
  work.stage = WorkStage::Measure;
  work.trial = "job/3/4";
  work.attempt = 2;
  work.epoch = 7;
  work.issue = 1;
  work.deviceClass = "xeon";
  work.taskKey = "abc";
  work.configuration = {"conv_direct", 3, "#kernel.x<a = 1>", "planar", "#graph.blocked<c = 16>"};
  work.plan.policy = Policy::Warm;
  work.plan.giveUpNs = 12.5;
  work.candidate = {"id", "sha256:1", "c0", 64, {{"sha256:2", 10}}, {{20, "sha256:3"}}};
  llvm::Expected<WorkMessage> read = workFromText(toText(work));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(toText(*read), toText(work));
  EXPECT_EQ(read->configuration, work.configuration);
  EXPECT_EQ(read->candidate.inputs[0].file, "sha256:2");
  EXPECT_EQ(read->candidate.outputs[0].expected, "sha256:3");
}

TEST(Messages, results_survive) {
  ResultMessage result;
  result.token = {7, 2, 1, 3};
  result.completion.stage = WorkStage::Measure;
  result.completion.trial = "job/3/4";
  result.completion.outcome = Outcome::TimeOut;
  result.completion.message = "took too long: \xff";
  result.completion.worker = "agent";
  result.completion.measurement.samples = {{10, 2000, 1900, true}, {1, 500, 100, false}};
  result.completion.measurement.sentinelNs = 123;
  result.celsius = 45.5;
  llvm::Expected<ResultMessage> read = resultFromText(toText(result));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(toText(*read), toText(*resultFromText(toText(*read))));
  EXPECT_EQ(read->token.fields(), result.token.fields());
  EXPECT_EQ(read->completion.attempt, 2);
  EXPECT_EQ(read->completion.measurement.outcome, Outcome::TimeOut);
  EXPECT_EQ(read->completion.measurement.samples.size(), 2u);
  EXPECT_EQ(read->completion.measurement.samples[0].wallNs, 2000);
  EXPECT_FALSE(read->completion.measurement.samples[1].isClean);
  EXPECT_EQ(read->celsius, 45.5);
}

TEST(Messages, networks_survive) {
  WorkMessage work;
  work.stage = WorkStage::Build;
  work.trial = "job/1/1";
  work.taskKey = work.model = "abc";
  work.bestBlob = "def";
  llvm::Expected<WorkMessage> build = workFromText(toText(work));
  ASSERT_TRUE(static_cast<bool>(build)) << llvm::toString(build.takeError());
  EXPECT_EQ(build->model, "abc");
  EXPECT_EQ(build->bestBlob, "def");
  work.stage = WorkStage::Measure;
  work.byDefault.library = "sha256:1";
  llvm::Expected<WorkMessage> measure = workFromText(toText(work));
  ASSERT_TRUE(static_cast<bool>(measure));
  EXPECT_EQ(measure->byDefault.library, "sha256:1");

  ResultMessage result;
  result.completion.stage = WorkStage::Build;
  result.completion.trial = "job/1/1";
  BuiltNetwork &network = result.completion.network.emplace();
  network.byDefault.library = "sha256:1";
  network.files = {{"m.so", "sha256:2", 5}};
  network.defaultFiles = {{"m.so", "sha256:1", 6}};
  llvm::Expected<ResultMessage> read = resultFromText(toText(result));
  ASSERT_TRUE(static_cast<bool>(read));
  ASSERT_TRUE(read->completion.network);
  EXPECT_EQ(read->completion.network->byDefault.library, "sha256:1");
  EXPECT_EQ(read->completion.network->files[0].name, "m.so");
  EXPECT_EQ(read->completion.network->defaultFiles[0].bytes, 6);
  result.completion.stage = WorkStage::Measure;
  result.completion.defaultMeasurement.samples = {{10, 2000, 1900, true}};
  read = resultFromText(toText(result));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(read->completion.defaultMeasurement.samples[0].wallNs, 2000);
  EXPECT_FALSE(read->completion.network);
}

TEST(Messages, best_configurations_survive) {
  BestByTask best;
  best["key"].configurations = {{"#kernel.x<a = 1>", "#graph.blocked<c = 16>", 12.5}, {"", "", 3}};
  llvm::Expected<BestByTask> read = bestFromText(bestToText(best));
  ASSERT_TRUE(static_cast<bool>(read));
  EXPECT_EQ(bestToText(*read), bestToText(best));
  EXPECT_EQ((*read)["key"].configurations[0].input, "#graph.blocked<c = 16>");
  EXPECT_EQ(llvm::toString(bestFromText("[]").takeError()),
            "a list of the fastest configurations is not a JSON object: '[]'");
}

TEST(Messages, invalid_texts_are_refused) {
  auto problem = [](auto read) { return llvm::toString(read.takeError()); };
  EXPECT_EQ(problem(workFromText("[1]")), "a work message is not a JSON object: '[1]'");
  EXPECT_EQ(problem(workFromText(R"({"stage": "paint"})")),
            "a work message has the stage 'paint', expected 'build' or 'measure'");
  EXPECT_EQ(problem(workFromText(R"({"stage": "build", "trial": 3})")),
            "a work message has no valid field 'trial'");
  EXPECT_EQ(problem(resultFromText(R"({"stage": "build", "trial": "t", "epoch": 1, "attempt": 1,
                                       "delivery": 1, "outcome": "fine"})")),
            "a result has the unknown outcome 'fine'");
  EXPECT_EQ(problem(startedFromText(R"({"stage": "build", "trial": "t", "epoch": "x"})")),
            "an announcement has no valid field 'epoch'");
  EXPECT_EQ(problem(helloFromJson(R"({"name": "a"})")), "a hello has no valid field 'role'");
}

TEST(Messages, subjects_have_no_special_characters) {
  EXPECT_EQ(subjectToken("xeon-1"), "xeon-1");
  EXPECT_EQ(subjectToken("a.b*c> d"), "a_b_c__d");
  EXPECT_EQ(subjectToken(""), "_");
}

WorkerHello helloOf(const std::string &name, const std::string &role, const std::string &kind) {
  WorkerHello hello;
  hello.name = name;
  hello.role = role;
  hello.deviceClass = kind;
  return hello;
}

TEST(WorkerRegistry, counts_the_workers_that_take_work) {
  WorkerRegistry registry(10);
  registry.hear(helloOf("b", "builder", ""), 0);
  registry.hear(helloOf("a0", "agent", "xeon"), 0);
  registry.hear(helloOf("a1", "agent", "xeon"), 5);
  EXPECT_EQ(registry.capacity(6).builds, 1);
  EXPECT_EQ(registry.capacity(6).devices["xeon"], 2);
  EXPECT_EQ(registry.capacity(12).devices["xeon"], 1) << "a0 was heard 12 s ago";
  EXPECT_EQ(registry.leases(12).devices["xeon"], 2) << "a0 may still hold a lease";
  registry.setState("a1", WorkerState::Drain);
  EXPECT_EQ(registry.capacity(6).devices["xeon"], 1);
  EXPECT_EQ(registry.hear(helloOf("a1", "agent", "xeon"), 6), WorkerState::Drain);
  WorkerHello drifting = helloOf("a0", "agent", "xeon");
  drifting.isQuarantined = true;
  registry.hear(drifting, 6);
  EXPECT_EQ(registry.capacity(7).devices.count("xeon"), 0u);
  EXPECT_EQ(registry.list(7).size(), 3u);
}

TEST(WorkerRegistry, states_survive_a_hello_that_comes_later) {
  WorkerRegistry registry(10);
  registry.setState("a", WorkerState::Quarantine);
  EXPECT_TRUE(registry.list(0).empty());
  EXPECT_EQ(registry.hear(helloOf("a", "agent", "xeon"), 0), WorkerState::Quarantine);
  EXPECT_EQ(workerStateFromName("quarantine"), WorkerState::Quarantine);
  EXPECT_EQ(workerStateFromName("asleep"), std::nullopt);
}

} // namespace
