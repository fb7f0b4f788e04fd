// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the bounds that distinguish rounding from a wrong op, and the notes for faults of built-in
// passes. tests/injected tests the whole search.

#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "check/locate/KernelFault.h"
#include "check/rules/OpError.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::check;
using namespace mlir;

namespace {

Tensor tensor(ElementType type, const std::vector<double> &values) {
  Tensor result(type, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) {
    result.setDouble(static_cast<int64_t>(i), values[i]);
  }
  return result;
}

class FaultTest : public testing::Test {
protected:
  FaultTest() { context.loadDialect<graph::GraphDialect, func::FuncDialect>(); }

  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Returns the only op of this type in the module.
  template <typename OpType>
  OpType find(ModuleOp module) {
    OpType found;
    module.walk([&](OpType op) { found = op; });
    return found;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST(OpError, IsRelativeToTheRootMeanSquare) {
  ErrorBound bound{1e-5, 2, 0};
  Datum expected = tensor(ElementType::F32, {3, 4, 0, 5}); // rms 3.54
  EXPECT_FALSE(opError(tensor(ElementType::F32, {3, 4, 3.5e-5, 5}), expected, bound).isWrong);
  OpError error = opError(tensor(ElementType::F32, {3, 4, 3.6e-5, 5}), expected, bound);
  EXPECT_TRUE(error.isWrong);
  EXPECT_EQ(error.text, "max |a-b| 3.6e-05 at [2], bound 3.54e-05");
}

TEST(OpError, AllowsLargeElementsTheirOwnRounding) {
  std::vector<double> values(10000, 0.0);
  values[0] = 1e6; // 100 times the rms
  Datum expected = tensor(ElementType::F32, values);
  values[0] += 0.5;
  EXPECT_FALSE(opError(tensor(ElementType::F32, values), expected, {1e-5, 2, 0}).isWrong);
}

TEST(OpError, CountsUlpsOfHalf) {
  double ulp = std::ldexp(1.0, -10);
  Datum expected = tensor(ElementType::F16, {1, 1});
  EXPECT_FALSE(opError(tensor(ElementType::F16, {1, 1 + 2 * ulp}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(opError(tensor(ElementType::F16, {1, 1 + 3 * ulp}), expected, {1e-5, 2, 0}).isWrong);
}

TEST(OpError, WantsIndicesEqualAndQuantizedNumbersNear) {
  Datum bytes = tensor(ElementType::I8, {5}), indices = tensor(ElementType::I64, {5});
  EXPECT_FALSE(opError(tensor(ElementType::I8, {6}), bytes, {1e-4, 8, 1}).isWrong);
  EXPECT_TRUE(opError(tensor(ElementType::I8, {7}), bytes, {1e-4, 8, 1}).isWrong);
  EXPECT_TRUE(opError(tensor(ElementType::I8, {6}), bytes, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(opError(tensor(ElementType::I64, {6}), indices, {1e-4, 8, 1}).isWrong);
}

TEST(OpError, TakesNoNumberForNothingElse) {
  Datum expected = tensor(ElementType::F32, {NAN, INFINITY, 1});
  EXPECT_FALSE(
      opError(tensor(ElementType::F32, {NAN, INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(
      opError(tensor(ElementType::F32, {NAN, -INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(opError(tensor(ElementType::F32, {0, INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
}

constexpr llvm::StringLiteral kKernel = R"(
  func.func @main(%x: tensor<4x9xf32> {graph.name = "x"}, %w: tensor<9x8xf32> {graph.name = "w"})
      -> (tensor<4x8xf32> {graph.name = "y"}) {
    %y = graph.kernel %x, %w {
    ^bb0(%a: tensor<4x9xf32>, %b: tensor<9x8xf32>):
      %0 = graph.matmul %a, %b : (tensor<4x9xf32>, tensor<9x8xf32>) -> tensor<4x8xf32>
          loc("product"("MatMul"))
      %1 = graph.unary relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
      graph.yield %1 : tensor<4x8xf32>
    } : (tensor<4x9xf32>, tensor<9x8xf32>) -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  })";

TEST_F(FaultTest, BoundGrowsWithTheRootOfTheTerms) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  EXPECT_EQ(summedTerms(find<graph::MatMulOp>(*module)), 9);
  EXPECT_EQ(summedTerms(find<graph::UnaryOp>(*module)), 1);
  EXPECT_DOUBLE_EQ(kernelErrorBound(find<graph::KernelOp>(*module)).relative, 3e-5);
}

/// A sum that is rounded to a multiple of 0.25. Near a tie, it may round either way.
TEST_F(FaultTest, RoundedSumsMayBeOneStepApart) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @main(%x: tensor<4x9xf32>, %w: tensor<9x8xf32>) -> tensor<4x8xf32> {
      %y = graph.kernel %x, %w {
      ^bb0(%a: tensor<4x9xf32>, %b: tensor<9x8xf32>):
        %scale = graph.constant dense<0.25> : tensor<f32>
        %0 = graph.matmul %a, %b : (tensor<4x9xf32>, tensor<9x8xf32>) -> tensor<4x8xf32>
        %1 = "graph.quantize_linear"(%0, %scale) {to = i8, axis = 1 : i64}
            : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xi8>
        %2 = "graph.dequantize_linear"(%1, %scale) {to = f32, axis = 1 : i64}
            : (tensor<4x8xi8>, tensor<f32>) -> tensor<4x8xf32>
        graph.yield %2 : tensor<4x8xf32>
      } : (tensor<4x9xf32>, tensor<9x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    })");
  ASSERT_TRUE(module);
  ErrorBound bound = kernelErrorBound(find<graph::KernelOp>(*module));
  EXPECT_EQ(bound.absolute, 0.25);
  EXPECT_EQ(bound.steps, 1);
}

TEST_F(FaultTest, KernelIsNamedByTheOpThatLoops) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  Operation *op = mainOp(find<graph::KernelOp>(*module));
  EXPECT_EQ(graph::nodeText(op->getLoc()), "'product' (MatMul)");
}

TEST_F(FaultTest, NodesOfFusedLocationsAreAllNamed) {
  Builder builder(&context);
  auto node = [&](const char *name, const char *type) -> Location {
    return NameLoc::get(builder.getStringAttr(name), NameLoc::get(builder.getStringAttr(type)));
  };
  Location fused = builder.getFusedLoc({node("c", "Conv"), node("n", "BatchNormalization")});
  EXPECT_EQ(graph::nodeText(fused), "'c' (Conv) + 'n' (BatchNormalization)");
  EXPECT_EQ(graph::nodeText(NameLoc::get(builder.getStringAttr("weights"))), "");
}

/// Simulates a wrong built-in pass: every snapshot is wrong, and the outputs become right with the
/// setting of the given number.
FirstWrongPass passWhenFixedBy(ModuleOp module, int setting) {
  std::vector<Datum> inputs = {Tensor(ElementType::F32, {4, 9}), Tensor(ElementType::F32, {9, 8})};
  int calls = 0; // the first call has no changed setting
  auto isWrong = [&](llvm::ArrayRef<Datum>) { return calls++ != setting; };
  return firstWrongPass(module, inputs, nullptr, isWrong);
}

TEST_F(FaultTest, SettingThatFixesOutputsNamesThePass) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  EXPECT_EQ(passWhenFixedBy(*module, 1).pass, "convoy-memory-plan-arena");
  EXPECT_EQ(passWhenFixedBy(*module, 1).note, "the outputs are right if no tensors share memory");
  EXPECT_EQ(passWhenFixedBy(*module, 2).pass, "LLVM's optimizer");
  EXPECT_EQ(passWhenFixedBy(*module, 2).note, "the outputs are right without LLVM's optimizations");
  EXPECT_EQ(passWhenFixedBy(*module, 3).pass, "convoy-kernels-lower-loops");
  EXPECT_EQ(passWhenFixedBy(*module, 3).note, "the outputs are right with scalar code");
  EXPECT_EQ(passWhenFixedBy(*module, 4).pass, "");
}

/// After the first pass, changes the indices of max pools and replaces each neg by an abs.
class InjectedAbs : public StageObserver {
public:
  void instrument(PassManager &passes) override {
    passes.addInstrumentation(std::make_unique<Planter>());
  }

private:
  struct Planter : PassInstrumentation {
    void runAfterPass(Pass *pass, Operation *op) override {
      op->walk([](graph::MaxPoolOp pool) { pool.setColumnMajor(true); });
      op->walk([](graph::UnaryOp unary) { unary.setKind(graph::UnaryKind::Abs); });
    }
  };
};

TEST_F(FaultTest, ResultsWithoutReadersAreNotCompared) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @main(%x: tensor<1x1x4x4xf32> {graph.name = "x"})
        -> (tensor<1x1x2x2xf32> {graph.name = "y"}) {
      %p, %i = "graph.max_pool"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
          pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false,
          columnMajor = false} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
          loc("pool"("MaxPool"))
      %y = graph.unary neg %p : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> loc("neg"("Neg"))
      return %y : tensor<1x1x2x2xf32>
    })");
  ASSERT_TRUE(module);
  Tensor x(ElementType::F32, {1, 1, 4, 4});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.setDouble(i, static_cast<double>(i));
  }
  auto isWrong = [](llvm::ArrayRef<Datum> outputs) { return outputs[0].tensor.asDouble(0) > 0; };
  InjectedAbs injected;
  HostLowering lowering; // for the options of the host
  std::optional<Fault> fault =
      locateGraphFault(*module, Datum(x), lowering.stages, &injected, isWrong);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->op, "'neg' (Neg)");
}

TEST(Fault, SaysWhatItKnows) {
  Fault fault{"'conv1' (Conv)", "convoy-kernels-lower-loops", "max |a-b| 0.31 at [0], bound 2e-4",
              ""};
  EXPECT_EQ(fault.text(), "first wrong op: 'conv1' (Conv), after pass convoy-kernels-lower-loops: "
                          "max |a-b| 0.31 at [0], bound 2e-4");
  EXPECT_EQ(Fault::notFound("no op differs from the reference by more than rounding").text(),
            "first wrong op: not found (no op differs from the reference by more than rounding)");
}

} // namespace
