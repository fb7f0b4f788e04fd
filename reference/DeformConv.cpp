// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates deformable convolution. For each result position, collects all
// samples in one column and multiplies it by the weights of each output
// channel.

#include "reference/Convolution.h"
#include "reference/Elements.h"
#include "reference/Odometer.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Returns the linearly interpolated value at a fractional position; zero
/// outside the plane. Skips neighbors that are outside or have weight zero, so
/// the number of visited neighbors does not exceed the number of elements of
/// the plane for any rank.
double sampleLinear(const double *plane, ArrayRef<int64_t> shape, ArrayRef<double> at,
                    double weight = 1, int64_t offset = 0) {
  if (shape.empty()) {
    return weight * plane[offset];
  }
  double low = std::floor(at.front());
  double rest = at.front() - low;
  double sum = 0;
  for (bool isHigh : {false, true}) {
    double index = low + isHigh;
    double part = weight * (isHigh ? rest : 1 - rest);
    if (part != 0 && index >= 0 && index < static_cast<double>(shape.front())) {
      sum += sampleLinear(plane, shape.drop_front(), at.drop_front(), part,
                          offset * shape.front() + static_cast<int64_t>(index));
    }
  }
  return sum;
}

/// A deformable convolution at one result position of one batch.
struct DeformedWindow {
  ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups; // offset groups
  const Tensor &input;
  const Tensor &offset;
  const Tensor *mask;
  ArrayRef<int64_t> kernel;
  const double *x;

  /// Computes the sampling position of kernel element k of an offset group.
  void locate(int64_t batch, int64_t group, int64_t tap, ArrayRef<int64_t> k,
              ArrayRef<int64_t> position, int64_t flatPosition, MutableArrayRef<double> at) const {
    int64_t rank = kernel.size();
    int64_t plane = product(offset.shape().drop_front(2));
    int64_t channel = (group * product(kernel) + tap) * rank;
    for (int64_t i = 0; i < rank; ++i) {
      double shift = offset.asDouble((batch * offset.dim(1) + channel + i) * plane + flatPosition);
      at[i] = static_cast<double>(position[i] * strides[i] - pads[i] + k[i] * dilations[i]) + shift;
    }
  }

  double maskAt(int64_t batch, int64_t group, int64_t tap, int64_t flatPosition) const {
    if (!mask) {
      return 1;
    }
    int64_t plane = product(mask->shape().drop_front(2));
    int64_t channel = group * product(kernel) + tap;
    return mask->asDouble((batch * mask->dim(1) + channel) * plane + flatPosition);
  }

  /// Samples all input channels and kernel elements, channel-major.
  void sample(int64_t batch, ArrayRef<int64_t> position, int64_t flatPosition,
              std::vector<double> &column) const {
    int64_t taps = product(kernel);
    int64_t channels = input.dim(1) / groups;
    ArrayRef<int64_t> spatial = input.shape().drop_front(2);
    int64_t plane = product(spatial);
    SmallVector<double> at(kernel.size());
    for (int64_t group = 0; group < groups; ++group) {
      Shape k(kernel.size(), 0);
      for (int64_t tap = 0; tap < taps; ++tap, advance(k, kernel)) {
        locate(batch, group, tap, k, position, flatPosition, at);
        double factor = maskAt(batch, group, tap, flatPosition);
        for (int64_t c = group * channels; c < (group + 1) * channels; ++c) {
          const double *from = x + (batch * input.dim(1) + c) * plane;
          column[c * taps + tap] = factor * sampleLinear(from, spatial, at);
        }
      }
    }
  }
};

} // namespace

LogicalResult evaluateDeformConv(graph::DeformConvOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &weight = e.input(op.getWeight());
  const Tensor *bias = op.getBias() ? &e.input(op.getBias()) : nullptr;
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  Elements<double> x(input);
  Elements<double> w(weight);
  ArrayRef<int64_t> output = result.shape().drop_front(2);
  DeformedWindow window{op.getStrides(),
                        op.getPads(),
                        op.getDilations(),
                        static_cast<int64_t>(op.getOffsetGroups()),
                        input,
                        e.input(op.getOffset()),
                        op.getMask() ? &e.input(op.getMask()) : nullptr,
                        weight.shape().drop_front(2),
                        x.data()};
  int64_t positions = product(output);
  int64_t channels = result.dim(1);
  int64_t terms = product(weight.shape().drop_front());
  int64_t outputs = channels / static_cast<int64_t>(op.getGroups());
  std::vector<double> column(input.dim(1) * product(window.kernel));
  for (int64_t item = 0; item < input.dim(0) * positions; ++item) {
    int64_t batch = item / positions;
    int64_t flat = item % positions;
    window.sample(batch, unflatten(flat, output), flat, column);
    for (int64_t channel = 0; channel < channels; ++channel) {
      const double *samples = column.data() + channel / outputs * terms;
      double sum = bias ? bias->asDouble(channel) : 0;
      for (int64_t i = 0; i < terms; ++i) {
        sum += w[channel * terms + i] * samples[i];
      }
      result.setDouble((batch * channels + channel) * positions + flat, sum);
    }
  }
  return success();
}

} // namespace convoy::reference
