// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests ops that exceed the memory or time limit of a run, including ops with several results of
// which one is too large. The reference reports an error and writes nothing.

#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy {
namespace {

constexpr int64_t kMaxBytes = 1 << 16;
constexpr int64_t kMaxTerms = 1000;
constexpr const char *kTooLarge = "requires a tensor of more than 65536 bytes";

/// Runs a function, given as text, within the limits. Returns the first error, or "" if the
/// function runs.
std::string errorOf(const std::string &text, ArrayRef<reference::Datum> inputs,
                    reference::Datum *output = nullptr) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error = error.empty() ? diagnostic.str() : error;
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    return "does not parse: " + error;
  }
  reference::RunOptions options;
  options.maxTensorBytes = kMaxBytes;
  options.maxTerms = kMaxTerms;
  auto result = reference::run(*module->getOps<func::FuncOp>().begin(), inputs, options);
  EXPECT_EQ(failed(result), !error.empty());
  if (output && succeeded(result)) {
    *output = result->front();
  }
  return error;
}

/// Returns the bytes 0, 1, ... 255, 0, ...
Tensor bytes(int64_t count) {
  Tensor result(ElementType::U8, {count});
  for (int64_t i = 0; i < count; ++i) {
    result.setInt(i, i % 256);
  }
  return result;
}

Tensor texts(int64_t count, const std::string &text) {
  Tensor result(ElementType::String, {count});
  result.mutableStrings().assign(count, text);
  return result;
}

void expectTooLarge(const std::string &error) {
  EXPECT_NE(error.find(kTooLarge), std::string::npos) << error;
}

// Positions take eight times the memory of the bytes they refer to.

TEST(RunLimits, TopK) {
  std::string text = "func.func @f(%x: tensor<?xui8>, %k: tensor<1xi64>) -> tensor<?xui8> {"
                     "  %v, %i = graph.top_k %x, %k {axis = 0 : i64, largest = true, sorted = true}"
                     "      : (tensor<?xui8>, tensor<1xi64>) -> (tensor<?xui8>, tensor<?xi64>)"
                     "  return %v : tensor<?xui8> }";
  EXPECT_EQ(errorOf(text, {bytes(8000), Tensor::vector({8000})}), "");
  expectTooLarge(errorOf(text, {bytes(60000), Tensor::vector({60000})}));
}

TEST(RunLimits, Unique) {
  std::string text = "func.func @f(%x: tensor<?xui8>) -> tensor<?xui8> {"
                     "  %v, %i, %inverse, %n = graph.unique %x {sorted = true} : (tensor<?xui8>)"
                     "      -> (tensor<?xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)"
                     "  return %v : tensor<?xui8> }";
  EXPECT_EQ(errorOf(text, {bytes(8000)}), "");
  expectTooLarge(errorOf(text, {bytes(60000)}));
}

TEST(RunLimits, NonMaxSuppression) {
  std::string text =
      "func.func @f(%b: tensor<1x?x4xf32>, %s: tensor<1x1x?xf32>, %n: tensor<i64>)"
      "    -> tensor<?x3xi64> {"
      "  %r = graph.non_max_suppression %b, %s, %n {boxesAreCentered = false,"
      "      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}"
      "      : (tensor<1x?x4xf32>, tensor<1x1x?xf32>, tensor<i64>) -> tensor<?x3xi64>"
      "  return %r : tensor<?x3xi64> }";
  auto run = [&](int64_t count) {
    Tensor boxes(ElementType::F32, {1, count, 4}); // adjacent unit squares
    for (int64_t i = 0; i < count; ++i) {
      boxes.setInt(i * 4, i);
      boxes.setInt(i * 4 + 2, i + 1);
      boxes.setInt(i * 4 + 3, 1);
    }
    Tensor limit = Tensor::scalar(ElementType::I64, count);
    return errorOf(text, {boxes, Tensor(ElementType::F32, {1, 1, count}), limit});
  };
  EXPECT_EQ(run(2000), "");
  expectTooLarge(run(4000));
}

TEST(RunLimits, StringSplit) {
  std::string text = "func.func @f(%x: tensor<?x!graph.string>) -> tensor<?x?x!graph.string> {"
                     "  %v, %n = graph.string_split %x : (tensor<?x!graph.string>)"
                     "      -> (tensor<?x?x!graph.string>, tensor<?xi64>)"
                     "  return %v : tensor<?x?x!graph.string> }";
  EXPECT_EQ(errorOf(text, {texts(100, "a b")}), "");
  expectTooLarge(errorOf(text, {texts(60000, "")}));
}

TEST(RunLimits, StringConcat) {
  std::string text = "func.func @f(%x: tensor<?x!graph.string>) -> tensor<?x!graph.string> {"
                     "  %r = graph.string_concat %x, %x"
                     "      : (tensor<?x!graph.string>, tensor<?x!graph.string>)"
                     "      -> tensor<?x!graph.string>"
                     "  return %r : tensor<?x!graph.string> }";
  EXPECT_EQ(errorOf(text, {texts(2, std::string(10000, 'a'))}), "");
  expectTooLarge(errorOf(text, {texts(2, std::string(20000, 'a'))}));
}

TEST(RunLimits, RecurrentBatch) {
  std::string text =
      "func.func @f(%x: tensor<0x?x1xf32>, %w: tensor<1x1x1xf32>, %r: tensor<1x1x1xf32>)"
      "    -> tensor<*xf32> {"
      "  %y, %h = graph.rnn %x, %w, %r {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>,"
      "      hiddenSize = 1 : i64, direction = \"forward\", activations = [\"tanh\"],"
      "      activationAlpha = array<f64: 0.0>, activationBeta = array<f64: 0.0>,"
      "      clip = 0.0 : f64}"
      "      : (tensor<0x?x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)"
      "      -> (tensor<*xf32>, tensor<*xf32>)"
      "  return %h : tensor<*xf32> }";
  Tensor weight(ElementType::F32, {1, 1, 1});
  EXPECT_EQ(errorOf(text, {Tensor(ElementType::F32, {0, 2, 1}), weight, weight}), "");
  expectTooLarge(
      errorOf(text, {Tensor(ElementType::F32, {0, int64_t(1) << 40, 1}), weight, weight}));
}

void expectTooSlow(const std::string &error) {
  EXPECT_NE(error.find("the limit of the reference interpreter is 1000"), std::string::npos)
      << error;
}

TEST(RunLimits, EinsumTerms) {
  std::string text =
      "func.func @f(%x: tensor<?xf32>) -> tensor<f32> {"
      "  %r = graph.einsum %x, %x {equation = \"a,b->\"} : (tensor<?xf32>, tensor<?xf32>)"
      "      -> tensor<f32>"
      "  return %r : tensor<f32> }";
  EXPECT_EQ(errorOf(text, {Tensor(ElementType::F32, {30})}), "");
  expectTooSlow(errorOf(text, {Tensor(ElementType::F32, {40})}));
}

TEST(RunLimits, FourierTerms) {
  std::string text = "func.func @f(%x: tensor<1x?x1xf32>) -> tensor<1x?x2xf32> {"
                     "  %r = graph.dft %x {inverse = false, onesided = false,"
                     "      operandSegmentSizes = array<i32: 1, 0, 0>}"
                     "      : (tensor<1x?x1xf32>) -> tensor<1x?x2xf32>"
                     "  return %r : tensor<1x?x2xf32> }";
  EXPECT_EQ(errorOf(text, {Tensor(ElementType::F32, {1, 64, 1})}), "");
  expectTooSlow(errorOf(text, {Tensor(ElementType::F32, {1, 61, 1})})); // a prime
}

TEST(RunLimits, RegionSamples) {
  std::string text =
      "func.func @f(%x: tensor<1x1x2x2xf32>, %r: tensor<?x4xf32>, %b: tensor<?xi64>)"
      "    -> tensor<?x1x1x1xf32> {"
      "  %y = graph.roi_align %x, %r, %b {outputHeight = 1 : i64, outputWidth = 1 : i64,"
      "      samplingRatio = 20 : i64, spatialScale = 1.0 : f64, halfPixel = false,"
      "      takesMax = false} : (tensor<1x1x2x2xf32>, tensor<?x4xf32>, tensor<?xi64>)"
      "      -> tensor<?x1x1x1xf32>"
      "  return %y : tensor<?x1x1x1xf32> }";
  auto run = [&](int64_t regions) {
    return errorOf(text,
                   {Tensor(ElementType::F32, {1, 1, 2, 2}), Tensor(ElementType::F32, {regions, 4}),
                    Tensor(ElementType::I64, {regions})});
  };
  EXPECT_EQ(run(2), "");
  expectTooSlow(run(3));
}

TEST(RunLimits, GramSteps) {
  // No skip exceeds the row, whatever the attribute is.
  std::string text =
      "func.func @f(%x: tensor<?xi64>) -> tensor<1xf32> {"
      "  %r = graph.tf_idf %x {mode = \"TF\", minGram = 2 : i64, maxGram = 2 : i64,"
      "      maxSkip = 9223372036854775807 : i64, gramCounts = array<i64: 0, 0>,"
      "      gramIndexes = array<i64: 0>, poolInts = array<i64: 0, 0>, poolStrings = [],"
      "      weights = array<f64>} : (tensor<?xi64>) -> tensor<1xf32>"
      "  return %r : tensor<1xf32> }";
  reference::Datum counts;
  EXPECT_EQ(errorOf(text, {Tensor(ElementType::I64, {3})}, &counts), "");
  EXPECT_EQ(counts.tensor.asDouble(0), 3); // pairs of three zeros
  expectTooSlow(errorOf(text, {Tensor(ElementType::I64, {40})}));
}

} // namespace
} // namespace convoy
