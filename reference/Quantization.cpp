// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates quantize_linear, dequantize_linear and dynamic_scale. Scales per tensor, per axis
// and per block use one walk: the scale is a tensor of the input's rank, and
// each entry covers a number of elements of each dimension.

#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include "reference/Dequantize.h"
#include "reference/Evaluation.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Maps each element to its entry of the scale. The input is outer x along x
/// inner around the axis; one entry covers `block` elements of `along`.
///
///     per tensor   outer 1, along 1, inner = everything
///     per axis     block 1, the same entries for every outer index
///     blocked      entries have the input's shape, except along the axis
class ScaleWalk {
public:
  ScaleWalk(const Tensor &input, const Tensor &scale, int64_t axis, int64_t blockSize) {
    if (scale.rank() == 0) {
      inner = input.size();
      return;
    }
    for (auto [i, dim] : llvm::enumerate(input.shape())) {
      int64_t at = static_cast<int64_t>(i);
      (at < axis ? outer : at == axis ? along : inner) *= dim;
    }
    isBlocked = blockSize > 0;
    block = isBlocked ? blockSize : 1;
  }

  /// Calls run(begin, count, entry, step) for runs of elements; element i of a
  /// run has scale entry + i * step.
  template <typename Run>
  void forEachRun(Run run) const {
    int64_t entriesAlong = along / block + (along % block != 0);
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t a = 0; a < along; ++a) {
        int64_t begin = (o * along + a) * inner;
        if (isBlocked) {
          run(begin, inner, (o * entriesAlong + a / block) * inner, 1);
        } else {
          run(begin, inner, a, 0);
        }
      }
    }
  }

private:
  int64_t outer = 1;
  int64_t along = 1;
  int64_t inner = 1;
  int64_t block = 1;
  bool isBlocked = false;
};

/// Returns null if the op has no zero point.
const Tensor *zeroPointOf(Value zeroPoint, Evaluation &e) {
  return zeroPoint ? &e.input(zeroPoint) : nullptr;
}

/// Returns the zero points as doubles, all zero if there are none.
Tensor zeroPointsOf(const Tensor *zeroPoint, const Tensor &scale) {
  return zeroPoint ? converted(*zeroPoint, ElementType::F64)
                   : Tensor(ElementType::F64, scale.shape());
}

//===- quantize_linear ----------------------------------------------------===//

/// How quantize_linear rounds one quotient.
struct Rounding {
  ElementType quotientType; // x / scale is rounded to the scale's type, as ONNX specifies
  bool isInteger;           // a floating-point result needs no rounding
  double lowest = 0;
  double highest = 0;

  /// Rounds half to even.
  double operator()(double quotient, double zero) const {
    if (bitWidth(quotientType) < 32) {
      quotient = widenFloat(narrowFloat(quotient, quotientType), quotientType);
    }
    if (!isInteger) {
      return quotient + zero;
    }
    double rounded = std::nearbyint(quotient) + zero;
    return rounded < lowest ? lowest : rounded > highest ? highest : rounded;
  }
};

/// X is the type of the division, R is the storage type of the result.
template <typename X, typename R>
void quantize(const Tensor &input, const Tensor &scale, const Tensor &zeroPoints,
              const ScaleWalk &walk, Rounding round, Tensor &result) {
  const X *x = input.data<X>();
  const X *s = scale.data<X>();
  const double *zero = zeroPoints.data<double>();
  R *out = result.mutableData<R>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = entry + i * step;
      double rounded = round(x[begin + i] / s[at], zero[at]);
      if constexpr (std::is_integral_v<R>) {
        out[begin + i] = saturateTo<R>(rounded); // already in range; NaN becomes 0
      } else {
        out[begin + i] = rounded;
      }
    }
  });
}

template <typename X>
void quantizeInto(const Tensor &input, const Tensor &scale, const Tensor &zeroPoints,
                  const ScaleWalk &walk, Rounding round, Overflow overflow, Tensor &result) {
  dispatch(result.type(), [&](auto zero) {
    using R = decltype(zero);
    if constexpr (std::is_integral_v<R>) {
      quantize<X, R>(input, scale, zeroPoints, walk, round, result);
    } else {
      Tensor wide(ElementType::F64, result.shape());
      quantize<X, double>(input, scale, zeroPoints, walk, round, wide);
      convertElements(wide, result, {overflow});
    }
  });
}

LogicalResult evaluateQuantizeLinear(graph::QuantizeLinearOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &scale = e.input(op.getScale());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  ScaleWalk walk(input, scale, op.getAxis(), op.getBlockSize());
  Tensor zeroPoints = zeroPointsOf(zeroPointOf(op.getZeroPoint(), e), scale);
  Rounding round{scale.type(), isInteger(result.type())};
  if (round.isInteger) {
    round.lowest = static_cast<double>(lowestOf(result.type()));
    round.highest = static_cast<double>(highestOf(result.type()));
  }
  Overflow overflow = op.getSaturate() ? Overflow::Saturate : Overflow::ToNonFinite;
  if (scale.type() == ElementType::F32) {
    quantizeInto<float>(converted(input, ElementType::F32), scale, zeroPoints, walk, round,
                        overflow, result);
  } else {
    quantizeInto<double>(converted(input, ElementType::F64), converted(scale, ElementType::F64),
                         zeroPoints, walk, round, overflow, result);
  }
  return success();
}

//===- dequantize_linear --------------------------------------------------===//

/// Computes (x - zero) * scale in double. If R is float, the difference and the
/// product are rounded to float, as ONNX specifies for a scale of type float. The
/// product of two floats is exact in double. The first rounding changes only
/// differences of more than 24 bits.
template <typename T, typename R>
void dequantizeInto(const Tensor &input, const Tensor &scales, const Tensor &zeroPoints,
                    const ScaleWalk &walk, Tensor &result) {
  const T *x = input.data<T>();
  const double *s = scales.data<double>();
  const double *zero = zeroPoints.data<double>();
  R *out = result.mutableData<R>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = entry + i * step;
      auto difference = static_cast<R>(static_cast<double>(x[begin + i]) - zero[at]);
      out[begin + i] = static_cast<R>(static_cast<double>(difference) * s[at]);
    }
  });
}

LogicalResult evaluateDequantizeLinear(graph::DequantizeLinearOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &scale = e.input(op.getScale());
  Tensor &result = e.output();
  if (!result.isEmpty()) { // Empty result, or the type rule emitted an error.
    dequantize(input, scale, zeroPointOf(op.getZeroPoint(), e), op.getAxis(), op.getBlockSize(),
               result);
  }
  return success();
}

//===- dynamic_scale ------------------------------------------------------===//

/// A NaN in the input makes the scale NaN and the zero point 0.
LogicalResult evaluateDynamicScale(graph::DynamicScaleOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const auto *x = input.data<float>();
  float low = 0, high = 0;
  for (int64_t i = 0; i < input.size(); ++i) {
    low = x[i] < low || std::isnan(x[i]) ? x[i] : low;
    high = x[i] > high || std::isnan(x[i]) ? x[i] : high;
  }
  float range = high - low;
  float scale = range == 0 ? 1 : range / 255;
  double zero = std::nearbyint(static_cast<double>((0 - low) / scale));
  e.output(0).setDouble(0, scale);
  e.output(1).setInt(0, std::isnan(zero) ? 0 : static_cast<int64_t>(std::clamp(zero, 0.0, 255.0)));
  return success();
}

} // namespace

void dequantize(const Tensor &input, const Tensor &scale, const Tensor *zeroPoint, int64_t axis,
                int64_t blockSize, Tensor &result) {
  ScaleWalk walk(input, scale, axis, blockSize);
  Tensor zeroPoints = zeroPointsOf(zeroPoint, scale);
  Tensor scales = converted(scale, ElementType::F64);
  dispatch(input.type(), [&](auto zero) {
    using T = decltype(zero);
    if (result.type() == ElementType::F32) {
      dequantizeInto<T, float>(input, scales, zeroPoints, walk, result);
    } else {
      Tensor wide(ElementType::F64, result.shape());
      dequantizeInto<T, double>(input, scales, zeroPoints, walk, wide);
      convertElements(wide, result, {Overflow::ToNonFinite});
    }
  });
}

void addQuantizationEvaluators(EvaluatorTable &table) {
  table.add<graph::DynamicScaleOp, evaluateDynamicScale>();
  table.add<graph::DequantizeLinearOp, evaluateDequantizeLinear>();
  table.add<graph::QuantizeLinearOp, evaluateQuantizeLinear>();
}

} // namespace convoy::reference
