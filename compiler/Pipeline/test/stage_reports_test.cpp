// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what the stages tasks and memory report about a module, without the passes before them.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Layout/Attributes.h"
#include "Memory/Attributes.h"
#include "Memory/MemoryPlan.h"
#include "Pipeline/StageReports.h"
#include "Task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

struct StageReportsTest : ::testing::Test {
  StageReportsTest() {
    context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect, kernels::KernelDialect,
                        layout::LayoutDialect, memory::MemoryDialect, task::TaskDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

constexpr char kTasks[] = R"(
  func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %0 = task.run @product(%x, %w)
        {layout.reasons = {refusals = [{reason = "too small", template = "product"}], remark = "r"}}
        : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32> loc("mm"("MatMul"))
    %1 = task.run @relu(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  task.kernel @product(%a: tensor<2x8xf32>, %b: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %0 = graph.matmul %a, %b : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
    task.return %0 : tensor<2x3xf32>
  }
  task.kernel @relu(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = graph.unary relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
    task.return %0 : tensor<2x3xf32>
  }
)";

TEST_F(StageReportsTest, TasksReportOneKernelPerCall) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(kTasks);
  ASSERT_TRUE(module);
  CompileReport report;
  reportTasks(*module, {}, report);
  ASSERT_EQ(report.kernels.size(), 2U);
  const KernelReport &product = report.kernels[0];
  EXPECT_EQ(product.kernel, "product");
  EXPECT_EQ(product.nodes, "'mm' (MatMul)");
  EXPECT_TRUE(product.isGenericLoops());
  EXPECT_EQ(product.operandLayouts, (std::vector<std::string>{"planar", "planar"}));
  EXPECT_EQ(product.flops, 2 * 2 * 3 * 8);
  EXPECT_EQ(product.bytes, 4 * (2 * 8 + 8 * 3 + 2 * 3));
  ASSERT_EQ(product.refusals.size(), 1U);
  EXPECT_EQ(product.refusals[0].templateId, "product");
  EXPECT_EQ(product.refusals[0].reason, "too small");
  EXPECT_EQ(product.remark, "r");
  EXPECT_EQ(report.kernels[1].kernel, "relu");
  EXPECT_TRUE(report.kernels[1].refusals.empty());
}

TEST_F(StageReportsTest, MemoryReportsThePlanOfTheModule) {
  mlir::OwningOpRef<mlir::ModuleOp> module = parse(R"(
    module attributes {memory.arena_bytes = 128 : i64, memory.peak = {bytes = 96 : i64, node = "p"}} {
      func.func @main(%x: memref<8xf32> {memory.role = "input"},
                      %y: memref<4xf32> {memory.role = "output"},
                      %z: memref<2xf32> {memory.role = "output", memory.offset = 64 : i64}) {
        return
      }
      task.kernel @k(memref<8xf32>, memref<4xf32>, index, index)
          attributes {range = 1 : i64, tensors = (tensor<8xf32>) -> tensor<4xf32>}
    })");
  ASSERT_TRUE(module);
  memory::MemoryPlan plan;
  plan.calls = {{"k", "'n' (Relu)", 12}, {"gone", "", 0}};
  plan.tensors = {{0, false, 0, 64, 32, 0, 1, 3}, {1, true, 0, 96, 16, 1, 1, 0}};
  memory::setPlan(*module, plan);
  CompileReport report;
  reportMemory(*module, {}, report);
  const MemoryReport &memory = report.memory;
  ASSERT_EQ(memory.arenas.size(), 1U);
  EXPECT_EQ(memory.arenas[0].bytes.most, 128);
  EXPECT_EQ(memory.peakNode, "p");
  EXPECT_EQ(memory.peakBytes.most, 96);
  EXPECT_EQ(memory.inputBytes.most, 32);
  EXPECT_EQ(memory.outputBytes.most, 16); // %z is in the arena
  ASSERT_EQ(memory.calls.size(), 2U);
  EXPECT_EQ(memory.calls[0].nodes, "'n' (Relu)");
  EXPECT_EQ(memory.calls[0].weightsBytes, 12);
  EXPECT_EQ(memory.calls[0].work.resultBytes.most, 16);
  ASSERT_EQ(memory.tensors.size(), 2U);
  EXPECT_EQ(memory.tensors[0].ringRows, 3);
  EXPECT_EQ(memory.tensors[0].last, 1);
  EXPECT_TRUE(memory.tensors[1].isScratch);
  EXPECT_EQ(memory.tensors[1].offset, 96);
}

} // namespace
