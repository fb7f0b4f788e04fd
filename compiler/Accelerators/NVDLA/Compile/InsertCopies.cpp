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
        compactInput(&op);
      } else if (auto sdp = dyn_cast<SdpOp>(op)) {
        compactSdpOperands(sdp);
      } else if (auto contract = dyn_cast<ContractOp>(op)) {
        separateBlocks(contract);
      } else if (isa<SplitOp>(op)) {
        compactInput(&op);
      } else if (auto turn = dyn_cast<TurnOp>(op)) {
        compactInput(turn);
        copyTurned(turn);
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

  void compactInput(Operation *op) {
    if (hasGaps(op->getOperand(0))) {
      op->setOperand(0, compactBefore(op, op->getOperand(0)));
    }
  }

  /// Returns whether the rows of a cube have an even number of atoms, or can be padded: the cube
  /// has memory of its own.
  static bool canBeEven(Value value) {
    bool isOwn = isWrittenHere(value) && !value.getDefiningOp<JoinOp>();
    return cubeOf(value.getType())->width % 2 == 0 ||
           (isOwn && !llvm::any_of(value.getUsers(), isPlaced));
  }

  /// Returns whether a user of a value decides where the value is stored.
  static bool isPlaced(Operation *user) {
    return isa<JoinOp>(user) || user->hasTrait<OpTrait::IsTerminator>();
  }

  /// Copies the input or the result of a turn if its rows have an odd number of atoms and cannot be
  /// padded.
  static void copyTurned(TurnOp turn) {
    if (turn.getToLast() && !canBeEven(turn.getInput())) {
      turn.getInputMutable().assign(copyBefore(turn, turn.getInput()));
    } else if (!turn.getToLast() && !canBeEven(turn)) {
      OpBuilder builder(turn->getBlock(), std::next(turn->getIterator()));
      Value copy = buildCopy(builder, turn.getLoc(), turn, turn.getType());
      turn.getResult().replaceUsesWithIf(copy,
                                         [](OpOperand &use) { return isPlaced(use.getOwner()); });
    }
  }

  /// Stores each block of channels that RUBIK contracts in atoms of its own.
  void separateBlocks(ContractOp contract) {
    Value input = contract.getInput();
    auto type = cast<RankedTensorType>(input.getType());
    int64_t blocks = contract.getStrides()[0] * contract.getStrides()[1];
    int64_t lanes = lanesOf(config, precisionOf(type));
    if (isInBlocks(channelMapOf(input, lanes), blocks, lanes)) {
      return;
    }
    CubeSize size = *cubeOf(type);
    SmallVector<int64_t> order = blockOrder(blocks, size.channels / blocks, lanes);
    OpBuilder builder(contract);
    contract.getInputMutable().assign(
        buildSelection(builder, input.getLoc(), input, order,
                       type.clone({1, int64_t(order.size()), size.height, size.width})));
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
