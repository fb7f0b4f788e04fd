// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests indices and lengths that arrive as data. The reference reports every invalid value and
// reads no element outside a tensor.

#include "Graph/SliceRange.h"
#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Runs a function with one body op on a 2x3 input 0..5 and `operand`. Returns the error, or "" if
/// the function runs.
std::string errorOf(const std::string &arguments, const std::string &body, const Tensor &operand) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str();
    return success();
  });
  std::string text = "func.func @f(%x: tensor<2x3xf32>, %i: " + arguments +
                     ") -> tensor<*xf32> { " + body + " return %y : tensor<*xf32> }";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    return "does not parse: " + error;
  }
  Tensor input(ElementType::F32, {2, 3});
  for (int64_t i = 0; i < 6; ++i) {
    input.setInt(i, i);
  }
  auto result = reference::run(*module->getOps<func::FuncOp>().begin(), {input, operand});
  EXPECT_EQ(failed(result), !error.empty());
  return error;
}

struct Case {
  std::string name;
  std::string type; // type of the operand %i
  std::string body;
  Tensor good;
  Tensor bad;
  std::string error;
};

Tensor matrix(int64_t rows, int64_t columns, ArrayRef<int64_t> values) {
  return Tensor::vector(values).reshaped({rows, columns});
}

class Selection : public testing::TestWithParam<Case> {};

TEST_P(Selection, SaysWhatIsWrong) {
  const Case &c = GetParam();
  EXPECT_EQ(errorOf(c.type, c.body, c.good), "");
  EXPECT_NE(errorOf(c.type, c.body, c.bad).find(c.error), std::string::npos)
      << errorOf(c.type, c.body, c.bad);
}

INSTANTIATE_TEST_SUITE_P(
    Data, Selection,
    testing::Values(
        Case{"gather", "tensor<?xi64>",
             "%y = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<?xi64>) -> "
             "tensor<*xf32>",
             Tensor::vector({-3, 2}), Tensor::vector({3}),
             "has index 3 into a dimension of size 3, expected a value in [-3, 3)"},
        Case{"gather_least", "tensor<?xi64>",
             "%y = graph.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<?xi64>) -> "
             "tensor<*xf32>",
             Tensor::vector({}), Tensor::vector({kLeast}), "into a dimension of size 2"},
        Case{"gather_elements", "tensor<?x?xi64>",
             "%y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, "
             "tensor<?x?xi64>) -> tensor<*xf32>",
             matrix(1, 4, {0, -1, 2, -3}), matrix(1, 1, {kMost}), "into a dimension of size 3"},
        Case{"gather_elements_rows", "tensor<?x?xi64>",
             "%y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, "
             "tensor<?x?xi64>) -> tensor<*xf32>",
             matrix(2, 1, {0, 0}), matrix(3, 1, {0, 0, 0}), "[gather_elements.1]"},
        Case{"gather_nd", "tensor<?x2xi64>",
             "%y = graph.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<2x3xf32>, "
             "tensor<?x2xi64>) -> tensor<*xf32>",
             matrix(1, 2, {-1, 2}), matrix(1, 2, {0, -4}),
             "has index -4 into a dimension of size 3, expected a value in [-3, 3)"},
        Case{"scatter_elements", "tensor<1x1xi64>",
             "%u = graph.constant dense<9.0> : tensor<1x1xf32> "
             "%y = graph.scatter_elements %x, %i, %u {axis = 0 : i64, kind = 0 : i32} : "
             "(tensor<2x3xf32>, tensor<1x1xi64>, tensor<1x1xf32>) -> tensor<*xf32>",
             matrix(1, 1, {-2}), matrix(1, 1, {-3}), "has index -3 into a dimension of size 2"},
        Case{"scatter_nd", "tensor<1x1xi64>",
             "%u = graph.constant dense<9.0> : tensor<1x3xf32> "
             "%y = graph.scatter_nd %x, %i, %u {kind = 1 : i32} : "
             "(tensor<2x3xf32>, tensor<1x1xi64>, tensor<1x3xf32>) -> tensor<*xf32>",
             matrix(1, 1, {1}), matrix(1, 1, {2}), "has index 2 into a dimension of size 2"},
        Case{"reverse_sequence", "tensor<2xi64>",
             "%y = graph.reverse_sequence %x, %i {batchAxis = 0 : i64, timeAxis = 1 : i64} : "
             "(tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>",
             Tensor::vector({0, 3}), Tensor::vector({1, 4}),
             "has a sequence of length 4 in a time axis of size 3 [reverse_sequence.2]"},
        Case{"reshape", "tensor<?xi64>",
             "%y = graph.reshape %x, %i : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<*xf32>",
             Tensor::vector({3, -1}), Tensor::vector({kLeast, 6}), "[reshape.1]"},
        Case{"pad_empty", "tensor<4xi64>",
             "%y = graph.pad %x, %i {mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 0, "
             "0>} : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<*xf32>",
             Tensor::vector({-1, 0, 2, 1}), Tensor::vector({-2, 0, 2, 0}),
             "has no element to repeat in a dimension of size 2 with"},
        // The result type is static, so only the run-time check can detect the error.
        Case{"expand", "tensor<2xi64>",
             "%y = graph.expand %x, %i : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<*xf32>",
             Tensor::vector({1, 3}), Tensor::vector({2, 4}), "[expand.1]"}),
    [](const auto &info) { return info.param.name; });

TEST(SliceRange, SurvivesEveryExtreme) {
  const int64_t values[] = {kLeast, kLeast + 1, -7, -1, 0, 1, 3, 7, kMost};
  for (int64_t dim : {0, 1, 5}) {
    for (int64_t start : values) {
      for (int64_t end : values) {
        for (int64_t step : values) {
          if (step == 0) {
            continue;
          }
          graph::SliceRange range = graph::sliceRange(dim, start, end, step);
          ASSERT_GE(range.length, 0);
          ASSERT_LE(range.length, dim);
          if (range.length > 0) {
            ASSERT_GE(range.start, 0);
            ASSERT_LT(range.start, dim);
          }
          if (range.length > 1) {
            int64_t last = range.start + (range.length - 1) * step;
            ASSERT_GE(last, 0);
            ASSERT_LT(last, dim);
          }
        }
      }
    }
  }
}

TEST(SliceRange, ClampsAsOnnxSays) {
  graph::SliceRange whole = graph::sliceRange(5, kMost, kLeast, -1);
  EXPECT_EQ(whole.start, 4);
  EXPECT_EQ(whole.length, 5);
  // Unlike NumPy, a start before the first element of a backward slice is clamped to element 0.
  EXPECT_EQ(graph::sliceRange(5, -9, kLeast, -1).length, 1);
  EXPECT_EQ(graph::sliceRange(5, 1, kMost, 2).length, 2);
  EXPECT_EQ(graph::sliceRange(5, 3, 1, 1).length, 0);
}

} // namespace
} // namespace convoy
