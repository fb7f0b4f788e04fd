// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the error of normalization by fitted tables. The reference runs the integer graph that
// the quantize stage produces.

#include "Graph/TableNormalization.h"
#include "Quantize/ByteTables.h"
#include "Quantize/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace convoy;

namespace {

struct Normalization {
  int64_t size;
  double alpha, beta, bias;
};

struct Scaling {
  double scale;
  int64_t zeroPoint;
};

// AlexNet and CaffeNet; the same with a bias of 2; one with 30 times the curvature.
constexpr Normalization kAlexNet{5, 1e-4, 0.75, 1}, kWithTwo{5, 1e-4, 0.75, 2},
    kSteep{3, 0.5, 0.9, 1};
constexpr int64_t kChannels = 32, kPixels = 64;

std::string textOf(const Normalization &lrn, Scaling in, Scaling out) {
  const char *form = R"(func.func @main(%x: tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8> {{
  %sx = graph.constant dense<{0:E}> : tensor<f32>
  %zx = graph.constant dense<{1}> : tensor<i8>
  %sy = graph.constant dense<{2:E}> : tensor<f32>
  %zy = graph.constant dense<{3}> : tensor<i8>
  %0 = graph.dequantize_linear %x, %sx, %zx {{to = f32, axis = 0 : i64} : (tensor<1x32x8x8xi8>, tensor<f32>, tensor<i8>) -> tensor<1x32x8x8xf32>
  %1 = graph.lrn %0 {{size = {4} : i64, alpha = {5:E} : f64, beta = {6:E} : f64, bias = {7:E} : f64} : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %2 = graph.quantize_linear %1, %sy, %zy {{to = i8, axis = 0 : i64} : (tensor<1x32x8x8xf32>, tensor<f32>, tensor<i8>) -> tensor<1x32x8x8xi8>
  return %2 : tensor<1x32x8x8xi8>
})";
  return llvm::formatv(form, in.scale, in.zeroPoint, out.scale, out.zeroPoint, lrn.size, lrn.alpha,
                       lrn.beta, lrn.bias)
      .str();
}

/// Returns dark and bright pixels.
Tensor pixels() {
  Tensor input(ElementType::I8, {1, kChannels, 8, 8});
  std::mt19937 random(3);
  for (int64_t p = 0; p < kPixels; ++p) {
    int64_t spread = int64_t(1) << (p % 8 + 1);
    for (int64_t c = 0; c < kChannels; ++c) {
      input.setInt(c * kPixels + p, static_cast<int64_t>(random() % spread) - spread / 2);
    }
  }
  return input;
}

double exact(const Normalization &lrn, const Tensor &input, Scaling in, int64_t i) {
  int64_t channel = i / kPixels;
  auto realAt = [&](int64_t c) {
    auto steps = static_cast<double>(input.asInt(i + (c - channel) * kPixels) - in.zeroPoint);
    return steps * in.scale;
  };
  double sum = 0;
  for (int64_t c = std::max<int64_t>(channel - lrn.size / 2, 0);
       c <= std::min(channel + lrn.size / 2, kChannels - 1); ++c) {
    sum += realAt(c) * realAt(c);
  }
  return realAt(channel) /
         std::pow(lrn.bias + lrn.alpha / static_cast<double>(lrn.size) * sum, lrn.beta);
}

/// Returns the largest distance of the result from the exact value, in steps. An ideal result has
/// 0.5, from the last rounding.
double worstSteps(const Normalization &lrn, Scaling in, Scaling out,
                  const quantize::Arithmetic &arithmetic) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(textOf(lrn, in, out), &context);
  quantize::QuantizeOptions options;
  options.isInteger = true;
  options.arithmetic = arithmetic;
  PassManager passes(&context);
  quantize::addQuantizePasses(passes, options);
  if (!module || failed(passes.run(*module))) {
    ADD_FAILURE() << "no integer graph";
    return 0;
  }
  auto main = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_TRUE(main.getBody().getOps<graph::LRNOp>().empty());
  EXPECT_EQ(arithmetic.shortTable == 0, main.getBody().getOps<graph::IntegerLRNOp>().empty());
  Tensor input = pixels();
  auto results = reference::run(main, {reference::Datum(input)});
  EXPECT_TRUE(succeeded(results));
  double worst = 0;
  for (int64_t i = 0; i < input.size(); ++i) {
    double right = exact(lrn, input, in, i) / out.scale + static_cast<double>(out.zeroPoint);
    auto actual = static_cast<double>(results->front().tensor.asInt(i));
    worst = std::max(worst, std::abs(actual - std::clamp(right, -128.0, 127.0)));
  }
  return worst;
}

TEST(IntegerNormalization, IsWithinTheLastRounding) {
  quantize::Arithmetic wide;
  wide.multiplierBits = 15;
  wide.rounding = graph::ShiftRounding::HalfAway;
  wide.shortTable = 64;
  wide.longTable = 256;
  EXPECT_LE(worstSteps(kAlexNet, {0.5, 0}, {0.5, 0}, wide), 0.52);
  // Sums reach far into the nonlinear range.
  EXPECT_LE(worstSteps(kAlexNet, {8, 0}, {3, 0}, wide), 0.6);
  EXPECT_LE(worstSteps(kWithTwo, {4, -128}, {2, -100}, wide), 0.6);
  EXPECT_LE(worstSteps(kWithTwo, {0.02, 5}, {0.02, 3}, wide), 0.52);
  EXPECT_LE(worstSteps(kSteep, {0.1, 0}, {0.01, 0}, wide), 0.65);
}

// Two factors of 8 bits. Sums above the assumed range saturate, which is the largest error: random
// pixels reach sums that images rarely have.
TEST(IntegerNormalization, BytesAreLessPrecise) {
  quantize::Arithmetic bytes;
  bytes.multiplierBits = 8;
  bytes.rounding = graph::ShiftRounding::HalfUp;
  bytes.hasByteTables = true;
  EXPECT_LE(worstSteps(kAlexNet, {0.5, 0}, {0.5, 0}, bytes), 12);
  EXPECT_LE(worstSteps(kAlexNet, {8, 0}, {8, 0}, bytes), 12);
}

// ONNC's test of BM1880's lrn (test/onnc/TG/bm188x/lrn.s) states its calibration, both tables and
// the multipliers. The first and the last entries that are not saturated, and the sums of all
// entries, are those of that test.
TEST(IntegerNormalization, ByteTablesAreThePublishedOnes) {
  quantize::ByteRanges ranges{636.08325, 1.8825117, 1.1900998, 1.0004892, 138.79416};
  auto tables = quantize::byteTables(ranges, {1e-4 / 5, 0.75, 1});
  ASSERT_TRUE(tables.has_value());
  EXPECT_EQ(tables->squares[2], 0);
  EXPECT_EQ(tables->squares[3], 1);
  EXPECT_EQ(tables->squares[61], 0xfa);
  EXPECT_EQ(tables->squares[62], 0xff);
  EXPECT_EQ(std::accumulate(tables->squares.begin(), tables->squares.end(), 0), 54677);
  EXPECT_EQ(tables->factors[1], 0xff);
  EXPECT_EQ(tables->factors[2], 0xfe);
  EXPECT_EQ(tables->factors[128], 0xb4);
  EXPECT_EQ(tables->factors[255], 0x8e);
  EXPECT_EQ(std::accumulate(tables->factors.begin(), tables->factors.end(), 0), 47721);
  EXPECT_EQ(tables->sum.multiplier, 202);
  EXPECT_EQ(tables->sum.shift, 7);
  EXPECT_EQ(tables->product.multiplier, 147);
  EXPECT_EQ(tables->product.shift, 13);
}

} // namespace
