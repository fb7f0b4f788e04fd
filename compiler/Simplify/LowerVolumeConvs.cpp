// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convolutions over depth, rows and columns to convolutions over rows and columns, which
// have kernel templates. A volume 1 x C x D x H x W becomes D images of C channels, D x C x H x W.
// The slices that a depth tap reads are the images, moved by the tap and padded:
//
//     all input channels    conv(concat of the moved images along channels)    one convolution
//     depthwise             sum of moved conv(images, weights of the tap)      one per tap
//     depthwise, k x 1 x 1  sum of moved images * weights of the tap           element-wise
//
// Element-wise ops and means between the convolutions compute on images too, so that only the ends
// of a network of volumes transpose.

#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "Simplify/StaticType.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstring>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERVOLUMECONVSPASS
#include "Simplify/Passes.h.inc"

namespace {

/// Returns the shape of a volume of batch 1, or nothing.
ArrayRef<int64_t> volumeShape(Value value) {
  RankedTensorType type = staticType(value);
  bool isVolume =
      type && type.getRank() == 5 && type.getDimSize(0) == 1 && type.getNumElements() > 0;
  return isVolume ? type.getShape() : ArrayRef<int64_t>();
}

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
  bool isSplit = (op.getKind() == ReduceKind::Mean && isFloat) ||
                 op.getKind() == ReduceKind::Sum || op.getKind() == ReduceKind::Max ||
                 op.getKind() == ReduceKind::Min;
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
    if (input.empty() || volumeShape(conv.getResult()).empty() ||
        !constantValue(conv.getWeight()) || conv.getStrides().size() != 3) {
      return false;
    }
    auto groups = static_cast<int64_t>(conv.getGroups());
    bool isDepthwise = groups == input[1] && groups == volumeShape(conv.getResult())[1];
    return groups == 1 || isDepthwise || staticType(conv.getWeight()).getDimSize(2) == 1;
  }

  /// Returns whether the op computes on images if one of its operands has images.
  bool canFollow(Operation *op) {
    bool hasImages =
        llvm::any_of(op->getOperands(), [&](Value operand) { return images.contains(operand); });
    if (!hasImages || op->getNumResults() != 1 || volumeShape(op->getResult(0)).empty()) {
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
      known =
          b.reshape(b.transpose(volume, {2, 0, 1, 3, 4}), {shape[2], shape[1], shape[3], shape[4]});
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
    bool isPlain = taps == 1 || conv.getGroups() == 1;
    setImages(conv, b, isPlain ? overChannels(b, conv, input) : overTaps(b, conv, input));
  }

  /// Returns the images that the depth tap reads, one for each depth of the result.
  static Value moved(TypedBuilder &b, ConvOp conv, Value source, int64_t tap) {
    int64_t depths = volumeShape(conv.getResult())[2];
    int64_t stride = conv.getStrides()[0];
    int64_t begin = tap * conv.getDilations()[0] - conv.getPads()[0];
    int64_t end = begin + (depths - 1) * stride + 1;
    int64_t size = staticType(source).getDimSize(0);
    if (begin != 0 || end != size) {
      source = b.emit<PadOp>(source, b.ints({-begin, 0, 0, 0, end - size, 0, 0, 0}), Value(),
                             Value(), PadMode::Constant);
    }
    return stride == 1 ? source
                       : b.emit<SliceOp>(source, b.ints({0}), b.ints({end - begin}), b.ints({0}),
                                         b.ints({stride}));
  }

  /// Returns a convolution over rows and columns with the attributes of `conv`.
  static Value conv2d(TypedBuilder &b, ConvOp conv, Value input, const Tensor &weight, Value bias) {
    ArrayRef<int64_t> pads = conv.getPads();
    int64_t ends[] = {pads[1], pads[2], pads[4], pads[5]};
    return b.emit<ConvOp>(input, b.constant(weight), bias, conv.getStrides().drop_front(),
                          ArrayRef<int64_t>(ends), conv.getDilations().drop_front(),
                          conv.getGroups());
  }

  /// Returns one convolution whose input channels are the depth taps and the channels.
  static Value overChannels(TypedBuilder &b, ConvOp conv, Value input) {
    Tensor weight = *constantValue(conv.getWeight());
    SmallVector<Value> parts;
    for (int64_t tap = 0; tap < weight.dim(2); ++tap) {
      parts.push_back(moved(b, conv, input, tap));
    }
    return conv2d(b, conv, b.concat(parts, 1), tapsFirst(weight), conv.getBias());
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
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Tensor own = ofTap(weight, tap);
      Value part = isOfDepth ? b.mul(moved(b, conv, input, tap),
                                     b.constant(own.reshaped({1, channels, 1, 1})))
                             : moved(b, conv, conv2d(b, conv, input, own, Value()), tap);
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

  /// Repeats an element-wise op or a reduction on images.
  void follow(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Value rows = b.reduce(reduce.getKind(), imagesOf(b, reduce.getInput()), {2, 3});
      return setImages(op, b, b.reduce(reduce.getKind(), rows, {0}));
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool isVolume = !volumeShape(operand).empty() && !isChannelConstant(operand);
      operands.push_back(isVolume ? imagesOf(b, operand) : channelConstant(b, operand));
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(b.placeholder());
    setImages(op, b, b.infer(copy)->getResult(0));
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
      Value apart = b.reshape(images[volume], {shape[2], 1, shape[1], shape[3], shape[4]});
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
