// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quantize_linear and dequantize_linear. Per tensor, per axis and blocked are one
// walk: the scale is a tensor of the input's rank whose entry covers some
// elements of each dimension.

#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include "reference/Evaluation.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Which entry of the scale belongs to each element. The input is outer x along x
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

/// Zero points as doubles, all zero when there is no operand.
Tensor zeroPointsOf(Value zeroPoint, const Tensor &scale, Evaluation &e) {
  return zeroPoint ? converted(e.input(zeroPoint), ElementType::F64)
                   : Tensor(ElementType::F64, scale.shape());
}

//===- quantize_linear ----------------------------------------------------===//

template <typename T>
void divideByScale(const Tensor &input, const Tensor &scale, const ScaleWalk &walk, Tensor &out) {
  const T *x = input.data<T>();
  const T *s = scale.data<T>();
  T *quotient = out.mutableData<T>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      quotient[begin + i] = x[begin + i] / s[entry + i * step];
    }
  });
}

/// x / scale rounded to the scale's type, as ONNX says, in f64.
Tensor quotients(const Tensor &input, const Tensor &scale, const ScaleWalk &walk) {
  bool isF32 = scale.type() == ElementType::F32;
  ElementType type = isF32 ? ElementType::F32 : ElementType::F64;
  Tensor result(type, input.shape());
  if (isF32) {
    divideByScale<float>(converted(input, type), scale, walk, result);
  } else {
    divideByScale<double>(converted(input, type), converted(scale, type), walk, result);
    result = converted(result, scale.type());
  }
  return converted(result, ElementType::F64);
}

/// Rounds to the nearest integer, ties to even, adds the zero point, saturates.
void roundToIntegers(Tensor &values, const Tensor &zeroPoints, const ScaleWalk &walk,
                     ElementType to) {
  double lowest = static_cast<double>(lowestOf(to));
  double highest = static_cast<double>(highestOf(to));
  double *x = values.mutableData<double>();
  const double *zero = zeroPoints.data<double>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = begin; i < begin + count; ++i) {
      double q = std::nearbyint(x[i]) + zero[entry + (i - begin) * step];
      x[i] = q < lowest ? lowest : q > highest ? highest : q;
    }
  });
}

/// A float type has no rounding to integers; its zero point is 0 by ONNX's rule.
void addZeroPoints(Tensor &values, const Tensor &zeroPoints, const ScaleWalk &walk) {
  double *x = values.mutableData<double>();
  const double *zero = zeroPoints.data<double>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      x[begin + i] += zero[entry + i * step];
    }
  });
}

LogicalResult evaluateQuantizeLinear(graph::QuantizeLinearOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &scale = e.input(op.getScale());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Nothing to do, or the type rule has reported why.
  }
  ScaleWalk walk(input, scale, op.getAxis(), op.getBlockSize());
  Tensor zeroPoints = zeroPointsOf(op.getZeroPoint(), scale, e);
  Tensor values = quotients(input, scale, walk);
  if (isInteger(result.type())) {
    roundToIntegers(values, zeroPoints, walk, result.type());
  } else {
    addZeroPoints(values, zeroPoints, walk);
  }
  convertElements(values, result, {op.getSaturate() ? Overflow::Saturate : Overflow::ToNonFinite});
  return success();
}

//===- dequantize_linear --------------------------------------------------===//

LogicalResult evaluateDequantizeLinear(graph::DequantizeLinearOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &scale = e.input(op.getScale());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Nothing to do, or the type rule has reported why.
  }
  ScaleWalk walk(input, scale, op.getAxis(), op.getBlockSize());
  Tensor zeroPoints = zeroPointsOf(op.getZeroPoint(), scale, e);
  Tensor scales = converted(scale, ElementType::F64);
  Tensor values = converted(input, ElementType::F64);
  double *x = values.mutableData<double>();
  const double *zero = zeroPoints.data<double>();
  const double *s = scales.data<double>();
  walk.forEachRun([&](int64_t begin, int64_t count, int64_t entry, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = entry + i * step;
      x[begin + i] = (x[begin + i] - zero[at]) * s[at];
    }
  });
  convertElements(values, result, {Overflow::ToNonFinite});
  return success();
}

} // namespace

void addQuantizationEvaluators(EvaluatorTable &table) {
  table.add<graph::DequantizeLinearOp, evaluateDequantizeLinear>();
  table.add<graph::QuantizeLinearOp, evaluateQuantizeLinear>();
}

} // namespace convoy::reference
