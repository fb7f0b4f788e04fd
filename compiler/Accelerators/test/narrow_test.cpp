// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an f32 graph on a device that computes in f16. The result must equal the f16 layers on the
// reference and be close to the f32 graph.

#include "Accelerators/RegionLayers.h"
#include "ConvCore/ConvCore.h"
#include "DeviceCase.h"
#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Place/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

// A convolution with scale and relu, a pool and a sum: ops that fuse and ops that do not.
constexpr llvm::StringLiteral kGraph = R"(
func.func @main(%x: tensor<1x8x12x12xf32>) -> tensor<1x8x6x6xf32> {
  %k = graph.constant dense<0.0321> : tensor<8x8x3x3xf32>
  %s = graph.constant dense<[[[[0.3]],[[0.7]],[[1.1]],[[1.3]],[[0.9]],[[0.2]],[[1.7]],[[0.6]]]]> : tensor<1x8x1x1xf32>
  %0 = graph.conv %x, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x8x12x12xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x12x12xf32>
  %1 = graph.binary mul %0, %s : (tensor<1x8x12x12xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x12x12xf32>
  %2 = graph.unary relu %1 : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %3 = graph.binary add %2, %x : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %4 = graph.average_pool %3 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false, countIncludePad = false} : (tensor<1x8x12x12xf32>) -> tensor<1x8x6x6xf32>
  return %4 : tensor<1x8x6x6xf32>
})";

class NarrowCase : public ::testing::Test {
protected:
  NarrowCase() {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect,
                        kernels::KernelDialect>();
    module = parseSourceString<ModuleOp>(kGraph, &context);
    device = std::move(*findAccelerator("example:type=float16"));
  }

  /// Returns numbers that f16 cannot represent exactly.
  static Tensor manyDigits(ElementType type) {
    Tensor tensor(type, {1, 8, 12, 12});
    std::mt19937 random(7);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.setDouble(i, static_cast<double>(static_cast<int>(random() % 20001) - 10000) / 7919);
    }
    return tensor;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Accelerator> device;
};

TEST_F(NarrowCase, EqualsItsLayersAndIsNearF32) {
  ASSERT_TRUE(module && device);
  std::vector<reference::Datum> wide = {manyDigits(ElementType::F32)};
  auto exact = reference::run(module->lookupSymbol<func::FuncOp>("main"), wide);
  ASSERT_TRUE(succeeded(exact));

  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(
      place::createSplitRegionsPass({std::string("example:type=float16")}));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  graph::KernelOp kernel;
  module->walk([&](graph::KernelOp found) { kernel = found; });
  ASSERT_TRUE(kernel);
  FailureOr<func::FuncOp> layers = layersOf(kernel, *module, *device);
  ASSERT_TRUE(succeeded(layers));

  std::vector<Tensor> inputs = {manyDigits(ElementType::F16)};
  std::vector<reference::Datum> data = {inputs.front()};
  auto results = runOnDevice(*layers, *device, inputs);
  auto expected = reference::run(*layers, data);
  ASSERT_TRUE(succeeded(results) && succeeded(expected));
  const Tensor &actual = results->front();
  const Tensor &right = expected->front().tensor;
  ASSERT_EQ(actual.type(), ElementType::F16);
  ASSERT_EQ(actual.bytes(), right.bytes());
  EXPECT_EQ(std::memcmp(actual.raw(), right.raw(), right.bytes()), 0);

  // Three roundings of 2^-11 and the rounded inputs: the result differs from f32 but is close.
  const Tensor &f32 = exact->front().tensor;
  double worst = 0;
  double largest = 0;
  for (int64_t i = 0; i < f32.size(); ++i) {
    worst = std::max(worst, std::abs(actual.asDouble(i) - f32.asDouble(i)));
    largest = std::max(largest, std::abs(f32.asDouble(i)));
  }
  EXPECT_GT(worst, largest * 1e-5);
  EXPECT_LT(worst, largest * 4 / 2048);
}

TEST_F(NarrowCase, AsksTheTableInTheDevicesType) {
  ASSERT_TRUE(module && device);
  const Capabilities &table = device->capabilities();
  OpBuilder builder(&context);
  auto type = RankedTensorType::get({1, 2, 3, 3}, builder.getF32Type());
  auto function =
      func::FuncOp::create(UnknownLoc::get(&context), "f", builder.getFunctionType({type}, {type}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Value x = function.getArgument(0);
  Operation *sum =
      builder.create<convcore::EltwiseOp>(function.getLoc(), type, x, x, convcore::EltwiseKind::Add,
                                          0, 0, 1, 1, convcore::ActAttr(), convcore::RequantAttr());
  EXPECT_FALSE(table.refuse(sum, ElementType::F16));
  std::optional<Refusal> refusal = table.refuse(sum, ElementType::F32);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "eltwise has element type float; the device supports float16");
  function.erase();
}

} // namespace
