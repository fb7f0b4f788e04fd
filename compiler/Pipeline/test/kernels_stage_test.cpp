// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the kernels stage removes duplicate ops of kernels for object files, and keeps the ops
// that C is printed from.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Pipeline/Pipeline.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

/// Returns the ops of a type in a kernel that computes the same offset twice, after the stage.
template <typename OpT>
int64_t opsAfterStage(Exit exit) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::memref::MemRefDialect, mlir::scf::SCFDialect, graph::GraphDialect,
                      kernels::KernelDialect, task::TaskDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    task.kernel @k(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index)
        attributes {range = 16 : i64} {
      %one = arith.constant 1 : index
      scf.for %i = %begin to %end step %one {
        %other = arith.constant 1 : index
        %from = arith.subi %i, %other : index
        %value = memref.load %x[%from] : memref<16xf32>
        %again = arith.constant 1 : index
        %to = arith.subi %i, %again : index
        memref.store %value, %y[%to] : memref<16xf32>
      }
      task.return
    })",
                                                        &context);
  EXPECT_TRUE(module);
  StageOptions options;
  options.exit = exit;
  mlir::PassManager passes(&context);
  findStage("kernels")->addPasses(passes, options);
  EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  int64_t count = 0;
  module->walk([&](OpT) { ++count; });
  return count;
}

TEST(KernelsStage, RemovesDuplicatesForObjectFiles) {
  EXPECT_EQ(opsAfterStage<mlir::arith::SubIOp>(Exit::Object), 1);
  EXPECT_EQ(opsAfterStage<mlir::arith::ConstantOp>(Exit::Object), 1);
}

TEST(KernelsStage, KeepsTheOpsThatCIsPrintedFrom) {
  EXPECT_EQ(opsAfterStage<mlir::arith::SubIOp>(Exit::Source), 2);
}

} // namespace
