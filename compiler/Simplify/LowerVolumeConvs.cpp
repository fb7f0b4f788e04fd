// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convolutions over depth, rows and columns to convolutions over rows and columns, which
// have kernel templates. Volumes N x C x D x H x W become D * N images of C channels, with the
// depth outermost. The slices that a depth tap reads are the images, moved by the tap and padded:
//
//     all input channels    conv(concat of the moved images along channels)    one convolution
//     groups                the same, with the taps as channels of each group  one convolution
//     depthwise             sum of moved conv(images, weights of the tap)      one per tap
//     depthwise, k x 1 x 1  sum of moved images * weights of the tap           element-wise
//     pools                 largest or mean of the moved pool(images)          one pool
//
// Element-wise ops, pools and reductions between the convolutions compute on images too, so that
// only the ends of a network of volumes transpose.

#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "Simplify/VolumeImages.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERVOLUMECONVSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Each depth tap is a copy of the images or a convolution.
constexpr int64_t kMostDepthTaps = 64;

/// Returns whether a constant broadcasts along all dimensions of a volume but the channels.
bool isChannelConstant(Value value) {
  RankedTensorType type = staticType(value);
  if (!type || !constantValue(value) || type.getRank() > 5) {
    return false;
  }
  int64_t channel = type.getRank() - 4; // aligned at the last dimension
  return type.getNumElements() == 1 ||
         (channel >= 0 && type.getDimSize(channel) == type.getNumElements());
}

/// Returns whether a reduction over depth, rows and columns can be divided into two reductions.
/// The mean of integers cannot, because each division rounds.
bool reducesVolume(ReduceOp op) {
  std::optional<Tensor> axes = op.getAxes() ? constantValue(op.getAxes()) : std::nullopt;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getInput().getType()));
  bool isSplit = (op.getKind() == ReduceKind::Mean && isFloat) || op.getKind() == ReduceKind::Sum ||
                 op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min;
  if (!axes || !isSplit || !op.getKeepDims() || axes->size() != 3) {
    return false;
  }
  Shape list = axes->ints();
  for (int64_t &axis : list) {
    axis += axis < 0 ? 5 : 0;
  }
  llvm::sort(list);
  return list == Shape({2, 3, 4});
}

class VolumeLowering {
public:
  /// Lowers the ops of a block. Returns the number of lowered convolutions.
  int64_t run(Block &block) {
    int64_t convs = 0;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto conv = dyn_cast<ConvOp>(op); conv && canLower(conv)) {
        lower(conv);
        ++convs;
      } else if (canFollow(&op)) {
        follow(&op);
      }
    }
    for (Operation *op : llvm::reverse(lowered)) {
      restore(op);
    }
    return convs;
  }

  bool hasFailed = false;

private:
  static bool canLower(ConvOp conv) {
    ArrayRef<int64_t> input = volumeShape(conv.getInput());
    return !input.empty() && !volumeShape(conv.getResult()).empty() &&
           constantValue(conv.getWeight()) &&
           staticType(conv.getWeight()).getDimSize(2) <= kMostDepthTaps;
  }

  static bool isDepthwise(ConvOp conv) {
    auto groups = static_cast<int64_t>(conv.getGroups());
    return groups > 1 && groups == volumeShape(conv.getInput())[1] &&
           groups == volumeShape(conv.getResult())[1];
  }

  /// Returns whether the op computes on images if one of its operands has images.
  bool canFollow(Operation *op) {
    bool hasImages =
        llvm::any_of(op->getOperands(), [&](Value operand) { return images.contains(operand); });
    if (!hasImages || op->getNumResults() == 0 || volumeShape(op->getResult(0)).empty()) {
      return false;
    }
    if (isa<MaxPoolOp, AveragePoolOp>(op)) {
      return poolsImages(op);
    }
    if (op->getNumResults() != 1) {
      return false;
    }
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      return reducesVolume(reduce);
    }
    return collapsesDimensions(op) && !isa<ConstantOp, BitcastOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isChannelConstant(operand) || !volumeShape(operand).empty();
           });
  }

  /// Returns the images of a volume.
  Value imagesOf(TypedBuilder &b, Value volume) {
    Value &known = images[volume];
    if (!known) {
      ArrayRef<int64_t> shape = volumeShape(volume);
      known = b.reshape(b.transpose(volume, {2, 0, 1, 3, 4}),
                        {shape[2] * shape[0], shape[1], shape[3], shape[4]});
    }
    return known;
  }

  void setImages(Operation *op, TypedBuilder &b, Value result) {
    images[op->getResult(0)] = result;
    lowered.push_back(op);
    hasFailed |= b.hasFailed;
  }

  void lower(ConvOp conv) {
    OpBuilder builder(conv);
    TypedBuilder b(builder, conv.getLoc());
    Value input = imagesOf(b, conv.getInput());
    int64_t taps = staticType(conv.getWeight()).getDimSize(2);
    setImages(conv, b,
              taps > 1 && isDepthwise(conv) ? overTaps(b, conv, input)
                                            : overChannels(b, conv, input));
  }

  /// Returns a convolution over rows and columns with the attributes of `conv`.
  static Value conv2d(TypedBuilder &b, ConvOp conv, Value input, const Tensor &weight, Value bias) {
    return b.emit<ConvOp>(input, b.constant(weight), bias, planeOf(conv.getStrides()),
                          planeOf(conv.getPads()), planeOf(conv.getDilations()), conv.getGroups());
  }

  /// Returns one convolution whose input channels are the depth taps and the channels, in each
  /// group.
  static Value overChannels(TypedBuilder &b, ConvOp conv, Value input) {
    Tensor weight = *constantValue(conv.getWeight());
    int64_t taps = weight.dim(2), count = volumeShape(conv.getInput())[0];
    int64_t groups = taps > 1 ? static_cast<int64_t>(conv.getGroups()) : 1;
    ArrayRef<int64_t> shape = staticType(input).getShape();
    DepthWindow window = DepthWindow::of(conv);
    SmallVector<Value> parts;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Value part = window.moved(b, count, input, tap);
      parts.push_back(groups == 1 ? part
                                  : b.reshape(part, {window.outputs * count, groups,
                                                     shape[1] / groups, shape[2], shape[3]}));
    }
    Value joined = b.concat(parts, groups == 1 ? 1 : 2);
    if (groups > 1) {
      joined = b.reshape(joined, {window.outputs * count, taps * shape[1], shape[2], shape[3]});
    }
    return conv2d(b, conv, joined, tapsFirst(weight), conv.getBias());
  }

  /// Returns weights O x I x D x H x W as O x (D * I) x H x W.
  static Tensor tapsFirst(const Tensor &weight) {
    int64_t inputs = weight.dim(1), depth = weight.dim(2);
    int64_t plane =
        weight.dim(3) * weight.dim(4) * static_cast<int64_t>(storageBytes(weight.type()));
    Tensor result(weight.type(), {weight.dim(0), depth * inputs, weight.dim(3), weight.dim(4)});
    char *to = result.mutableData<char>();
    const char *from = static_cast<const char *>(weight.raw());
    for (int64_t o = 0; o < weight.dim(0); ++o) {
      for (int64_t i = 0; i < inputs; ++i) {
        for (int64_t d = 0; d < depth; ++d) {
          std::memcpy(to + ((o * depth + d) * inputs + i) * plane,
                      from + ((o * inputs + i) * depth + d) * plane, plane);
        }
      }
    }
    return result;
  }

  /// Returns the sum over the depth taps of a depthwise convolution.
  static Value overTaps(TypedBuilder &b, ConvOp conv, Value input) {
    Tensor weight = tapsFirst(*constantValue(conv.getWeight()));
    int64_t channels = weight.dim(0), taps = weight.dim(1);
    bool isOfDepth = weight.dim(2) * weight.dim(3) == 1 && keepsPlane(conv);
    int64_t count = volumeShape(conv.getInput())[0];
    DepthWindow window = DepthWindow::of(conv);
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Tensor own = ofTap(weight, tap);
      Value part = isOfDepth ? b.mul(window.moved(b, count, input, tap),
                                     b.constant(own.reshaped({1, channels, 1, 1})))
                             : window.moved(b, count, conv2d(b, conv, input, own, Value()), tap);
      sum = sum ? b.add(sum, part) : part;
    }
    if (conv.getBias()) {
      sum = b.add(sum, b.reshape(conv.getBias(), {1, channels, 1, 1}));
    }
    return sum;
  }

  /// Returns whether rows and columns of the result are those of the input.
  static bool keepsPlane(ConvOp conv) {
    ArrayRef<int64_t> pads = conv.getPads();
    return conv.getStrides()[1] == 1 && conv.getStrides()[2] == 1 && pads[1] == 0 && pads[2] == 0 &&
           pads[4] == 0 && pads[5] == 0;
  }

  /// Returns the weights C x 1 x H x W of one tap from C x D x H x W.
  static Tensor ofTap(const Tensor &weight, int64_t tap) {
    int64_t plane =
        weight.dim(2) * weight.dim(3) * static_cast<int64_t>(storageBytes(weight.type()));
    Tensor result(weight.type(), {weight.dim(0), 1, weight.dim(2), weight.dim(3)});
    for (int64_t c = 0; c < weight.dim(0); ++c) {
      std::memcpy(result.mutableData<char>() + c * plane,
                  static_cast<const char *>(weight.raw()) + (c * weight.dim(1) + tap) * plane,
                  plane);
    }
    return result;
  }

  /// Repeats an element-wise op, a pool or a reduction on images.
  void follow(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    Value result = llvm::TypeSwitch<Operation *, Value>(op)
                       .Case([&](ReduceOp reduce) { return reduced(b, reduce); })
                       .Case<MaxPoolOp, AveragePoolOp>(
                           [&](auto pool) { return pooled(b, pool, imagesOf(b, pool.getInput())); })
                       .Default([&](Operation *) { return repeated(b, op); });
    setImages(op, b, result);
  }

  /// Returns an element-wise op on images.
  Value repeated(TypedBuilder &b, Operation *op) {
    ArrayRef<int64_t> whole = volumeShape(op->getResult(0));
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool isVolume = !volumeShape(operand).empty() && !isChannelConstant(operand);
      operands.push_back(isVolume ? spread(b, operand, whole) : channelConstant(b, operand));
    }
    Operation *copy = b.builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(b.placeholder());
    return b.infer(copy)->getResult(0);
  }

  /// Returns the images of a volume for an element-wise op with result shape `whole`. Dimension 0
  /// broadcasts volumes and depths together only if one of them is 1 in the result.
  Value spread(TypedBuilder &b, Value volume, ArrayRef<int64_t> whole) {
    Value own = imagesOf(b, volume);
    ArrayRef<int64_t> shape = volumeShape(volume);
    bool isWhole = shape[0] == whole[0] && shape[2] == whole[2];
    if (isWhole || whole[0] == 1 || whole[2] == 1) {
      return own;
    }
    Value apart = b.reshape(own, {shape[2], shape[0], shape[1], shape[3], shape[4]});
    apart = b.emit<ExpandOp>(apart, b.ints({whole[2], whole[0], shape[1], shape[3], shape[4]}));
    return b.reshape(apart, {whole[2] * whole[0], shape[1], shape[3], shape[4]});
  }

  /// Returns a reduction over rows and columns, then over depths.
  Value reduced(TypedBuilder &b, ReduceOp reduce) {
    ArrayRef<int64_t> shape = volumeShape(reduce.getInput());
    Value rows = b.reduce(reduce.getKind(), imagesOf(b, reduce.getInput()), {2, 3});
    if (shape[0] == 1) {
      return b.reduce(reduce.getKind(), rows, {0});
    }
    Value apart = b.reshape(rows, {shape[2], shape[0], shape[1]});
    return b.reshape(b.reduce(reduce.getKind(), apart, {0}), {shape[0], shape[1], 1, 1});
  }

  /// Returns a constant of a volume as a constant of images.
  static Value channelConstant(TypedBuilder &b, Value value) {
    Tensor tensor = *constantValue(value);
    Shape shape;
    if (tensor.size() > 1) {
      shape = {1, tensor.size(), 1, 1}; // blocked layouts need the rank of the images
    }
    return b.constant(tensor.reshaped(shape));
  }

  /// Gives the remaining readers of a lowered op the volume of its images, and erases the op.
  void restore(Operation *op) {
    Value volume = op->getResult(0);
    if (!volume.use_empty()) {
      OpBuilder builder(op);
      TypedBuilder b(builder, op->getLoc());
      ArrayRef<int64_t> shape = volumeShape(volume);
      Value apart = b.reshape(images[volume], {shape[2], shape[0], shape[1], shape[3], shape[4]});
      volume.replaceAllUsesWith(b.transpose(apart, {1, 2, 0, 3, 4}));
      hasFailed |= b.hasFailed;
    }
    op->erase();
  }

  llvm::DenseMap<Value, Value> images;
  SmallVector<Operation *> lowered;
};

struct LowerVolumeConvs : impl::LowerVolumeConvsPassBase<LowerVolumeConvs> {
  void runOnOperation() override {
    VolumeLowering lowering;
    loweredConvs += lowering.run(getOperation().front());
    if (lowering.hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::simplify
