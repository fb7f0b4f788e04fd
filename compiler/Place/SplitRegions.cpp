// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts each region of a device's plan into a graph.kernel. Constants go inside: they
// become part of the program.

#include "Accelerators/ConvCore/ConvCore.h"
#include "Accelerators/Registry.h"
#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Place/DevicePlan.h"
#include "Place/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::place {
#define GEN_PASS_DEF_SPLITREGIONSPASS
#include "Place/Passes.h.inc"

namespace {

bool isConstant(Value value) { return value.getDefiningOp<graph::ConstantOp>() != nullptr; }

class RegionOutliner {
public:
  RegionOutliner(ArrayRef<Operation *> ops, StringRef device)
      : ops(ops), inside(ops.begin(), ops.end()), device(device) {}

  void outline() {
    llvm::SetVector<Value> inputs;
    SmallVector<Value> results;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands()) {
        if (!isConstant(operand) && !inside.contains(operand.getDefiningOp())) {
          inputs.insert(operand);
        }
      }
      for (Value result : op->getResults()) {
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return isOutside(user); })) {
          results.push_back(result);
        }
      }
    }
    OpBuilder builder(ops.back());
    auto kernel = builder.create<graph::KernelOp>(
        ops.back()->getLoc(), ValueRange(results).getTypes(), inputs.getArrayRef(),
        kernels::OffloadAttr::get(builder.getContext(), device, /*program=*/false));
    fill(kernel, inputs.getArrayRef(), results);
    for (auto [old, replacement] : llvm::zip(results, kernel.getResults())) {
      old.replaceAllUsesWith(replacement);
    }
    for (Operation *op : llvm::reverse(ops)) {
      op->erase();
    }
  }

private:
  bool isOutside(Operation *user) const {
    for (Operation *op = user; op; op = op->getParentOp()) {
      if (inside.contains(op)) {
        return false;
      }
    }
    return true;
  }

  void fill(graph::KernelOp kernel, ArrayRef<Value> inputs, ArrayRef<Value> results) {
    OpBuilder builder(kernel.getContext());
    mlir::Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    for (Value input : inputs) {
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    }
    builder.setInsertionPointToEnd(body);
    for (Operation *op : ops) {
      for (Value operand : op->getOperands()) {
        if (isConstant(operand) && !mapping.contains(operand)) {
          builder.clone(*operand.getDefiningOp(), mapping);
        }
      }
      builder.clone(*op, mapping);
    }
    SmallVector<Value> yielded;
    for (Value result : results) {
      yielded.push_back(mapping.lookup(result));
    }
    builder.create<graph::YieldOp>(kernel.getLoc(), yielded);
  }

  ArrayRef<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 32> inside;
  StringRef device;
};

struct SplitRegions : impl::SplitRegionsPassBase<SplitRegions> {
  using SplitRegionsPassBase::SplitRegionsPassBase;

  void runOnOperation() override {
    std::unique_ptr<accelerators::Accelerator> found =
        accelerators::requireAccelerator(getOperation(), device);
    if (!found) {
      return signalPassFailure();
    }
    DevicePlan plan(getOperation(), *found);
    for (const Placement &placement : plan.placements()) {
      if (placement.region < 0) {
        placement.op->emitRemark("stays on the CPU: ") << placement.refusal.reason;
      }
    }
    // The plan names ops, so all regions are read before the first one moves.
    std::vector<std::vector<Operation *>> regions;
    for (int64_t region = 0; region < plan.regionCount(); ++region) {
      regions.push_back(plan.opsOf(region));
    }
    for (const std::vector<Operation *> &ops : regions) {
      RegionOutliner(ops, device).outline();
    }
    placedRegions += static_cast<int64_t>(regions.size());
    // A kernel stands where its last op did; who reads its first may stand before it.
    sortTopologically(&getOperation().getBody().front());
  }
};

} // namespace
} // namespace convoy::place
