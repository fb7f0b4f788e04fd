// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests what the stages tasks, kernels and memory report about a module, without the passes before
// them.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Layout/Attributes.h"
#include "Memory/Attributes.h"
#include "Memory/MemoryPlan.h"
#include "Pipeline/StageReports.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace convoy;

namespace {

struct StageReportsTest : ::testing::Test {
  StageReportsTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                        mlir::vector::VectorDialect, graph::GraphDialect, kernels::KernelDialect,
                        layout::LayoutDialect, memory::MemoryDialect, task::TaskDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  /// Returns the predicted time of the only kernel of a module if it runs `runs` times.
  double predictNs(llvm::StringRef text, double runs = 1) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    CompileReport report;
    KernelReport &kernel = report.kernels.emplace_back();
    kernel.kernel = "k";
    kernel.templateId = "loops";
    kernel.runs = runs;
    reportKernels(*module, {}, report);
    EXPECT_EQ(report.genericLoops.predictedNs, kernel.predictedNs);
    return kernel.predictedNs;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

/// Returns a kernel that copies 16 rows of 16 numbers. `loops` are around the copy of one row.
std::string lookup(int64_t tableElements, llvm::StringRef loop, llvm::StringRef end) {
  return llvm::formatv(R"(
    task.kernel @k(%rows: memref<16xi64>, %table: memref<{0}xf32>, %y: memref<256xf32>,
                   %begin: index, %end: index) attributes {{range = 16 : i64} {{
      %one = arith.constant 1 : index
      %size = arith.constant 16 : index
      scf.for %i = %begin to %end step %one {{
        {1}
        %row = memref.load %rows[%i] : memref<16xi64>
        %position = arith.index_cast %row : i64 to index
        %from = arith.muli %position, %size : index
        %to = arith.muli %i, %size : index
        %values = vector.load %table[%from] : memref<{0}xf32>, vector<16xf32>
        vector.store %values, %y[%to] : memref<256xf32>, vector<16xf32>
        {2}
      }
      task.return
    })",
                       tableElements, loop, end);
}

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

TEST_F(StageReportsTest, AKernelThatReadsAFewRowsOfATableDoesNotReadTheTable) {
  double whole = predictNs(lookup(256, "", "")), few = predictNs(lookup(25600000, "", ""));
  EXPECT_LT(few, 10 * whole); // the table is in no cache
  // An unknown number of lookups may read the whole table.
  double most = predictNs(lookup(25600000,
                                 "scf.while : () -> () { %c = memref.load %rows[%i] : "
                                 "memref<16xi64> %d = arith.trunci %c : i64 to i1 "
                                 "scf.condition(%d) } do {",
                                 "scf.yield }"));
  EXPECT_GT(most, 1000 * whole);
}

TEST_F(StageReportsTest, ThePredictedTimeIsThatOfAllRuns) {
  std::string text = lookup(256, "", "");
  EXPECT_DOUBLE_EQ(predictNs(text, 32), 32 * predictNs(text));
}

TEST_F(StageReportsTest, WeightsStayInTheCacheBetweenRuns) {
  auto product = [](int64_t elements) {
    return llvm::formatv(R"(
      task.kernel @k(%x: memref<16xf32>, %w: memref<{0}xf32>, %y: memref<16xf32>, %begin: index,
                     %end: index) attributes {{range = 1 : i64,
          tensors = (tensor<16xf32>, tensor<16x{1}xf32, #kernel.conv_weights<o = 16, i = 16, transposed = false>>) -> tensor<16xf32>} {{
        task.return
      })",
                         elements, elements / 16)
        .str();
  };
  // 64 KB at 10 bytes per ns, then 31 times at 40 bytes per ns.
  double once = predictNs(product(16384));
  EXPECT_NEAR(predictNs(product(16384), 32), (1 + 31 / 4.0) * once, 0.1 * once);
  EXPECT_DOUBLE_EQ(predictNs(product(1 << 20), 32), 32 * predictNs(product(1 << 20)));
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
