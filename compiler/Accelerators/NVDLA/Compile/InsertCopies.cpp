// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserts copies so that values are stored where their readers require them. The inputs of a join
// are written into the cube of the join, so each input must be written in this function and joined
// once. A result has its own memory without gaps between channels. A blend reads two cubes of one
// memory with the same channels and rows.

#include "Accelerators/NVDLA/Compile/FloatLayers.h"
#include "Accelerators/NVDLA/Compile/LowerConvCore.h"
#include "Accelerators/NVDLA/Compile/SumRule.h"
#include "Graph/Constant.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace convoy::nvdla {
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
      } else if (auto blend = dyn_cast<BlendOp>(op)) {
        copyBlendInputs(blend);
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

  static bool isWrittenHere(Value value) {
    return isa_and_nonnull<SdpOp, PdpOp, CdpOp, TableCdpOp, JoinOp>(value.getDefiningOp());
  }

  static bool isJoined(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) { return isa<JoinOp>(user); });
  }

  static Value copyBefore(Operation *op, Value value) {
    OpBuilder builder(op);
    return buildCopy(builder, value.getLoc(), value, value.getType());
  }

  bool hasGaps(Value value) const {
    ChannelMap map = channelMapOf(value, lanesOf(config, precisionOf(value.getType())));
    return physicalChannels(map) != static_cast<int64_t>(map.size());
  }

  /// Copies the value without gaps between channels, with a convolution whose weights are the
  /// identity.
  static Value compactBefore(Operation *op, Value value) {
    OpBuilder builder(op);
    int64_t channels = cubeOf(value.getType())->channels;
    auto type = cast<RankedTensorType>(value.getType());
    if (isa<FloatType>(type.getElementType())) {
      return pickFloatChannels(value, /*first=*/0, type, builder);
    }
    Tensor weight(ElementType::I8, {channels, channels, 1, 1});
    for (int64_t c = 0; c < channels; ++c) {
      weight.setInt(c * channels + c, 1);
    }
    int64_t ones[] = {1, 1};
    int64_t pads[] = {0, 0, 0, 0};
    Value conv = builder.create<ConvOp>(value.getLoc(), type.clone(builder.getI32Type()), value,
                                        graph::constant(builder, value.getLoc(), weight), ones,
                                        pads, ones, /*groups=*/1, /*padValue=*/0);
    return buildCopy(builder, value.getLoc(), conv, type);
  }

  void copyJoinInputs(JoinOp join) {
    llvm::SmallPtrSet<Value, 8> seen;
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

  void copyBlendInputs(BlendOp blend) {
    for (OpOperand &operand : blend->getOpOperands()) {
      Value value = operand.get();
      if (hasGaps(value)) {
        operand.set(compactBefore(blend, value));
      } else if (!isWrittenHere(value)) {
        operand.set(copyBefore(blend, value));
      }
    }
  }

  /// Returns whether a blend reads the value or a value that is written into it.
  static bool isBlended(Value value) {
    auto join = value.getDefiningOp<JoinOp>();
    return llvm::any_of(value.getUsers(), [](Operation *user) { return isa<BlendOp>(user); }) ||
           (join && llvm::any_of(join.getInputs(), isBlended));
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
    bool isSum = isa_and_nonnull<ConvOp, BlendOp>(sdp.getSource().getDefiningOp());
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
      } else if (!isWrittenHere(value) || isJoined(value) || isBlended(value) ||
                 !seen.insert(value).second) {
        operand.set(copyBefore(end, value));
      }
    }
  }

  mlir::Block &block;
  const HardwareConfig &config;
};

} // namespace

void insertCopies(mlir::Block &block, const NvdlaOptions &options) {
  CopyInserter(block, options).run();
}

} // namespace convoy::nvdla
