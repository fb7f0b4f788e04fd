// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes rounding bounds per op and the errors to compare with them.

#include "check/rules/OpError.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "check/rules/OutputError.h"
#include "io/TensorText.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace mlir;
using convoy::graph::OpClass;

namespace convoy::check {
namespace {

constexpr double kRelativePerTerm = 1e-5; // times sqrt(K), relative to the rms
constexpr double kNarrowUlps = 2;

int64_t elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 1;
}

int64_t dimension(Value value, int64_t fromEnd) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() < fromEnd ? 1 : type.getDimSize(type.getRank() - fromEnd);
}

/// Returns the number of explicit mantissa bits of a float type narrower than f32, else
/// nothing.
std::optional<int> narrowMantissaBits(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 10;
  case ElementType::BF16:
    return 7;
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3FNUZ:
    return 3;
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
    return 2;
  case ElementType::F4E2M1:
    return 1;
  case ElementType::F8E8M0:
    return 0;
  default:
    return std::nullopt;
  }
}

double ulp(ElementType type, double value) {
  std::optional<int> bits = narrowMantissaBits(type);
  return bits && value != 0 ? std::ldexp(1.0, std::ilogb(value) - *bits) : 0;
}

double rootMeanSquare(const Tensor &tensor) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = tensor.asDouble(i);
    if (std::isfinite(value)) {
      sum += value * value;
      ++count;
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

/// Returns |a - b|, or infinity if only one value is a NaN or if infinities differ.
double absoluteError(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0;
  }
  double result = std::abs(a - b);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.3g", value);
  return buffer;
}

OpError tensorError(const Tensor &actual, const Tensor &expected, const ErrorBound &bound) {
  ElementType type = expected.type();
  bool hasFloats = isFloat(type);
  double rms = hasFloats ? rootMeanSquare(expected) : 0;
  // Wider integers are indices or counts, not quantized numbers.
  int64_t steps = bitWidth(type) <= 16 ? bound.steps : 0;
  // The element that exceeds its bound by most, or, if none does, the element closest to its bound.
  double worst = 0, worstAllowed = 0;
  int64_t place = 0;
  bool isWrong = false;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.asDouble(i), e = expected.asDouble(i);
    double size = std::isfinite(e) ? std::max(rms, std::abs(e)) : rms;
    double allowed = hasFloats
                         ? bound.absolute + bound.relative * size + bound.ulps * ulp(type, size)
                         : static_cast<double>(steps);
    double error = absoluteError(a, e);
    if (error - allowed > worst - worstAllowed || i == 0) {
      worst = error;
      worstAllowed = allowed;
      place = i;
    }
    isWrong |= error > allowed;
  }
  return {isWrong, "max |a-b| " + number(worst) + " at " + io::indexText(expected.shape(), place) +
                       ", bound " + number(worstAllowed)};
}

/// Returns the quantization step of an op that converts integers to floats if the same kernel
/// rounds these integers, else 0.
double roundedStep(Operation *op) {
  auto dequantize = dyn_cast<graph::DequantizeLinearOp>(op);
  if (!dequantize || !dequantize.getInput().getDefiningOp<graph::QuantizeLinearOp>()) {
    return 0;
  }
  std::optional<Tensor> scale = graph::constantValue(dequantize.getScale());
  return scale && scale->size() == 1 ? std::abs(scale->asDouble(0)) : 0;
}

bool isNumber(ElementType type) { return isFloat(type) || isInteger(type); }

} // namespace

int64_t summedTerms(Operation *op) {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return elements(op->getOperand(0)) / std::max<int64_t>(elements(op->getResult(0)), 1);
  }
  if (isa<graph::MatMulOp, graph::ByteMatMulOp>(op)) {
    return dimension(op->getOperand(0), 1);
  }
  if (isa<graph::ConvOp>(op)) {
    int64_t outputChannels = cast<RankedTensorType>(op->getOperand(1).getType()).getDimSize(0);
    return elements(op->getOperand(1)) / std::max<int64_t>(outputChannels, 1);
  }
  OpClass kind = graph::classify(op);
  // A sum has at most as many terms as the first operand has elements.
  bool mayReadAll = kind == OpClass::Heavy || isa<graph::CumulativeOp, graph::DetOp>(op);
  return mayReadAll ? std::max<int64_t>(elements(op->getOperand(0)), 1) : 1;
}

ErrorBound kernelErrorBound(Operation *kernel) {
  int64_t terms = 1;
  bool hasFloats = false;
  double step = 0; // of dequantized results
  kernel->walk([&](Operation *op) {
    if (op != kernel && op->getNumResults() > 0 && op->getNumOperands() > 0) {
      terms = std::max(terms, summedTerms(op));
      hasFloats |= isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
      step = std::max(step, roundedStep(op));
    }
  });
  bool isRounded = terms > 1 && hasFloats;
  return {kRelativePerTerm * std::sqrt(static_cast<double>(terms)), kNarrowUlps, isRounded ? 1 : 0,
          isRounded ? step : 0};
}

OpError opError(const Datum &actual, const Datum &expected, const ErrorBound &bound) {
  bool isComparable =
      actual.isTensor() && expected.isTensor() && actual.tensor.type() == expected.tensor.type() &&
      actual.tensor.shape() == expected.tensor.shape() && isNumber(expected.tensor.type());
  if (isComparable) {
    return tensorError(actual.tensor, expected.tensor, bound);
  }
  std::optional<std::string> text =
      outputError(actual, expected, Tolerance{bound.relative, bound.relative});
  return {text.has_value(), text.value_or("equal")};
}

OpError opError(ArrayRef<Datum> actual, ArrayRef<Datum> expected, const ErrorBound &bound) {
  OpError result;
  for (size_t i = 0; i < std::min(actual.size(), expected.size()) && !result.isWrong; ++i) {
    result = opError(actual[i], expected[i], bound);
  }
  return result;
}

} // namespace convoy::check
