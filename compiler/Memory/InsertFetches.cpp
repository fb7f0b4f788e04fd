// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-memory-insert-fetches. A kernel that fetches rows has no special case in the
// planner: its result is a tensor of the arena like any other, and a ring if its readers permit it.

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "Kernels/Passes.h"
#include "Memory/Attributes.h"
#include "Memory/Passes.h"
#include "Memory/RowKernels.h"
#include "Task/RowSteps.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_INSERTFETCHESPASS
#include "Memory/Passes.h.inc"

namespace {

/// Returns the rows in which a run reads an operand; 1 if it reads the operand in another way.
int64_t rowsOfRead(const RowKernels &kernels, OpOperand &use) {
  auto run = dyn_cast<task::RunOp>(use.getOwner());
  const RowKernel *kernel = run ? kernels.of(run) : nullptr;
  return kernel && kernel->reads[use.getOperandNumber()] ? kernel->rows[use.getOperandNumber()] : 1;
}

/// Returns the rows in which all readers of a tensor and of its views read it, or 1 if they differ.
int64_t rowsOfReads(const RowKernels &kernels, Value tensor) {
  std::optional<int64_t> rows;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    int64_t read = graph::namesStorage(user) ? rowsOfReads(kernels, user->getResult(0))
                                             : rowsOfRead(kernels, use);
    rows = !rows || *rows == read ? read : 1;
  }
  return rows.value_or(1);
}

/// Returns the first op of a block that uses a value, or contains a use; null without a use.
Operation *firstUser(Value value, mlir::Block &block) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = block.findAncestorOpInBlock(*user);
    first = !first || inBlock->isBeforeInBlock(first) ? inBlock : first;
  }
  return first;
}

/// Builds the kernel that fetches rows of a tensor, one row per step.
void buildKernel(ModuleOp module, StringRef name, Location loc, Type tensor, int64_t rows) {
  ImplicitLocOpBuilder b(loc, module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  MemRefType memory = kernels::memoryType(tensor);
  Type status = MemRefType::get({1}, b.getI32Type());
  Type index = b.getIndexType();
  auto kernel =
      b.create<task::KernelOp>(name, b.getFunctionType({memory, memory, status, index, index}, {}));
  task::RowSteps steps;
  steps.ends = task::evenChunks(rows, 1);
  steps.reads.push_back(std::nullopt);
  auto access = [&](task::Access own) { return task::AccessAttr::get(b.getContext(), own); };
  kernel.setAccessAttr(b.getArrayAttr(
      {access(task::Access::Read), access(task::Access::Write), access(task::Access::ReadWrite)}));
  kernel.setMayFail(true);
  kernel.setRange(rows);
  kernel.setRowsAttr(steps.toAttr(b.getContext()));
  kernel.setTensors(b.getFunctionType({tensor}, {tensor}));
  mlir::Block *body = kernel.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto loop =
      b.create<scf::ForOp>(kernel.getBegin(), kernel.getEnd(), b.create<arith::ConstantIndexOp>(1));
  b.create<task::ReturnOp>();
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value view = b.create<task::RowViewOp>(body->getArgument(1), row, rows);
  b.create<task::FetchRowOp>(body->getArgument(0), row, view, body->getArgument(2));
}

/// The location of an input as a node "'x' (input)", for tables of layers.
Location locationOf(func::FuncOp main, unsigned number) {
  MLIRContext *context = main.getContext();
  StringAttr name = graph::argumentName(main, number);
  Location kind = NameLoc::get(StringAttr::get(context, "input"));
  return NameLoc::get(name ? name : StringAttr::get(context, std::to_string(number)), kind);
}

void fetchInput(func::FuncOp main, unsigned number, const RowKernels &kernels) {
  BlockArgument input = main.getArgument(number);
  int64_t rows = rowsOfReads(kernels, input);
  main.removeArgAttr(number, task::kByRowsAttr);
  main.setArgAttr(number, kInputRowsAttr, Builder(main.getContext()).getI64IntegerAttr(rows));
  Operation *reader = firstUser(input, main.getBody().front());
  if (!reader) {
    return;
  }
  auto module = main->getParentOfType<ModuleOp>();
  Location loc = locationOf(main, number);
  std::string name = "fetch_" + std::to_string(number);
  buildKernel(module, name, loc, input.getType(), rows);
  ImplicitLocOpBuilder b(loc, reader);
  auto symbol = FlatSymbolRefAttr::get(main.getContext(), name);
  auto run = b.create<task::RunOp>(TypeRange(input.getType()), symbol, ValueRange(input));
  input.replaceAllUsesExcept(run->getResult(0), run);
}

struct InsertFetches : impl::InsertFetchesPassBase<InsertFetches> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      return; // convoy-memory-plan-arena reports the error
    }
    RowKernels kernels(getOperation());
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      if (main.getArgAttr(i, task::kByRowsAttr)) {
        fetchInput(main, i, kernels);
      }
    }
  }
};

} // namespace
} // namespace convoy::memory
