// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuses adjacent layers one pair at a time until nothing changes. The value between the two layers
// of a pair has no other user. Used by convoy-accelerators-fuse-layers, by placement and by the
// device stage.

#include "Accelerators/Rewrites.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace convoy::accelerators {
namespace {

using convcore::ActAttr;
using convcore::ActKind;
using convcore::LayerBuilder;

constexpr llvm::StringLiteral kActivation = "activation";
constexpr llvm::StringLiteral kRequant = "requant";

/// Returns whether the device supports the layer, or would support it with a smaller window.
/// MapLayers.cpp later replaces a pool with a large window as a whole.
bool isTaken(Operation *layer, const Accelerator &device) {
  std::optional<Refusal> refusal = whyNot(device, layer);
  return !refusal ||
         (isa<convcore::PoolOp>(layer) && (refusal->quantity == Quantity::KernelHeight ||
                                           refusal->quantity == Quantity::KernelWidth));
}

/// Replaces `op` with `fused` if the device supports `fused`; otherwise erases `fused`.
bool keepIfTaken(Operation *fused, Operation *op, Operation *inner, const Accelerator &device) {
  if (!isTaken(fused, device)) {
    fused->erase();
    return false;
  }
  convcore::joinNodes(fused, {op, inner});
  fused->setLoc(FusedLoc::get(op->getContext(), {inner->getLoc(), op->getLoc()}));
  op->getResult(0).replaceAllUsesWith(fused->getResult(0));
  op->erase();
  if (inner->use_empty()) {
    inner->erase();
  }
  return true;
}

/// Rewrites `%y = scale(conv(%x))` as `conv(%x)` with scaled weights. Both ops are linear in each
/// output channel.
bool foldScale(convcore::ScaleOp op, const Accelerator &device) {
  auto conv = onlyProducer<convcore::ConvOp>(op->getOperand(0));
  if (!conv || conv.getActivation() || conv.getRequant()) {
    return false;
  }
  std::optional<Tensor> weight = graph::constantValue(conv.getWeight());
  std::optional<Tensor> scale = graph::constantValue(op.getScale());
  std::optional<Tensor> oldBias =
      conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt;
  std::optional<Tensor> shift = op.getBias() ? graph::constantValue(op.getBias()) : std::nullopt;
  bool isKnown = weight && scale && (!conv.getBias() || oldBias) && (!op.getBias() || shift);
  if (!isKnown) {
    return false;
  }
  Tensor scaled(weight->type(), weight->shape());
  Tensor bias(weight->type(), {weight->dim(0)});
  int64_t perChannel = weight->size() / std::max<int64_t>(weight->dim(0), 1);
  for (int64_t i = 0; i < weight->size(); ++i) {
    scaled.setDouble(i, weight->asDouble(i) * scale->asDouble(i / perChannel));
  }
  for (int64_t c = 0; c < bias.size(); ++c) {
    double before = oldBias ? oldBias->asDouble(c) : 0;
    bias.setDouble(c, before * scale->asDouble(c) + (shift ? shift->asDouble(c) : 0));
  }
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Value fused = b.conv(conv.getInput(), scaled, bias,
                       {conv.getStrides(), conv.getPads(), conv.getDilations(),
                        static_cast<int64_t>(conv.getGroups())},
                       op.getActivationAttr());
  return keepIfTaken(fused.getDefiningOp(), op, conv, device);
}

/// Merges `%y = scale(scale(%x))` into one scale. A decomposed batch normalization has this form.
bool joinScales(convcore::ScaleOp op) {
  auto inner = onlyProducer<convcore::ScaleOp>(op->getOperand(0));
  if (!inner || inner.getActivation()) {
    return false;
  }
  std::optional<Tensor> first = graph::constantValue(inner.getScale());
  std::optional<Tensor> second = graph::constantValue(op.getScale());
  std::optional<Tensor> shift = inner.getBias() ? graph::constantValue(inner.getBias()) : first;
  std::optional<Tensor> last = op.getBias() ? graph::constantValue(op.getBias()) : second;
  if (!first || !second || !shift || !last) {
    return false;
  }
  Tensor scale(first->type(), first->shape());
  Tensor bias(first->type(), first->shape());
  for (int64_t c = 0; c < scale.size(); ++c) {
    double before = inner.getBias() ? shift->asDouble(c) : 0;
    double after = op.getBias() ? last->asDouble(c) : 0;
    scale.setDouble(c, first->asDouble(c) * second->asDouble(c));
    bias.setDouble(c, before * second->asDouble(c) + after);
  }
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Operation *fused = b.scale(inner.getInput(), scale, bias).getDefiningOp();
  if (op.getActivationAttr()) {
    fused->setAttr(kActivation, op.getActivationAttr());
  }
  // A device that does not support scale folds it into a convolution's weights later.
  convcore::joinNodes(fused, {op, inner});
  op.getResult().replaceAllUsesWith(fused->getResult(0));
  op.erase();
  inner.erase();
  return true;
}

/// Returns the bounds of an activation that clamps, or nothing.
std::optional<std::pair<double, double>> boundsOf(ActAttr activation) {
  if (activation.getKind() == ActKind::Relu) {
    return {{0, std::numeric_limits<double>::infinity()}};
  }
  if (activation.getKind() == ActKind::Clip) {
    return {{activation.lowValue(), activation.highValue()}};
  }
  return std::nullopt;
}

/// Merges clip(clip(x)) into one clip, or returns null if an activation is not a clip or relu.
ActAttr joinedClips(ActAttr inner, ActAttr outer) {
  auto first = boundsOf(inner);
  auto second = boundsOf(outer);
  if (!first || !second) {
    return {};
  }
  double low = std::clamp(first->first, second->first, second->second);
  double high = std::clamp(first->second, second->first, second->second);
  bool isRelu = low == 0 && std::isinf(high);
  return isRelu ? ActAttr::get(inner.getContext(), ActKind::Relu)
                : ActAttr::getClip(inner.getContext(), low, high);
}

/// Rewrites `%y = activation(layer(%x))` as a layer with this activation.
bool fuseActivation(convcore::ActivationOp op, const Accelerator &device) {
  Operation *layer = op.getInput().getDefiningOp();
  bool canHold = isa_and_nonnull<convcore::ConvOp, convcore::EltwiseOp, convcore::ScaleOp,
                                 convcore::ActivationOp>(layer);
  if (!canHold || !layer->hasOneUse() || layer->hasAttr(kRequant)) {
    return false;
  }
  ActAttr activation = op.getActivation();
  if (auto inner = layer->getAttrOfType<ActAttr>(kActivation)) {
    activation = joinedClips(inner, activation);
  }
  if (!activation) {
    return false;
  }
  OpBuilder builder(op);
  Operation *fused = builder.clone(*layer);
  fused->setAttr(kActivation, activation);
  return keepIfTaken(fused, op, layer, device);
}

/// Rewrites a 1x1 convolution after `reshape N x C x H x W -> N x CHW x 1 x 1` as a convolution
/// whose kernel covers the whole input, because devices with packed channels cannot reshape.
/// Inserts the new convolution before `at`. Returns null if there is no such reshape.
convcore::ConvOp withoutFlatten(convcore::ConvOp op, Operation *at) {
  auto flatten = op.getInput().getDefiningOp<convcore::ReshapeOp>();
  std::optional<Tensor> weight = graph::constantValue(op.getWeight());
  auto flat = cast<RankedTensorType>(op.getInput().getType()).getShape();
  if (!flatten || !weight || op.getGroups() != 1 || weight->dim(2) != 1 || weight->dim(3) != 1 ||
      flat[2] != 1 || flat[3] != 1) {
    return {};
  }
  auto shape = cast<RankedTensorType>(flatten.getInput().getType()).getShape();
  if (shape.size() != 4 || shape[0] != flat[0] || shape[2] * shape[3] == 1) {
    return {};
  }
  OpBuilder builder(at);
  Tensor kernel = weight->reshaped({weight->dim(0), shape[1], shape[2], shape[3]});
  Value constant = graph::constant(builder, op.getLoc(), kernel);
  auto whole = cast<convcore::ConvOp>(builder.clone(*op));
  whole.getInputMutable().assign(flatten.getInput());
  whole.getWeightMutable().assign(constant);
  convcore::joinNodes(whole, {flatten});
  return whole;
}

/// Rewrites `%y = requantize(layer(%x))`, where the layer produces i32, as a layer that
/// requantizes.
bool fuseRequantize(convcore::RequantizeOp op, const Accelerator &device) {
  Operation *layer = op.getInput().getDefiningOp();
  bool isOfOne = op.getRequant().getMultipliers().size() == 1;
  bool canHold =
      isa_and_nonnull<convcore::ConvOp>(layer) ||
      (isOfOne &&
       isa_and_nonnull<convcore::PoolOp, convcore::EltwiseOp, convcore::IntegerLrnOp>(layer));
  Type element = cast<RankedTensorType>(op.getInput().getType()).getElementType();
  bool givesSums = element.isSignlessInteger(32);
  if (!canHold || !givesSums || !layer->hasOneUse() || op.getInputZeroPoint() != 0) {
    return false;
  }
  OpBuilder builder(op);
  Operation *fused = builder.clone(*layer);
  fused->setAttr(kRequant, op.getRequantAttr());
  fused->getResult(0).setType(op.getType());
  if (keepIfTaken(fused, op, layer, device)) {
    return true;
  }
  // The device may support neither so many input channels of the flattened plane nor a convolution
  // with i32 results. Remove the reshape and fuse the requantization in one step.
  auto conv = dyn_cast<convcore::ConvOp>(layer);
  convcore::ConvOp whole = conv ? withoutFlatten(conv, op) : convcore::ConvOp();
  if (!whole) {
    return false;
  }
  whole.setRequantAttr(op.getRequantAttr());
  whole.getResult().setType(op.getType());
  return keepIfTaken(whole, op, conv, device);
}

/// Returns whether the requantization multiplies with floor(2^16 / size) / 2^16 and rounds half
/// away from zero. `zeroPoint` is added; the bounds are the range of the type.
bool dividesBy(convcore::RequantizeOp op, int64_t size, int64_t zeroPoint) {
  constexpr int64_t kShift = 16;
  convcore::RequantAttr requant = op.getRequant();
  ElementType type = fromMlir(requant.getType());
  int64_t low = isSignedInteger(type) ? -(int64_t(1) << (bitWidth(type) - 1)) : 0;
  return requant.getMultipliers() == ArrayRef<int64_t>{(int64_t(1) << kShift) / size} &&
         requant.getShifts() == ArrayRef<int64_t>{kShift} && op.getInputZeroPoint() == 0 &&
         requant.getZeroPoint() == zeroPoint && requant.getLow() == low &&
         requant.getHigh() == low + (int64_t(1) << bitWidth(type)) - 1 &&
         requant.getRounding() == graph::ShiftRounding::HalfAway;
}

/// Rewrites the sums of windows and the two requantizations of a mean that is rounded by axis as
/// one pool.
bool fuseMeanByAxis(convcore::RequantizeOp op, const Accelerator &device) {
  auto columns = onlyProducer<convcore::RequantizeOp>(op->getOperand(0));
  auto pool = columns ? onlyProducer<convcore::PoolOp>(columns->getOperand(0)) : convcore::PoolOp();
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
  bool isMean = pool && pool.getKind() == convcore::PoolKind::Average && !pool.getRequant() &&
                !pool.getByAxis() && elementOf(pool).isSignlessInteger(32) &&
                elementOf(columns).isSignlessInteger(32) &&
                elementOf(op) == elementOf(pool.getInput()) &&
                dividesBy(columns, pool.getKernel()[1], 0) &&
                dividesBy(op, pool.getKernel()[0], static_cast<int64_t>(pool.getInputZeroPoint()));
  if (!isMean) {
    return false;
  }
  OpBuilder builder(op);
  auto fused = cast<convcore::PoolOp>(builder.clone(*pool));
  fused.setByAxis(true);
  fused.getResult().setType(op.getType());
  if (whyNot(device, fused)) {
    fused->erase();
    return false;
  }
  convcore::joinNodes(fused, {op, columns, pool});
  fused->setLoc(FusedLoc::get(op->getContext(), {pool->getLoc(), op->getLoc()}));
  op.getResult().replaceAllUsesWith(fused.getResult());
  op->erase();
  columns->erase();
  pool->erase();
  return true;
}

/// Moves a reshape from N x C x 1 x 1 to N x C behind a layer that works per element or per
/// channel, so that the reshape does not block other fusions.
bool sinkReshape(Operation *op) {
  auto reshape = onlyProducer<convcore::ReshapeOp>(op->getOperand(0));
  if (!reshape) {
    return false;
  }
  auto from = cast<RankedTensorType>(reshape.getInput().getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  bool dropsOnes = from.getRank() == 4 && to.getRank() == 2 && from.getDimSize(2) == 1 &&
                   from.getDimSize(3) == 1 && to.getShape() == from.getShape().take_front(2);
  if (!dropsOnes) {
    return false;
  }
  OpBuilder builder(op);
  Operation *moved = builder.clone(*op);
  moved->setOperand(0, reshape.getInput());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  moved->getResult(0).setType(from.clone(result.getElementType()));
  Operation *behind = builder.clone(*reshape);
  behind->setOperand(0, moved->getResult(0));
  behind->getResult(0).setType(result);
  op->getResult(0).replaceAllUsesWith(behind->getResult(0));
  op->erase();
  reshape.erase();
  return true;
}

/// Rewrites a transpose and the reshape before it as one rearrangement, for a device that supports
/// rearrangements. The device then accepts or refuses the movement as a whole.
bool fuseTranspose(convcore::TransposeOp op, const Accelerator &device) {
  if (!device.capabilities().find("rearrange")) {
    return false;
  }
  auto before = onlyProducer<convcore::ReshapeOp>(op.getInput());
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Value fused = b.emit<convcore::RearrangeOp>(before ? before.getInput() : op.getInput(),
                                              b.shapeOf(op.getInput()), op.getPermutation(),
                                              b.shapeOf(op.getResult()));
  if (before) {
    convcore::joinNodes(fused.getDefiningOp(), {before});
    fused.setLoc(FusedLoc::get(op->getContext(), {before->getLoc(), op->getLoc()}));
  }
  op.getResult().replaceAllUsesWith(fused);
  return true; // eraseDead erases both ops
}

/// Rewrites a rearrangement and the reshape behind it as one rearrangement.
bool fuseReshape(convcore::ReshapeOp op) {
  auto inner = onlyProducer<convcore::RearrangeOp>(op.getInput());
  if (!inner) {
    return false;
  }
  OpBuilder builder(op);
  LayerBuilder b(builder, op);
  Value fused = b.emit<convcore::RearrangeOp>(inner.getInput(), inner.getApart(),
                                              inner.getPermutation(), op.getShape());
  convcore::joinNodes(fused.getDefiningOp(), {inner});
  fused.setLoc(FusedLoc::get(op->getContext(), {inner->getLoc(), op->getLoc()}));
  op.getResult().replaceAllUsesWith(fused);
  return true; // eraseDead erases both ops
}

bool fuseFlatten(convcore::ConvOp op, const Accelerator &device) {
  convcore::ConvOp whole = withoutFlatten(op, op);
  return whole && keepIfTaken(whole, op, op.getInput().getDefiningOp(), device);
}

/// Adds to `to` the node numbers of `gone` that no other op carries. The reshape before a fully
/// connected layer carries the layer's number, and the producer of its input must not inherit it.
void joinLostNodes(Operation *to, Operation *gone) {
  SmallVector<int64_t> nodes(convcore::nodesOf(to));
  for (int64_t node : convcore::nodesOf(gone)) {
    bool isElsewhere = llvm::any_of(*gone->getBlock(), [&](Operation &other) {
      return &other != gone && llvm::is_contained(convcore::nodesOf(&other), node);
    });
    if (!isElsewhere) {
      nodes.push_back(node);
    }
  }
  llvm::sort(nodes);
  to->setAttr(convcore::kNodesAttr, DenseI64ArrayAttr::get(to->getContext(), nodes));
}

/// Removes ops that do nothing and merges reshapes of reshapes.
bool removeNoOp(Operation *op) {
  if (auto reshape = dyn_cast<convcore::ReshapeOp>(op)) {
    if (auto inner = reshape.getInput().getDefiningOp<convcore::ReshapeOp>()) {
      convcore::joinNodes(reshape, {inner});
      reshape.getInputMutable().assign(inner.getInput());
      return true;
    }
  }
  bool isNoOp = isa<convcore::CopyOp, convcore::ReshapeOp, convcore::ConcatOp>(op) &&
                op->getNumOperands() == 1 &&
                op->getOperand(0).getType() == op->getResult(0).getType();
  Operation *producer = isNoOp ? op->getOperand(0).getDefiningOp() : nullptr;
  if (!producer || isa<graph::ConstantOp>(producer)) {
    return false; // an argument or constant that is returned must still be copied
  }
  joinLostNodes(producer, op);
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  return true;
}

bool fuseOne(Operation *op, const Accelerator &device) {
  if (isa<convcore::ScaleOp, convcore::ActivationOp, convcore::RequantizeOp, convcore::PReluOp>(
          op) &&
      sinkReshape(op)) {
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](convcore::ScaleOp scale) { return joinScales(scale) || foldScale(scale, device); })
      .Case([&](convcore::ActivationOp activation) { return fuseActivation(activation, device); })
      .Case([&](convcore::RequantizeOp requantize) {
        return fuseRequantize(requantize, device) || fuseMeanByAxis(requantize, device) ||
               fuseNormalization(requantize, device);
      })
      .Case([&](convcore::ConvOp conv) { return fuseFlatten(conv, device); })
      .Case([&](convcore::TransposeOp transpose) { return fuseTranspose(transpose, device); })
      .Case(
          [&](convcore::ReshapeOp reshape) { return fuseReshape(reshape) || removeNoOp(reshape); })
      .Default([](Operation *other) { return removeNoOp(other); });
}

/// Erases unused ops in reverse order, so that an op whose only user is erased is erased too.
void eraseDead(mlir::Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator()) {
    ops.push_back(&op);
  }
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
}

} // namespace

void fuseLayers(func::FuncOp function, const Accelerator &device) {
  mlir::Block &block = function.getBody().front();
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (!op.use_empty()) {
        hasChanged |= fuseOne(&op, device);
      }
    }
    eraseDead(block);
  }
}

} // namespace convoy::accelerators
