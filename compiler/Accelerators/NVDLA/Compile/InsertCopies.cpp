// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts copies so that values are stored where their readers require them. The inputs of a join
// are written into the cube of the join, so each input must be written in this function and joined
// once. A result has its own memory without gaps between channels.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Compile/Passes.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_INSERTCOPIESPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

class CopyInserter {
public:
  CopyInserter(mlir::Block &block, const NvdlaOptions &options)
      : block(block), config(*options.config) {}

  void run() {
    dropViews();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto join = dyn_cast<JoinOp>(op)) {
        copyJoinInputs(join);
      } else if (isa<CdpOp, TableCdpOp>(op)) {
        compactCdpInput(&op);
      } else if (auto sdp = dyn_cast<SdpOp>(op)) {
        compactSdpOperands(sdp);
      }
    }
    copyResults();
  }

private:
  /// Replaces a view of a whole cube that has no other user with the cube itself under the view's
  /// type, so that returning it needs no copy.
  void dropViews() {
    for (ViewOp view : llvm::to_vector(block.getOps<ViewOp>())) {
      Operation *writer = view.getInput().getDefiningOp();
      bool isWhole = cast<RankedTensorType>(view.getInput().getType()).getNumElements() ==
                     cast<RankedTensorType>(view.getType()).getNumElements();
      if (isWhole && isa_and_nonnull<SdpOp, PdpOp, CdpOp, TableCdpOp>(writer) &&
          writer->hasOneUse()) {
        writer->getResult(0).setType(view.getType());
        view.getResult().replaceAllUsesWith(writer->getResult(0));
        view.erase();
      }
    }
  }

  static Value copyBefore(Operation *op, Value value) {
    OpBuilder builder(op);
    return buildCopy(builder, value.getLoc(), value, value.getType());
  }

  bool hasGaps(Value value) const { return nvdla::hasGaps(value, config); }

  /// Copies the value without gaps between channels, with a convolution whose weights are the
  /// identity.
  static Value compactBefore(Operation *op, Value value) {
    OpBuilder builder(op);
    return buildSelection(builder, value.getLoc(), value, /*first=*/0, value.getType());
  }

  void copyJoinInputs(JoinOp join) {
    for (OpOperand &operand : join->getOpOperands()) {
      Value value = operand.get();
      // The value may be an input of an earlier join or occur twice in this one.
      bool isElsewhere = llvm::any_of(value.getUses(), [&](OpOperand &use) {
        return isa<JoinOp>(use.getOwner()) && &use != &operand &&
               (use.getOwner() != join ? use.getOwner()->isBeforeInBlock(join)
                                       : use.getOperandNumber() < operand.getOperandNumber());
      });
      if (!isWrittenHere(value) || isElsewhere) {
        operand.set(copyBefore(join, value));
      }
    }
  }

  void compactCdpInput(Operation *cdp) {
    if (hasGaps(cdp->getOperand(0))) {
      cdp->setOperand(0, compactBefore(cdp, cdp->getOperand(0)));
    }
  }

  /// Removes gaps from the operands of SDP, because operands in memory have the channel order of
  /// the source.
  void compactSdpOperands(SdpOp sdp) {
    bool hasData = sdp.getX1Data() || sdp.getX2Data();
    bool isSum = isa_and_nonnull<ConvOp>(sdp.getSource().getDefiningOp());
    if (hasData && !isSum && hasGaps(sdp.getSource())) {
      sdp.getSourceMutable().assign(compactBefore(sdp, sdp.getSource()));
    }
    for (OpOperand &operand : sdp->getOpOperands().drop_front()) {
      bool isCube = !operand.get().getDefiningOp<graph::ConstantOp>();
      if (isCube && hasGaps(operand.get())) {
        // A convolution and its SDP run at the same time, so the copy goes before both.
        Operation *first = isSum ? sdp.getSource().getDefiningOp() : sdp.getOperation();
        operand.set(compactBefore(first, operand.get()));
      }
    }
  }

  void copyResults() {
    Operation *end = block.getTerminator();
    llvm::SmallPtrSet<Value, 4> seen;
    for (OpOperand &operand : end->getOpOperands()) {
      Value value = operand.get();
      if (hasGaps(value)) {
        operand.set(compactBefore(end, value));
      } else if (!isWrittenHere(value) || isJoined(value) || !seen.insert(value).second) {
        operand.set(copyBefore(end, value));
      }
    }
  }

  mlir::Block &block;
  const HardwareConfig &config;
};

struct InsertCopies : impl::InsertCopiesPassBase<InsertCopies> {
  using InsertCopiesPassBase::InsertCopiesPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    options ? CopyInserter(getOperation().getBody().front(), *options).run() : signalPassFailure();
  }
};

} // namespace
} // namespace convoy::nvdla
