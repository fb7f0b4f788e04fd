// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TransposedPhases. The full result of a transposed convolution begins `pad` elements
// before its result. Phases that begin at a multiple of the stride read the same inputs, so one
// convolution computes them, but it also computes the results in the padding. Phases that begin at
// the pad compute no surplus, and some of them read inputs that are one position later.
// The cheaper beginning depends on the number of positions. If the stride exceeds the kernel or
// shares a divisor with the dilation, some phases have no tap.

#include "Simplify/TransposedPhases.h"
#include "Simplify/StaticType.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <limits>
#include <numeric>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;

namespace {

/// Channels of a convolution are counted in multiples of this number, because templates compute
/// whole vectors of channels.
constexpr int64_t kChannelMultiple = 16;
/// The relative cost of each further convolution, which reads the input again.
constexpr double kConvCost = 0.05;
/// The most convolutions of one op. A large stride with groups can give one per phase.
constexpr int64_t kMostConvs = 64;
/// The most phases along an axis, and the most boxes of phases.
constexpr int64_t kMostPhases = 4096;
/// The most results along an axis, with surplus, per result of the op.
constexpr int64_t kMostSurplus = 4;

/// Returns whether the phase reads an input.
bool readsInput(const PhaseAxis &axis, const AxisPhase &phase) {
  AxisWindow window = axis.windowOf(phase);
  return std::min<int64_t>(window.padBegin, 0) + std::min<int64_t>(window.padEnd, 0) + axis.input >
         0;
}

/// Returns the axis, or nullopt if it has too many phases or too much surplus.
std::optional<PhaseAxis> axisOf(ConvTransposeOp conv, size_t i, bool isAligned) {
  int64_t kernel = staticType(conv.getWeight()).getDimSize(i + 2);
  int64_t output = staticType(conv.getResult()).getDimSize(i + 2);
  int64_t stride = conv.getStrides()[i], dilation = conv.getDilations()[i];
  int64_t pad = conv.getPads()[i], divisor = std::gcd(dilation, stride);
  if (stride > kMostPhases) {
    return std::nullopt;
  }
  PhaseAxis axis;
  axis.input = staticType(conv.getInput()).getDimSize(i + 2);
  axis.step = stride / divisor;
  axis.dilation = kernel <= axis.step ? 1 : dilation / divisor;
  int64_t begin = isAligned ? llvm::divideFloorSigned(pad, stride) * stride : pad;
  axis.surplus = pad - begin;
  axis.positions = llvm::divideCeilSigned(axis.surplus + output, stride);
  if (axis.positions * stride > kMostSurplus * output) {
    return std::nullopt;
  }
  SmallVector<int64_t> tapOf(stride, -1); // the first tap of each remainder
  for (int64_t tap = 0; tap < std::min(axis.step, kernel); ++tap) {
    tapOf[tap * dilation % stride] = tap;
  }
  for (int64_t place = begin; place < begin + stride; ++place) {
    int64_t low = llvm::divideFloorSigned(place, stride);
    int64_t remainder = place - low * stride;
    int64_t tap = tapOf[remainder];
    AxisPhase phase{tap, llvm::divideCeilSigned(kernel - tap, axis.step),
                    (tap * dilation - remainder) / stride, low};
    axis.phases.push_back(tap >= 0 && readsInput(axis, phase) ? phase : AxisPhase());
  }
  return axis;
}

/// Returns the ends of the runs of equal phases, or one end per phase if `isSingle`.
SmallVector<int64_t> endsOf(const PhaseAxis &axis, bool isSingle) {
  SmallVector<int64_t> ends;
  for (int64_t i = 1; i <= axis.stride(); ++i) {
    if (isSingle || i == axis.stride() || !(axis.phases[i] == axis.phases[i - 1])) {
      ends.push_back(i);
    }
  }
  return ends;
}

/// Returns the convolutions. If an axis is divided, all axes before it are divided into single
/// phases, so that the channels of the convolutions are the phases in row-major order. Several
/// convolutions with groups have single phases along all axes, because the channels of a group
/// include its phases. Returns nothing if there are more than kMostPhases.
SmallVector<PhaseBox> boxesOf(ArrayRef<PhaseAxis> axes, int64_t groups) {
  SmallVector<SmallVector<int64_t>> ends(axes.size());
  bool isDivided = groups > 1 && llvm::any_of(axes, [](const PhaseAxis &axis) {
                     return endsOf(axis, /*isSingle=*/false).size() > 1;
                   });
  for (size_t i = axes.size(); i-- > 0;) {
    ends[i] = endsOf(axes[i], isDivided);
    isDivided |= ends[i].size() > 1;
  }
  size_t count = 1;
  for (ArrayRef<int64_t> axisEnds : ends) {
    count = llvm::SaturatingMultiply(count, axisEnds.size());
  }
  if (count > kMostPhases) {
    return {};
  }
  SmallVector<PhaseBox> boxes(1);
  for (ArrayRef<int64_t> axisEnds : ends) {
    SmallVector<PhaseBox> longer;
    for (const PhaseBox &box : boxes) {
      int64_t begin = 0;
      for (int64_t end : axisEnds) {
        longer.push_back(box);
        longer.back().first.push_back(begin);
        longer.back().size.push_back(end - begin);
        begin = end;
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

/// Returns the relative cost: multiplications with whole vectors of output channels.
double costOf(const TransposedPhases &phases, ArrayRef<int64_t> weightShape, int64_t groups) {
  double cost = 0;
  for (const PhaseBox &box : phases.boxes) {
    int64_t channels = box.count() * weightShape[1];
    bool isDepthwise = groups == weightShape[0] && channels == 1;
    int64_t lanes = isDepthwise ? llvm::alignTo(static_cast<uint64_t>(groups), kChannelMultiple)
                                : groups * static_cast<int64_t>(llvm::alignTo(
                                               static_cast<uint64_t>(channels), kChannelMultiple));
    double own = static_cast<double>(lanes);
    for (auto [first, axis] : llvm::zip(box.first, phases.axes)) {
      own *= static_cast<double>(axis.phases[first].taps) * static_cast<double>(axis.positions);
    }
    cost += own;
  }
  return cost * (1 + kConvCost * static_cast<double>(phases.countConvs() - 1));
}

} // namespace

std::optional<TransposedPhases> TransposedPhases::of(ConvTransposeOp conv) {
  size_t rank = conv.getStrides().size();
  int64_t groups = conv.getGroups();
  std::optional<TransposedPhases> best;
  double least = std::numeric_limits<double>::infinity();
  for (uint64_t aligned = uint64_t(1) << rank; aligned-- > 0;) {
    TransposedPhases phases;
    for (size_t i = 0; i < rank; ++i) {
      std::optional<PhaseAxis> axis = axisOf(conv, i, aligned >> i & 1);
      if (!axis) {
        break;
      }
      phases.axes.push_back(*axis);
    }
    if (phases.axes.size() != rank) {
      continue;
    }
    phases.boxes = boxesOf(phases.axes, groups);
    if (phases.boxes.empty() || phases.countConvs() > kMostConvs) {
      continue;
    }
    double cost = costOf(phases, staticType(conv.getWeight()).getShape(), groups);
    if (cost < least) {
      least = cost;
      best = std::move(phases);
    }
  }
  return best;
}

Tensor TransposedPhases::weightsOf(const Tensor &weights, const PhaseBox &box,
                                   int64_t groups) const {
  int64_t inputs = weights.dim(0) / groups, outputs = weights.dim(1);
  ArrayRef<int64_t> kernel = weights.shape().drop_front(2);
  Shape shape = {groups * box.count() * outputs, inputs};
  for (auto [first, axis] : llvm::zip(box.first, axes)) {
    shape.push_back(axis.phases[first].taps);
  }
  Tensor result(weights.type(), shape);
  size_t step = storageBytes(weights.type());
  char *to = result.mutableData<char>();
  const char *from = static_cast<const char *>(weights.raw());
  int64_t taps = *elementCount(ArrayRef(shape).drop_front(2));
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t tap = i % taps, rest = i / taps;
    int64_t input = rest % inputs, channel = rest / inputs;
    int64_t phase = channel / outputs % box.count();
    int64_t group = channel / outputs / box.count();
    int64_t place = 0, stride = 1; // in the plane of the kernel
    for (size_t axis = kernel.size(); axis-- > 0;) {
      int64_t reversed = shape[axis + 2] - 1 - tap % shape[axis + 2];
      place += (phaseOf(box, axis, phase).firstTap + axes[axis].step * reversed) * stride;
      tap /= shape[axis + 2];
      stride *= kernel[axis];
    }
    int64_t source = ((group * inputs + input) * outputs + channel % outputs) * stride + place;
    std::memcpy(to + i * step, from + source * step, step);
  }
  return result;
}

} // namespace convoy::simplify
