// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the tracks that are built from recorded marks, and which targets can be traced.

#include "Support/TypedError.h"
#include "timing/TraceModel.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;
using report::TraceEvent;

namespace {

ModelTrace traceOf(const char *text) {
  std::vector<KernelReport> layers(2);
  layers[0].kernel = "conv_0";
  layers[0].nodes = "'c' (Conv)";
  layers[0].templateId = "conv_direct";
  layers[0].predictedNs = 6500;
  layers[1].kernel = "relu_1";
  layers[1].templateId = "loops";
  layers[1].predictedNs = 100;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value)) << llvm::toString(value.takeError());
  return toModelTrace(*value->getAsObject(), layers);
}

/// Returns "name:category begin end" of each event.
std::vector<std::string> textsOf(const report::TraceTrack &track) {
  std::vector<std::string> texts;
  for (const TraceEvent &event : track.events) {
    texts.push_back(event.name + ":" + event.category + " " + std::to_string(event.beginNs) + " " +
                    std::to_string(event.endNs));
  }
  return texts;
}

TEST(TraceModel, FillsTheTimeOfEachCore) {
  ModelTrace trace = traceOf(R"({
    "runNs": 10000, "runsNs": [9000, 10000, 20000], "tracedMs": [2, 2], "plainMs": [1, 1],
    "threads": [
      {"cpu": 3, "events": [[0, 100, 4100], [-2, 4110, 4130], [-2, 4140, 5150], [1, 6000, 8000]]},
      {"cpu": -1, "events": [[0, 2000, 5000]]}]})");
  ASSERT_EQ(trace.process.tracks.size(), 3u);
  EXPECT_EQ(trace.process.tracks[0].name, "inference");
  EXPECT_EQ(textsOf(trace.process.tracks[0]),
            (std::vector<std::string>{"inference, median of 3:inference 0 10000"}));
  EXPECT_EQ(trace.process.tracks[1].name, "core 0 (CPU 3)");
  // The wait of 20 ns is too short to see.
  EXPECT_EQ(textsOf(trace.process.tracks[1]),
            (std::vector<std::string>{
                "start:runtime 0 100", "'c' (Conv):kernel 100 4100",
                "wait for core 1:wait 4140 5150", "between kernels:runtime 5150 6000",
                "relu_1:kernel 6000 8000", "wait for the other cores:wait 8000 10000"}));
  EXPECT_EQ(trace.process.tracks[2].name, "core 1");
  EXPECT_EQ(textsOf(trace.process.tracks[2]),
            (std::vector<std::string>{"idle:idle 0 2000", "'c' (Conv):kernel 2000 5000",
                                      "idle:idle 5000 10000"}));
}

TEST(TraceModel, ShowsMeasuredAndPredictedTimes) {
  ModelTrace trace = traceOf(R"({
    "runNs": 10000, "runsNs": [9000, 10000, 20000], "tracedMs": [2, 2], "plainMs": [1, 1],
    "threads": [{"cpu": 0, "events": [[0, 100, 4100]]}, {"cpu": 1, "events": [[0, 2000, 5000]]}]})");
  // The kernel ran for 4 us on one core and for 3 us on the other.
  const llvm::json::Object &kernel = trace.process.tracks[1].events[1].facts;
  EXPECT_EQ(kernel.getNumber("measured_us"), 7);
  EXPECT_EQ(kernel.getNumber("predicted_us"), 6.5);
  EXPECT_EQ(kernel.getInteger("calls"), 2);
  EXPECT_EQ(kernel.getString("template"), "conv_direct");
  EXPECT_EQ(kernel.getString("nodes"), "'c' (Conv)");
  const llvm::json::Object &run = trace.process.tracks[0].events[0].facts;
  EXPECT_EQ(run.getString("shown"), "the median of 3 inferences");
  EXPECT_EQ(run.getNumber("measured_us"), 10);
  EXPECT_EQ(run.getNumber("min_us"), 9);
  EXPECT_EQ(run.getNumber("max_us"), 20);
  EXPECT_EQ(run.getNumber("without_trace_us"), 1000);
  EXPECT_EQ(run.getNumber("overhead"), 1);
  trace.process.name = "net";
  EXPECT_EQ(traceSummary("t.json", trace),
            "wrote t.json: net, inference of 0.0100 ms, the median of 3; tracing costs 100.0 %\n");
}

TEST(TraceModel, AModelOnOneThreadEndsWithTheRuntime) {
  ModelTrace trace = traceOf(R"({"runNs": 500, "runsNs": [500], "tracedMs": [1], "plainMs": [],
    "threads": [{"cpu": 0, "events": [[1, 10, 490]]}]})");
  EXPECT_EQ(textsOf(trace.process.tracks[1]),
            (std::vector<std::string>{"start:runtime 0 10", "relu_1:kernel 10 490",
                                      "end:runtime 490 500"}));
  EXPECT_FALSE(trace.process.tracks[0].events[0].facts.get("overhead"));
  trace.process.name = "net";
  EXPECT_EQ(traceSummary("t.json", trace),
            "wrote t.json: net, inference of 0.0005 ms, the median of 1\n");
}

TEST(TraceModel, SaysWhichTargetsCannotBeTraced) {
  TargetRequest target;
  EXPECT_FALSE(checkTraced(target));
  target.name = "reference";
  llvm::Error error = checkTraced(target);
  EXPECT_EQ(kindOf(error), ProblemKind::Unsupported);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "not supported: --trace with --target reference: it is no CPU; a trace measures code "
            "that this CPU runs, for example --target host");
}

} // namespace
