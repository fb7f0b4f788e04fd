// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what the emitter (EmitLoadable.cpp) and the placement of cubes (PlaceCubes.cpp) assume,
// one clause per function. Neither of them checks it again: a broken clause would give a loadable
// with wrong addresses.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Compile/Passes.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_CHECKNVDLACONTRACTPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

LogicalResult checkDialect(Operation *op) {
  if (!isa<NvdlaDialect>(op->getDialect()) && !isa<graph::ConstantOp>(op)) {
    return op->emitOpError("breaks [nvdla.1]: it is neither an nvdla op nor a constant");
  }
  return success();
}

LogicalResult checkJoin(Operation *op) {
  auto join = dyn_cast<JoinOp>(op);
  for (Value input : join ? join.getInputs() : ValueRange()) {
    auto joins = llvm::make_filter_range(
        input.getUses(), [](OpOperand &use) { return isa<JoinOp>(use.getOwner()); });
    if (!isWrittenHere(input) || !llvm::hasSingleElement(joins)) {
      return op->emitOpError("breaks [nvdla.2]: an input is not written by the function, or is "
                             "joined twice");
    }
  }
  return success();
}

LogicalResult checkResults(Operation *end, const HardwareConfig &config) {
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    bool isReturnedOnce = llvm::count(end->getOperands(), value) == 1;
    if (!isWrittenHere(value) || !isReturnedOnce || isJoined(value) || hasGaps(value, config)) {
      return end->emitOpError("breaks [nvdla.3]: result ")
             << operand.getOperandNumber() << " has no memory of its own, or has gaps";
    }
  }
  return success();
}

LogicalResult checkCdp(Operation *op, const HardwareConfig &config) {
  bool isBroken = isa<CdpOp, TableCdpOp>(op) && hasGaps(op->getOperand(0), config);
  return isBroken ? op->emitOpError("breaks [nvdla.4]: the input has gaps") : success();
}

LogicalResult checkPool(Operation *op) {
  auto sdp = dyn_cast<SdpOp>(op);
  bool isBroken =
      sdp && sdp.getToPdp() && !(sdp->hasOneUse() && isa<PdpOp>(*sdp->getUsers().begin()));
  return isBroken ? op->emitOpError("breaks [nvdla.5]: it passes its result to PDP, and one PDP is "
                                    "not its only user")
                  : success();
}

/// Returns whether channels that start job i of a split or merge start with an atom.
template <typename OpT>
bool startsAtoms(OpT op, Value cube, const HardwareConfig &config) {
  auto channels = static_cast<int64_t>(op.getChannels());
  return op.getOffsets().size() == 1 ||
         channels % lanesOf(config, precisionOf(cube.getType())) == 0;
}

LogicalResult checkRubik(Operation *op, const HardwareConfig &config) {
  bool isBroken = false;
  if (auto contract = dyn_cast<ContractOp>(op)) {
    int64_t lanes = lanesOf(config, precisionOf(contract.getType()));
    isBroken = !isInBlocks(channelMapOf(contract.getInput(), lanes),
                           contract.getStrides()[0] * contract.getStrides()[1], lanes);
  } else if (auto split = dyn_cast<SplitOp>(op)) {
    isBroken = hasGaps(split.getInput(), config) || !startsAtoms(split, split.getInput(), config) ||
               !llvm::all_of(split->getUsers(), [](Operation *user) { return isa<MergeOp>(user); });
  } else if (auto turn = dyn_cast<TurnOp>(op)) {
    isBroken = turn.getToLast() && hasGaps(turn.getInput(), config);
  } else if (auto merge = dyn_cast<MergeOp>(op)) {
    isBroken = !merge.getInput().getDefiningOp<SplitOp>() ||
               !startsAtoms(merge, merge.getResult(), config);
  }
  return isBroken ? op->emitOpError("breaks [nvdla.6]: RUBIK cannot read or write these channels")
                  : success();
}

struct CheckNvdlaContract : impl::CheckNvdlaContractPassBase<CheckNvdlaContract> {
  using CheckNvdlaContractPassBase::CheckNvdlaContractPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options || failed(check(getOperation().getBody().front(), *options->config))) {
      signalPassFailure();
    }
  }

  static LogicalResult check(mlir::Block &block, const HardwareConfig &hardware) {
    for (Operation &op : block.without_terminator()) {
      if (failed(checkDialect(&op)) || failed(checkJoin(&op)) || failed(checkCdp(&op, hardware)) ||
          failed(checkPool(&op)) || failed(checkRubik(&op, hardware))) {
        return failure();
      }
    }
    return checkResults(block.getTerminator(), hardware);
  }
};

} // namespace
} // namespace convoy::nvdla
