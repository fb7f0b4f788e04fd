// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlines each region of the placement plan into a graph.kernel. Constants move inside and become
// part of the program. If the device computes f32 in another type, the pass casts values at the
// border and leaves the ops inside unchanged:
//
//   %n = graph.cast %x to f16             on the CPU
//   %m = graph.kernel %n {                values cross to the device as f16
//     %a = graph.cast %n to f32 ...       f32 ops of the model; the device stage
//   }                                     converts them to f16 layers
//   %y = graph.cast %m to f32

#include "Accelerators/Registry.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Kernels/Kernel.h"
#include "Place/DevicePlan.h"
#include "Place/Passes.h"
#include "Place/SummarizePlan.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::place {
#define GEN_PASS_DEF_SPLITREGIONSPASS
#include "Place/Passes.h.inc"

namespace {

bool isConstant(Value value) { return value.getDefiningOp<graph::ConstantOp>() != nullptr; }

Value castTo(Type element, Value value, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  return builder.create<graph::CastOp>(value.getLoc(), type, value, element, /*saturate=*/true,
                                       graph::RoundMode::Up);
}

class RegionOutliner {
public:
  /// `floats` is the type in which the device computes f32, or null for f32 itself.
  RegionOutliner(ArrayRef<Operation *> ops, StringRef device, Type floats)
      : ops(ops), inside(ops.begin(), ops.end()), device(device), floats(floats) {}

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
    SmallVector<Value> given;
    for (Value input : inputs) {
      given.push_back(isNarrowed(input) ? castTo(floats, input, builder) : input);
    }
    SmallVector<Type> types;
    for (Value result : results) {
      auto type = cast<RankedTensorType>(result.getType());
      types.push_back(isNarrowed(result) ? type.clone(floats) : type);
    }
    auto kernel = builder.create<graph::KernelOp>(
        graph::fusedLocation(ops), types, given,
        kernels::OffloadAttr::get(builder.getContext(), device, /*program=*/false));
    fill(kernel, inputs.getArrayRef(), results);
    for (auto [old, replacement] : llvm::zip(results, kernel.getResults())) {
      Type element = cast<RankedTensorType>(old.getType()).getElementType();
      old.replaceAllUsesWith(isNarrowed(old) ? castTo(element, replacement, builder) : replacement);
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

  bool isNarrowed(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return floats && type && type.getElementType().isF32();
  }

  void fill(graph::KernelOp kernel, ArrayRef<Value> inputs, ArrayRef<Value> results) {
    OpBuilder builder(kernel.getContext());
    mlir::Block *body = builder.createBlock(&kernel.getBody());
    IRMapping mapping;
    builder.setInsertionPointToEnd(body);
    for (auto [input, given] : llvm::zip(inputs, kernel.getOperands())) {
      Value inner = body->addArgument(given.getType(), input.getLoc());
      Type element = cast<RankedTensorType>(input.getType()).getElementType();
      mapping.map(input, isNarrowed(input) ? castTo(element, inner, builder) : inner);
    }
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
      Value inner = mapping.lookup(result);
      yielded.push_back(isNarrowed(result) ? castTo(floats, inner, builder) : inner);
    }
    builder.create<graph::YieldOp>(kernel.getLoc(), yielded);
  }

  ArrayRef<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 32> inside;
  StringRef device;
  Type floats;
};

/// Returns the type in which the device computes f32, or null for f32 itself.
Type narrowFloats(const accelerators::Accelerator &device, MLIRContext *context) {
  ElementType type = device.floatType();
  bool isNarrow = type != ElementType::F32 && type != ElementType::Undefined;
  return isNarrow ? toMlir(type, context) : Type();
}

/// Removes casts to f32 and back between two regions.
void cancelCasts(func::FuncOp function, Type floats) {
  llvm::SetVector<Operation *> widenings;
  for (auto cast : llvm::make_early_inc_range(function.getOps<graph::CastOp>())) {
    auto widened = cast.getInput().getDefiningOp<graph::CastOp>();
    if (widened && cast.getTo() == floats && widened.getInput().getType() == cast.getType()) {
      cast.getResult().replaceAllUsesWith(widened.getInput());
      cast.erase();
      widenings.insert(widened);
    }
  }
  for (Operation *widened : widenings) {
    if (widened->use_empty()) {
      widened->erase();
    }
  }
}

struct SplitRegions : impl::SplitRegionsPassBase<SplitRegions> {
  using SplitRegionsPassBase::SplitRegionsPassBase;

  void runOnOperation() override {
    std::unique_ptr<accelerators::Accelerator> found =
        accelerators::requireAccelerator(getOperation(), device);
    if (!found) {
      return signalPassFailure();
    }
    DevicePlan plan(getOperation(), *found, policy);
    storePlacement(getOperation(), summarizePlan(plan, *found, policy));
    for (const Placement &placement : plan.placements()) {
      if (placement.region < 0) {
        placement.op->emitRemark("stays on the CPU: ") << placement.refusal.reason;
      }
    }
    // Outlining erases ops, so all regions are read from the plan first.
    std::vector<std::vector<Operation *>> regions;
    for (int64_t region = 0; region < plan.regionCount(); ++region) {
      regions.push_back(plan.opsOf(region));
    }
    Type floats = narrowFloats(*found, &getContext());
    for (const std::vector<Operation *> &ops : regions) {
      RegionOutliner(ops, device, floats).outline();
    }
    if (floats) {
      cancelCasts(getOperation(), floats);
    }
    placedRegions += static_cast<int64_t>(regions.size());
    // A kernel is inserted at its last op, so a user of an earlier result may precede it.
    sortTopologically(&getOperation().getBody().front());
  }
};

} // namespace
} // namespace convoy::place
