// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the facts of ops: every op of the dialect declares a class, the facts of
// representative ops of each class, and the facts that depend on attributes.

#include "Graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy::graph {
namespace {

class OpFacts : public testing::Test {
protected:
  OpFacts() {
    context.loadDialect<GraphDialect>();
    context.allowUnregisteredDialects();
  }

  /// Parses ops in generic form without verification and returns the last one.
  /// %0 to %4 are operands of type tensor<4xf32>.
  Operation *parse(const std::string &text) {
    std::string source = "%0:5 = \"test.operands\"() : () -> (tensor<4xf32>, tensor<4xf32>, "
                         "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)\n" +
                         text;
    block = std::make_unique<Block>();
    EXPECT_TRUE(succeeded(parseSourceString(source, block.get(),
                                            ParserConfig(&context, /*verifyAfterParse=*/false))));
    return &block->back();
  }

  /// Returns the numbers of the static operands, for example "1 2".
  std::string staticOperands(const std::string &text) {
    Operation *op = parse(text);
    SmallVector<std::string> numbers;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isStaticOperand(operand)) {
        numbers.push_back(std::to_string(operand.getOperandNumber()));
      }
    }
    return llvm::join(numbers, " ");
  }

  OpClass classOf(StringRef name) {
    std::optional<RegisteredOperationName> info =
        RegisteredOperationName::lookup(("graph." + name).str(), &context);
    EXPECT_TRUE(info) << name.str();
    return info->getInterface<OpFactsInterface>()->getOpClass();
  }

  void expectClass(OpClass expected, std::initializer_list<StringRef> names) {
    for (StringRef name : names) {
      EXPECT_EQ(classOf(name), expected) << name.str();
    }
  }

  MLIRContext context;
  std::unique_ptr<Block> block;
};

TEST_F(OpFacts, EveryOpOfTheDialectHasThem) {
  int count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() == "graph") {
      EXPECT_TRUE(name.hasInterface<OpFactsInterface>()) << name.getStringRef().str();
      ++count;
    }
  }
  EXPECT_GT(count, 80);
}

TEST_F(OpFacts, ClassesOfRepresentativeOps) {
  expectClass(OpClass::Elementwise, {"unary", "binary", "cast", "bitcast", "batch_norm",
                                     "requantize", "lookup", "quantize_linear"});
  expectClass(OpClass::Movement, {"reshape", "transpose", "slice", "pad", "gather", "shape"});
  expectClass(OpClass::Reduction, {"reduce", "arg_reduce"});
  expectClass(OpClass::Heavy, {"conv", "matmul", "max_pool", "integer_conv", "integer_lrn", "dft"});
  expectClass(OpClass::Whole, {"concat", "scatter_nd", "top_k", "cumulative", "max_unpool"});
  expectClass(OpClass::Control, {"if", "loop", "scan", "kernel"});
  expectClass(OpClass::None, {"constant", "yield", "fail", "softmax", "split", "lstm", "random"});
}

TEST_F(OpFacts, OpsOfOtherDialectsHaveNone) {
  Operation *op = parse("\"test.other\"(%0#0) : (tensor<4xf32>) -> ()");
  EXPECT_EQ(classify(op), OpClass::None);
  EXPECT_FALSE(isStaticOperand(op->getOpOperand(0)));
  EXPECT_FALSE(needsNoKernel(op));
}

TEST_F(OpFacts, StaticOperands) {
  EXPECT_EQ(staticOperands("%1 = \"graph.reshape\"(%0#0, %0#1) : (tensor<4xf32>, tensor<4xf32>) -> "
                           "tensor<4xf32>"),
            "1");
  EXPECT_EQ(staticOperands("%1 = \"graph.binary\"(%0#0, %0#1) <{kind = 0 : i32}> : (tensor<4xf32>, "
                           "tensor<4xf32>) -> tensor<4xf32>"),
            "");
  // The value of a pad is data, with and without axes.
  EXPECT_EQ(staticOperands("%1 = \"graph.pad\"(%0#0, %0#1, %0#2, %0#3) <{mode = 0 : i32, "
                           "operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (tensor<4xf32>, "
                           "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"),
            "1 3");
  EXPECT_EQ(staticOperands("%1 = \"graph.pad\"(%0#0, %0#1, %0#2) <{mode = 0 : i32, "
                           "operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (tensor<4xf32>, "
                           "tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"),
            "1 2");
  EXPECT_EQ(staticOperands("%1 = \"graph.slice\"(%0#0, %0#1, %0#2, %0#3, %0#4) <{"
                           "operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (tensor<4xf32>, "
                           "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> "
                           "tensor<4xf32>"),
            "1 2 3 4");
  EXPECT_EQ(
      staticOperands("%1 = \"graph.max_unpool\"(%0#0, %0#1) <{kernel = array<i64: 1>, strides "
                     "= array<i64: 1>, pads = array<i64: 0>}> : (tensor<4xf32>, "
                     "tensor<4xf32>) -> tensor<4xf32>"),
      "");
}

TEST_F(OpFacts, ReductionDependsOnItsKind) {
  auto reduce = [&](StringRef kind) {
    return parse("%1 = graph.reduce " + kind.str() +
                 " %0#0 {keepDims = true} : (tensor<4xf32>) -> tensor<1xf32>");
  };
  EXPECT_TRUE(commutesWithQuantization(reduce("max")));
  EXPECT_FALSE(commutesWithQuantization(reduce("sum")));
  EXPECT_TRUE(readsOnce(reduce("sum")));
  EXPECT_FALSE(readsOnce(reduce("log_sum_exp")));
}

TEST_F(OpFacts, ConstantOfOneElementCollapses) {
  EXPECT_TRUE(collapsesDimensions(parse("%1 = graph.constant dense<1.0> : tensor<1xf32>")));
  EXPECT_FALSE(collapsesDimensions(parse("%1 = graph.constant dense<1.0> : tensor<2xf32>")));
}

TEST_F(OpFacts, MaxPoolCommutesIfItsIndicesAreUnused) {
  std::string pool = "%1:2 = \"graph.max_pool\"(%0#0) <{kernel = array<i64: 1>, strides = "
                     "array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, ceilMode "
                     "= false, columnMajor = false}> : (tensor<4xf32>) -> (tensor<4xf32>, "
                     "tensor<4xi64>)\n";
  EXPECT_TRUE(commutesWithQuantization(parse(pool)));
  Operation *reader = parse(pool + "\"test.read\"(%1#1) : (tensor<4xi64>) -> ()");
  EXPECT_FALSE(commutesWithQuantization(reader->getPrevNode()));
}

} // namespace
} // namespace convoy::graph
