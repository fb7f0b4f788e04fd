// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops on a window around each element: pools, unpooling and
// normalization across neighboring channels.

#include "reference/Convolution.h"
#include "reference/Elements.h"
#include "reference/Odometer.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

/// The elements of one plane that a window covers.
struct WindowTaps {
  std::vector<int64_t> offsets; // offsets inside the input, in order
  double padded = 0;            // number of taps including padding
};

/// Iterates over the windows of a pool.
template <typename OpT>
class WindowWalk {
public:
  WindowWalk(OpT op, const Tensor &input)
      : kernel(op.getKernel()), strides(op.getStrides()), pads(op.getPads()),
        dilations(op.getDilations()), sizes(input.shape().drop_front(2)) {}

  /// Computes the elements that the window at `position` covers. Dimensions are
  /// independent, so the input size bounds the work for any padding.
  void find(ArrayRef<int64_t> position, WindowTaps &taps) const {
    taps.offsets.assign(1, 0);
    taps.padded = 1;
    for (size_t i = 0; i < kernel.size(); ++i) {
      int64_t start = position[i] * strides[i] - pads[i];
      int64_t dilation = dilations[i];
      int64_t first = start < 0 ? llvm::divideCeilSigned(-start, dilation) : 0;
      int64_t limit = sizes[i] + pads[i + kernel.size()];
      taps.padded *=
          static_cast<double>(std::min(kernel[i], llvm::divideCeilSigned(limit - start, dilation)));
      std::vector<int64_t> inner;
      for (int64_t offset : taps.offsets) {
        for (int64_t k = first; k < kernel[i] && start + k * dilation < sizes[i]; ++k) {
          inner.push_back(offset * sizes[i] + start + k * dilation);
        }
      }
      taps.offsets = std::move(inner);
    }
  }

private:
  ArrayRef<int64_t> kernel, strides, pads, dilations, sizes;
};

/// Calls `fn(plane, result element, taps)` for each window of each plane. Taps
/// do not depend on the plane, so they are computed once per position.
template <typename OpT, typename Fn>
void forEachWindow(OpT op, const Tensor &input, const Tensor &result, Fn fn) {
  WindowWalk<OpT> walk(op, input);
  ArrayRef<int64_t> output = result.shape().drop_front(2);
  int64_t positions = product(output);
  int64_t planes = input.dim(0) * input.dim(1);
  int64_t planeSize = product(input.shape().drop_front(2));
  WindowTaps taps;
  for (int64_t flat = 0; flat < positions; ++flat) {
    walk.find(unflatten(flat, output), taps);
    for (int64_t plane = 0; plane < planes; ++plane) {
      fn(plane * planeSize, plane * positions + flat, taps);
    }
  }
}

/// NaN is larger than every number, as in graph.binary max.
template <typename T>
bool isBetter(T a, T b) {
  bool isNaN = a != a;
  return a > b || (isNaN && b == b);
}

/// Returns the flat index of the same element if the spatial dimensions are
/// column-major.
int64_t columnMajorOffset(int64_t offset, ArrayRef<int64_t> sizes) {
  Shape index = unflatten(offset, sizes);
  int64_t result = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    result = result * sizes[i] + index[i];
  }
  return result;
}

} // namespace

static LogicalResult evaluateMaxPool(graph::MaxPoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output(0);
  Tensor &indices = e.output(1);
  if (result.isEmpty() || indices.isEmpty()) {
    return success();
  }
  ArrayRef<int64_t> sizes = input.shape().drop_front(2);
  dispatch(input.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *x = input.data<T>();
    T *y = result.mutableData<T>();
    int64_t *indexOut = indices.mutableData<int64_t>();
    forEachWindow(op, input, result, [&](int64_t plane, int64_t to, const WindowTaps &taps) {
      if (taps.offsets.empty()) {
        return; // [max_pool.1]: reached only by IR that no type rule has checked.
      }
      int64_t best = taps.offsets.front();
      for (int64_t offset : taps.offsets) {
        best = isBetter(x[plane + offset], x[plane + best]) ? offset : best;
      }
      y[to] = x[plane + best];
      indexOut[to] = plane + (op.getColumnMajor() ? columnMajorOffset(best, sizes) : best);
    });
  });
  return success();
}

static LogicalResult evaluateAveragePool(graph::AveragePoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  Elements<double> x(input);
  forEachWindow(op, input, result, [&](int64_t plane, int64_t to, const WindowTaps &taps) {
    double sum = 0;
    for (int64_t offset : taps.offsets) {
      sum += x[plane + offset];
    }
    double count = op.getCountIncludePad() ? taps.padded : static_cast<double>(taps.offsets.size());
    result.setDouble(to, sum / count);
  });
  return success();
}

static LogicalResult evaluateIntegerSumPool(graph::IntegerSumPoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  std::vector<uint32_t> x = centered(input, op.getInputZeroPoint());
  auto *sums = result.mutableData<uint32_t>();
  forEachWindow(op, input, result, [&](int64_t plane, int64_t to, const WindowTaps &taps) {
    for (int64_t offset : taps.offsets) {
      sums[to] += x[plane + offset];
    }
  });
  return success();
}

static LogicalResult evaluateLpPool(graph::LpPoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  Elements<double> x(input);
  double p = static_cast<double>(op.getP());
  forEachWindow(op, input, result, [&](int64_t plane, int64_t to, const WindowTaps &taps) {
    double sum = 0;
    for (int64_t offset : taps.offsets) {
      sum += std::pow(std::abs(x[plane + offset]), p);
    }
    result.setDouble(to, std::pow(sum, 1 / p));
  });
  return success();
}

/// Returns the shape that the indices of an unpooling refer to.
static Shape unpooledShape(graph::MaxUnpoolOp op, const Tensor &input) {
  Shape shape(input.shape());
  int64_t rank = op.getKernel().size();
  for (int64_t i = 0; i < rank; ++i) {
    shape[i + 2] = (shape[i + 2] - 1) * op.getStrides()[i] + op.getKernel()[i] - op.getPads()[i] -
                   op.getPads()[i + rank];
  }
  return shape;
}

static LogicalResult evaluateMaxUnpool(graph::MaxUnpoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &indices = e.input(op.getIndices());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  if (indices.shape() != input.shape()) {
    return e.error() << "expects indices of the shape of the input";
  }
  Shape from = unpooledShape(op, input);
  int64_t limit = product(from);
  Shape strides = stridesOf(result.shape());
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t flat = indices.asInt(i);
    if (flat < 0 || flat >= limit) {
      return e.error() << "expects indices in [0, " << limit << "), got " << flat;
    }
    Shape index = unflatten(flat, from);
    int64_t to = 0;
    for (size_t d = 0; d < from.size(); ++d) {
      to += index[d] * strides[d];
    }
    isFloat(input.type()) ? result.setDouble(to, input.asDouble(i))
                          : result.setInt(to, input.asInt(i));
  }
  return success();
}

static LogicalResult evaluateLRN(graph::LRNOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t size = op.getSize();
  double alpha = op.getAlpha().convertToDouble() / static_cast<double>(size);
  double beta = op.getBeta().convertToDouble();
  double bias = op.getBias().convertToDouble();
  int64_t channels = input.dim(1);
  int64_t plane = product(input.shape().drop_front(2));
  Elements<double> x(input);
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t channel = i / plane % channels;
    int64_t begin = std::max<int64_t>(channel - (size - 1) / 2, 0);
    int64_t end = std::min(channel + size / 2, channels - 1);
    double sum = 0;
    for (int64_t c = begin; c <= end; ++c) {
      double neighbor = x[i + (c - channel) * plane];
      sum += neighbor * neighbor;
    }
    result.setDouble(i, x[i] / std::pow(bias + alpha * sum, beta));
  }
  return success();
}

void addWindowEvaluators(EvaluatorTable &table) {
  table.add<graph::ConvOp, evaluateConv>();
  table.add<graph::ConvTransposeOp, evaluateConvTranspose>();
  table.add<graph::DeformConvOp, evaluateDeformConv>();
  table.add<graph::MaxPoolOp, evaluateMaxPool>();
  table.add<graph::AveragePoolOp, evaluateAveragePool>();
  table.add<graph::IntegerConvOp, evaluateIntegerConv>();
  table.add<graph::IntegerSumPoolOp, evaluateIntegerSumPool>();
  table.add<graph::LpPoolOp, evaluateLpPool>();
  table.add<graph::MaxUnpoolOp, evaluateMaxUnpool>();
  table.add<graph::LRNOp, evaluateLRN>();
}

} // namespace convoy::reference
