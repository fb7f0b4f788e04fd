// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells rounding from a wrong op, and what is said of faults that no plug-in
// planted. tests/planted holds the search as a whole.

#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "check/blame/KernelBlame.h"
#include "check/rules/Closeness.h"
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

class BlameTest : public testing::Test {
protected:
  BlameTest() { context.loadDialect<graph::GraphDialect, func::FuncDialect>(); }

  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// The only op of the kind in a function.
  template <typename OpType>
  OpType find(ModuleOp module) {
    OpType found;
    module.walk([&](OpType op) { found = op; });
    return found;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST(Closeness, IsRelativeToTheRootMeanSquare) {
  Closeness closeness{1e-5, 2, 0};
  Datum expected = tensor(ElementType::F32, {3, 4, 0, 5}); // rms 3.54
  EXPECT_FALSE(deviation(tensor(ElementType::F32, {3, 4, 3.5e-5, 5}), expected, closeness).isWrong);
  Deviation apart = deviation(tensor(ElementType::F32, {3, 4, 3.6e-5, 5}), expected, closeness);
  EXPECT_TRUE(apart.isWrong);
  EXPECT_EQ(apart.text, "max |a-b| 3.6e-05 at [2], bound 3.54e-05");
}

TEST(Closeness, AllowsLargeElementsTheirOwnRounding) {
  std::vector<double> values(10000, 0.0);
  values[0] = 1e6; // 100 times the rms
  Datum expected = tensor(ElementType::F32, values);
  values[0] += 0.5;
  EXPECT_FALSE(deviation(tensor(ElementType::F32, values), expected, {1e-5, 2, 0}).isWrong);
}

TEST(Closeness, CountsUlpsOfHalf) {
  double ulp = std::ldexp(1.0, -10);
  Datum expected = tensor(ElementType::F16, {1, 1});
  EXPECT_FALSE(
      deviation(tensor(ElementType::F16, {1, 1 + 2 * ulp}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(
      deviation(tensor(ElementType::F16, {1, 1 + 3 * ulp}), expected, {1e-5, 2, 0}).isWrong);
}

TEST(Closeness, WantsIndicesEqualAndQuantizedNumbersNear) {
  Datum bytes = tensor(ElementType::I8, {5}), indices = tensor(ElementType::I64, {5});
  EXPECT_FALSE(deviation(tensor(ElementType::I8, {6}), bytes, {1e-4, 8, 1}).isWrong);
  EXPECT_TRUE(deviation(tensor(ElementType::I8, {7}), bytes, {1e-4, 8, 1}).isWrong);
  EXPECT_TRUE(deviation(tensor(ElementType::I8, {6}), bytes, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(deviation(tensor(ElementType::I64, {6}), indices, {1e-4, 8, 1}).isWrong);
}

TEST(Closeness, TakesNoNumberForNothingElse) {
  Datum expected = tensor(ElementType::F32, {NAN, INFINITY, 1});
  EXPECT_FALSE(
      deviation(tensor(ElementType::F32, {NAN, INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(
      deviation(tensor(ElementType::F32, {NAN, -INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
  EXPECT_TRUE(
      deviation(tensor(ElementType::F32, {0, INFINITY, 1}), expected, {1e-5, 2, 0}).isWrong);
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

TEST_F(BlameTest, BoundGrowsWithTheRootOfTheTerms) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  EXPECT_EQ(summedTerms(find<graph::MatMulOp>(*module)), 9);
  EXPECT_EQ(summedTerms(find<graph::UnaryOp>(*module)), 1);
  EXPECT_DOUBLE_EQ(kernelCloseness(find<graph::KernelOp>(*module)).relative, 3e-5);
}

/// A sum that is rounded to steps of 0.25 and may round the other way.
TEST_F(BlameTest, RoundedSumsMayBeOneStepApart) {
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
  Closeness closeness = kernelCloseness(find<graph::KernelOp>(*module));
  EXPECT_EQ(closeness.absolute, 0.25);
  EXPECT_EQ(closeness.steps, 1);
}

TEST_F(BlameTest, KernelIsNamedByTheOpThatLoops) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  Operation *op = mainOp(find<graph::KernelOp>(*module));
  EXPECT_EQ(graph::nodeText(op->getLoc()), "'product' (MatMul)");
}

TEST_F(BlameTest, NodesOfFusedLocationsAreAllNamed) {
  Builder builder(&context);
  auto node = [&](const char *name, const char *type) -> Location {
    return NameLoc::get(builder.getStringAttr(name), NameLoc::get(builder.getStringAttr(type)));
  };
  Location fused = builder.getFusedLoc({node("c", "Conv"), node("n", "BatchNormalization")});
  EXPECT_EQ(graph::nodeText(fused), "'c' (Conv) + 'n' (BatchNormalization)");
  EXPECT_EQ(graph::nodeText(NameLoc::get(builder.getStringAttr("weights"))), "");
}

/// A fault of our own passes is in every snapshot; here it goes away with the
/// setting of the given number.
GuiltyPass guiltyWhenCuredBy(ModuleOp module, int cure) {
  std::vector<Datum> inputs = {Tensor(ElementType::F32, {4, 9}), Tensor(ElementType::F32, {9, 8})};
  int calls = 0; // the first is without any setting
  auto isWrong = [&](llvm::ArrayRef<Datum>) { return calls++ != cure; };
  return guiltyPass(module, inputs, nullptr, isWrong);
}

TEST_F(BlameTest, SettingThatCuresNamesThePass) {
  OwningOpRef<ModuleOp> module = parse(kKernel);
  EXPECT_EQ(guiltyWhenCuredBy(*module, 1).pass, "convoy-memory-plan-arena");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 1).note, "right when no tensors share memory");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 2).pass, "LLVM's optimiser");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 2).note, "right without optimisation");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 3).pass, "convoy-kernels-lower-loops");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 3).note, "right without vectors");
  EXPECT_EQ(guiltyWhenCuredBy(*module, 4).pass, "");
}

TEST(Blame, SaysWhatItKnows) {
  Blame blame{"'conv1' (Conv)", "convoy-kernels-lower-loops", "max |a-b| 0.31 at [0], bound 2e-4",
              ""};
  EXPECT_EQ(blame.text(), "first wrong op: 'conv1' (Conv), after pass convoy-kernels-lower-loops: "
                          "max |a-b| 0.31 at [0], bound 2e-4");
  EXPECT_EQ((Blame{"", "", "", "no op is wrong by more than rounding"}).text(),
            "first wrong op: not found (no op is wrong by more than rounding)");
}

} // namespace
