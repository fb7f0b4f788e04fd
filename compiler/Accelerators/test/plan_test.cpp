// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks which ops a plan assigns to the example device, in which regions, and the reasons for all
// other ops.

#include "Accelerators/Registry.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "Place/CpuEstimate.h"
#include "Place/DevicePlan.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;

namespace {

class PlanCase {
public:
  explicit PlanCase(const std::string &ops) {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    std::string t = "tensor<1x2x3x3xf32>";
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: " + t + ") -> " + t + " {\n" + ops + "\n}", &context);
    device = std::move(*accelerators::findAccelerator("example"));
    plan.emplace(module->lookupSymbol<func::FuncOp>("main"), *device);
  }

  const place::Placement &at(size_t i) const { return plan->placements()[i]; }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<accelerators::Accelerator> device;
  std::optional<place::DevicePlan> plan;
};

const std::string kUnary = " : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>\n";
const std::string kBinary =
    " : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>\n";

TEST(Plan, FusesAndNamesTheRest) {
  PlanCase test("%0 = graph.binary add %x, %x" + kBinary + "%1 = graph.unary relu %0" + kUnary +
                "%2 = graph.unary erf %1" + kUnary + "return %2 : tensor<1x2x3x3xf32>");
  EXPECT_EQ(test.plan->regionCount(), 1);
  EXPECT_EQ(test.at(0).region, 0);
  EXPECT_EQ(test.at(0).fusedWith, (std::vector<int64_t>{0, 1}));
  EXPECT_GT(test.at(0).deviceNs, 0);
  EXPECT_EQ(test.at(2).region, -1);
  EXPECT_EQ(test.at(2).refusal.reason, "convcore has no op for erf");
}

TEST(Plan, RegionsDoNotWaitForThemselves) {
  // 0 and 2 are on the device, but 2 also needs 1, which is not.
  PlanCase test("%0 = graph.binary add %x, %x" + kBinary + "%1 = graph.unary erf %0" + kUnary +
                "%2 = graph.binary mul %0, %1" + kBinary + "return %2 : tensor<1x2x3x3xf32>");
  EXPECT_EQ(test.plan->regionCount(), 2);
  EXPECT_NE(test.at(0).region, test.at(2).region);
  EXPECT_EQ(test.plan->opsOf(0).size(), 1U);
}

TEST(Plan, WhatIsRefusedFusedIsTakenApart) {
  // The device has no sigmoid activation, but the sum before it is still a layer.
  PlanCase test("%0 = graph.binary add %x, %x" + kBinary + "%1 = graph.unary sigmoid %0" + kUnary +
                "return %1 : tensor<1x2x3x3xf32>");
  EXPECT_EQ(test.at(0).region, 0);
  EXPECT_EQ(test.at(1).region, -1);
  EXPECT_EQ(test.at(1).refusal.reason, "the device does not support activation");
}

TEST(Plan, MovementAloneStays) {
  PlanCase test("%0 = graph.transpose %x {perm = array<i64: 0, 1, 3, 2>}" + kUnary +
                "return %0 : tensor<1x2x3x3xf32>");
  EXPECT_EQ(test.plan->regionCount(), 0);
}

TEST(Plan, EstimatesTheCpu) {
  PlanCase test("%0 = graph.binary add %x, %x" + kBinary + "return %0 : tensor<1x2x3x3xf32>");
  // 3 tensors of 18 floats at 8 bytes per nanosecond.
  EXPECT_DOUBLE_EQ(place::estimateCpuNs(test.at(0).op), 27);
}

} // namespace
