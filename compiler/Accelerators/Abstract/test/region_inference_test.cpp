// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares region inference with taps counted one by one, and with the C function that the abstract
// device's generator uses for the same purpose.

#include "Graph/Graph.h"
#include "Graph/RegionInference.h"
#include "abstract/layers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace convoy::graph {
namespace {

TEST(RegionInference, WindowsReadWhatTheirTapsRead) {
  std::mt19937 random(1);
  auto between = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
  };
  for (int trial = 0; trial < 5000; ++trial) {
    SlidingWindow window{between(1, 5), between(1, 4), between(1, 3), between(0, 6)};
    int64_t extent = between(1, 20);
    IndexRange outputs{between(0, 6), between(1, 6)};
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (int64_t o = outputs.first; o < outputs.first + outputs.count; ++o) {
      for (int64_t k = 0; k < window.kernel; ++k) {
        int64_t tap = o * window.stride + k * window.dilation - window.padBefore;
        if (tap >= 0 && tap < extent) {
          first = std::min(first, tap);
          last = std::max(last, tap);
        }
      }
    }
    WindowReads reads = readsOfWindow(window, outputs, extent);
    if (first <= last) {
      // Dilated taps leave gaps at the ends, so the range may be wider but never narrower.
      EXPECT_LE(reads.range.first, first);
      EXPECT_GE(reads.range.first + reads.range.count, last + 1);
      bool isDense = window.dilation == 1 && window.stride <= window.kernel;
      if (isDense) {
        EXPECT_EQ(reads.range, (IndexRange{first, last - first + 1}));
      }
    }
    convoy_abstract_window device = convoy_abstract_find_window(
        static_cast<int32_t>(outputs.first), static_cast<int32_t>(outputs.count),
        static_cast<int32_t>(window.kernel), static_cast<int32_t>(window.stride),
        static_cast<int32_t>(window.dilation), static_cast<int32_t>(window.padBefore),
        static_cast<int32_t>(extent));
    if (reads.range.count > 0) {
      EXPECT_EQ((IndexRange{device.first, device.count}), reads.range);
      EXPECT_EQ(device.pad, reads.padBefore);
    }
  }
}

class OnOps : public ::testing::Test {
protected:
  /// Returns the region of an operand for a part of the result of the function's last op.
  Region infer(const std::string &text, unsigned operand, const Region &result) {
    context.loadDialect<GraphDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    if (!module) {
      return {};
    }
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    Operation *op = function.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    return inferOperandRegion(op, operand, result);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const char *const kConv = R"(
func.func @f(%x: tensor<1x8x32x32xf32>, %w: tensor<16x4x3x3xf32>, %b: tensor<16xf32>)
    -> tensor<1x16x32x32xf32> {
  %y = graph.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x8x32x32xf32>, tensor<16x4x3x3xf32>, tensor<16xf32>) -> tensor<1x16x32x32xf32>
  return %y : tensor<1x16x32x32xf32>
})";

TEST_F(OnOps, ConvolutionsHaveHalosAndGroups) {
  Region tile = {{0, 1}, {8, 4}, {10, 5}, {0, 32}};
  EXPECT_EQ(infer(kConv, 0, tile), (Region{{0, 1}, {4, 4}, {9, 7}, {0, 32}}));
  EXPECT_EQ(infer(kConv, 1, tile), (Region{{8, 4}, {0, 4}, {0, 3}, {0, 3}}));
  EXPECT_EQ(infer(kConv, 2, tile), (Region{{8, 4}}));
  Region across = {{0, 1}, {7, 2}, {0, 1}, {31, 1}};
  EXPECT_EQ(infer(kConv, 0, across), (Region{{0, 1}, {0, 8}, {0, 2}, {30, 2}}));
}

TEST_F(OnOps, PoolsKeepTheirChannels) {
  const char *text = R"(
func.func @f(%x: tensor<2x8x8x8xf32>) -> tensor<2x8x4x4xf32> {
  %y, %i = graph.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
      pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false,
      columnMajor = false} : (tensor<2x8x8x8xf32>) -> (tensor<2x8x4x4xf32>, tensor<2x8x4x4xi64>)
  return %y : tensor<2x8x4x4xf32>
})";
  EXPECT_EQ(infer(text, 0, {{1, 1}, {2, 3}, {0, 1}, {2, 2}}),
            (Region{{1, 1}, {2, 3}, {0, 2}, {3, 5}}));
}

TEST_F(OnOps, SumsReadDimensionsOfOneForEveryIndex) {
  const char *text = R"(
func.func @f(%x: tensor<1x8x8x8xf32>, %y: tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32> {
  %z = graph.binary add %x, %y
      : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %z : tensor<1x8x8x8xf32>
})";
  Region tile = {{0, 1}, {2, 3}, {4, 2}, {1, 6}};
  EXPECT_EQ(infer(text, 0, tile), tile);
  EXPECT_EQ(infer(text, 1, tile), (Region{{2, 3}, {0, 1}, {0, 1}}));
}

TEST_F(OnOps, TransposesPermuteAndConcatenationsDivide) {
  const char *transpose = R"(
func.func @f(%x: tensor<1x8x6x3xf32>) -> tensor<1x3x8x6xf32> {
  %y = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>}
      : (tensor<1x8x6x3xf32>) -> tensor<1x3x8x6xf32>
  return %y : tensor<1x3x8x6xf32>
})";
  EXPECT_EQ(infer(transpose, 0, {{0, 1}, {1, 2}, {3, 4}, {5, 1}}),
            (Region{{0, 1}, {3, 4}, {5, 1}, {1, 2}}));
  const char *concat = R"(
func.func @f(%x: tensor<1x3xf32>, %y: tensor<1x5xf32>) -> tensor<1x8xf32> {
  %z = graph.concat %x, %y {axis = 1 : i64}
      : (tensor<1x3xf32>, tensor<1x5xf32>) -> tensor<1x8xf32>
  return %z : tensor<1x8xf32>
})";
  EXPECT_EQ(infer(concat, 0, {{0, 1}, {2, 3}}), (Region{{0, 1}, {2, 1}}));
  EXPECT_EQ(infer(concat, 1, {{0, 1}, {2, 3}}), (Region{{0, 1}, {0, 2}}));
  EXPECT_EQ(infer(concat, 0, {{0, 1}, {5, 3}})[1].count, 0);
}

} // namespace
} // namespace convoy::graph
