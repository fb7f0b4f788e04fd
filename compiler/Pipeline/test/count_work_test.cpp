// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the number of operations of products in integers and in the body of a scan.

#include "Graph/Graph.h"
#include "Pipeline/CountWork.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

double flopsOf(llvm::StringRef text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return module ? flopsIn(*module) : 0;
}

TEST(CountWork, CountsIntegerProducts) {
  EXPECT_EQ(flopsOf(R"(
    func.func @main(%x: tensor<2x5x8xui8>, %w: tensor<8x3xi8>) -> tensor<2x5x3xi32> {
      %0 = graph.integer_matmul %x, %w {lhsZeroPoint = 3 : i64, rhsZeroPoint = 0 : i64}
          : (tensor<2x5x8xui8>, tensor<8x3xi8>) -> tensor<2x5x3xi32>
      return %0 : tensor<2x5x3xi32>
    })"),
            2 * 2 * 5 * 3 * 8);
}

TEST(CountWork, CountsIntegerConvolutions) {
  EXPECT_EQ(flopsOf(R"(
    func.func @main(%x: tensor<1x4x6x6xui8>, %w: tensor<7x4x3x3xi8>) -> tensor<1x7x4x4xi32> {
      %0 = graph.integer_conv %x, %w {inputZeroPoint = 3 : i64, weightZeroPoint = 0 : i64,
          strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
          dilations = array<i64: 1, 1>, groups = 1 : i64}
          : (tensor<1x4x6x6xui8>, tensor<7x4x3x3xi8>) -> tensor<1x7x4x4xi32>
      return %0 : tensor<1x7x4x4xi32>
    })"),
            2 * 7 * 16 * 36);
}

TEST(CountWork, CountsEachStepOfAScan) {
  EXPECT_EQ(flopsOf(R"(
    func.func @main(%s: tensor<1x4xf32>, %x: tensor<10x1x4xf32>, %w: tensor<4x4xf32>)
        -> tensor<1x4xf32> {
      %0 = graph.scan %s, %x {
      ^bb0(%state: tensor<1x4xf32>, %step: tensor<1x4xf32>):
        %1 = graph.matmul %state, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
        %2 = graph.binary add %1, %step : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
        graph.yield %2 : tensor<1x4xf32>
      } {inputAxes = array<i64: 0>, inputReverse = array<i1: false>, outputAxes = array<i64>,
         outputReverse = array<i1>, operandSegmentSizes = array<i32: 1, 1>}
          : (tensor<1x4xf32>, tensor<10x1x4xf32>) -> tensor<1x4xf32>
      return %0 : tensor<1x4xf32>
    })"),
            10 * 2 * 4 * 4);
}

} // namespace
