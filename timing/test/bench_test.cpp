// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which benchmark a target has, which options the benchmark refuses, and the order of layers.

#include "timing/Bench.h"
#include "timing/BenchReport.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;

namespace {

llvm::Expected<std::unique_ptr<Bench>> benchOf(const std::string &name,
                                               const BenchOptions &options) {
  TargetRequest request;
  request.name = name;
  return benchFor(llvm::cantFail(driver::resolveTarget(request, /*isForMemory=*/true)), options);
}

std::string refusal(const std::string &name, const BenchOptions &options) {
  return llvm::cantFail(benchOf(name, options))->check().firstError();
}

TEST(Bench, FollowsTheBackEndOfTheTarget) {
  EXPECT_EQ(llvm::cantFail(benchOf("host", {}))->emit(), Emit::Library);
  EXPECT_EQ(llvm::cantFail(benchOf("cortex-m4", {}))->json(), "[]\n");
  EXPECT_EQ(llvm::toString(benchOf("c", {}).takeError()).find("target 'c' cannot be measured: "),
            0U);
  BenchOptions page;
  page.report = "page.html";
  EXPECT_EQ(refusal("cortex-m4", page), "");
  for (const std::string name : {"host", "abstract"}) {
    EXPECT_EQ(refusal(name, page), "--report expects a microcontroller as --target, got '" + name +
                                       "'; `convoy targets` lists the targets");
  }
}

TEST(Bench, RefusesOptionsOfOtherMethods) {
  BenchOptions streams;
  streams.streams = 2;
  EXPECT_EQ(refusal("host", streams), "");
  EXPECT_EQ(refusal("cortex-m4", streams).find("--target cortex-m4 is a microcontroller: "), 0U);
  EXPECT_EQ(refusal("abstract", streams).find("--target abstract is a device: "), 0U);
  BenchOptions several;
  several.models = 2;
  several.hasInputs = true;
  EXPECT_EQ(refusal("host", several), "--input is the data of one model, got 2 models");
  EXPECT_EQ(refusal("cortex-m4", several), "--input and --report need one model, got 2 models");
}

TEST(Bench, PrintsTheSlowestLayerFirst) {
  LayerReport report;
  report.model = "net";
  for (double ms : {1.0, 3.0, 1.0, 2.0}) {
    report.rows.emplace_back();
    report.rows.back().layer.kernel = "kernel_" + std::to_string(report.rows.size());
    report.rows.back().ms = ms;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  printLayers(os, report);
  std::vector<size_t> places;
  for (const char *kernel : {"kernel_2", "kernel_4", "kernel_1", "kernel_3", "all kernels"}) {
    places.push_back(text.find(kernel));
  }
  EXPECT_TRUE(llvm::is_sorted(places)) << text;
  EXPECT_NE(places.back(), std::string::npos) << text;
  // The number of a layer is its place in the execution.
  EXPECT_NE(text.find("\n2  3.0"), std::string::npos) << text;
}

} // namespace
