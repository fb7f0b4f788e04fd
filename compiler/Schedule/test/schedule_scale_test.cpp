// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules and verifies a random graph of 10,000 kernels for 64 threads in less than ten seconds
// of processor time. The kernels reuse memory, which adds dependences.

#include "Graph/Graph.h"
#include "Schedule/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include <ctime>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace convoy;

namespace {

constexpr unsigned kTasks = 10000;
constexpr unsigned kThreads = 64;
constexpr double kMostSeconds = 10;

struct Kind {
  int64_t elements, steps;
};
// About 1, 20 and 160 us.
constexpr Kind kKinds[] = {{1024, 1}, {16384, 16}, {131072, 64}};
constexpr int64_t kSlotBytes = 4 * 131072;
constexpr unsigned kSlots = 4000;

constexpr char kKernel[] = R"(
  task.kernel @kernel_{0}(%a: memref<{1}xf32>, %b: memref<{1}xf32>, %y: memref<{1}xf32>,
      %begin: index, %end: index) attributes {{range = {2} : i64,
      access = [#task.access<read>, #task.access<read>, #task.access<write>]} {{
    %c1 = arith.constant 1 : index
    scf.for %i = %begin to %end step %c1 {{
      %0 = memref.load %a[%i] : memref<{1}xf32>
      %1 = memref.load %b[%i] : memref<{1}xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %y[%i] : memref<{1}xf32>
    }
    task.return
  }
)";

void addCall(llvm::raw_ostream &os, unsigned task, unsigned kind, ArrayRef<unsigned> tasks) {
  int64_t elements = kKinds[kind].elements;
  for (unsigned i = 0; i < 3; ++i) {
    os << llvm::formatv("%o{0}_{1} = arith.constant {2} : index\n"
                        "%m{0}_{1} = memref.view %arena[%o{0}_{1}][] : memref<{3}xi8> to "
                        "memref<{4}xf32>\n",
                        task, i, tasks[i] % kSlots * kSlotBytes, kSlots * kSlotBytes, elements);
  }
  os << llvm::formatv("%e{0} = arith.constant {1} : index\n"
                      "task.call @kernel_{2}(%m{0}_0, %m{0}_1, %m{0}_2, %c0, %e{0}) : "
                      "memref<{3}xf32>, memref<{3}xf32>, memref<{3}xf32>, index, index\n",
                      task, kKinds[kind].steps, kind, elements);
}

/// Each kernel reads the results of two of the previous `window` kernels.
std::string moduleText(unsigned window) {
  std::mt19937 draw(4); // NOLINT(cert-msc51-cpp): the same graph in every run
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("module attributes {{memory.arena_bytes = {0} : i64} {{\n"
                      "func.func @main(%arena: memref<{0}xi8> {{memory.role = \"arena\"}) {{\n"
                      "%c0 = arith.constant 0 : index\n",
                      kSlots * kSlotBytes);
  for (unsigned task = 0; task < kTasks; ++task) {
    unsigned back = std::min(window, std::max(task, 1U));
    unsigned latest = std::max(task, 1U) - 1;
    unsigned first = latest - draw() % back;
    unsigned second = latest - draw() % back;
    addCall(os, task, draw() % std::size(kKinds), {first, second, task});
  }
  os << "return\n}\n";
  for (unsigned kind = 0; kind < std::size(kKinds); ++kind) {
    os << llvm::formatv(kKernel, kind, kKinds[kind].elements, kKinds[kind].steps);
  }
  os << "}\n";
  return text;
}

class ScheduleScale : public testing::TestWithParam<unsigned> {};

TEST_P(ScheduleScale, TenThousandTasksForSixtyFourThreads) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, memref::MemRefDialect,
                      scf::SCFDialect, task::TaskDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(moduleText(GetParam()), &context);
  ASSERT_TRUE(module);
  schedule::ScheduleOptions options;
  options.threads = kThreads;
  PassManager passes(&context);
  schedule::addSchedulePasses(passes, options, {});
  schedule::addScheduleContract(passes);
  std::clock_t begin = std::clock(); // processor time, which does not depend on other processes
  ASSERT_TRUE(succeeded(passes.run(*module)));
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, kMostSeconds);
  unsigned workers = 0;
  module->walk(
      [&](func::FuncOp function) { workers += function->hasAttr(task::kWorkerAttr) ? 1 : 0; });
  EXPECT_EQ(workers, kThreads);
  EXPECT_NE((*module)->getAttrOfType<StringAttr>(task::kSchedulerAttr).getValue(), "program-order");
}

// Many ready tasks at any time, and few.
INSTANTIATE_TEST_SUITE_P(Windows, ScheduleScale, testing::Values(1000U, 50U));

} // namespace
