// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the rules of `convoy check`.

#include "check/rules/CheckRule.h"
#include "Driver/ModelFloats.h"
#include "Driver/QuantizationKind.h"
#include "check/rules/OutputError.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace convoy::check {
namespace {

constexpr Tolerance kFloatTolerance{1e-3, 1e-4};
constexpr double kQuantizedL2 = 0.08;
// f16 has 11 significant bits, so a layer adds an error of about 2^-12. Hundreds of layers in
// sequence stay below this bound.
constexpr double kNarrowL2 = 0.01;
// bf16 has 8 significant bits, three less than f16.
constexpr double kBFloat16L2 = 8 * kNarrowL2;
// A sum in a different order or precision occasionally rounds to the neighboring value.
constexpr double kLayersL2 = 0.005;
constexpr double kDynamicL2 = 0.05;
// The bounds for integer outputs of quantized models, in quantization steps.
constexpr double kNearShare = 0.99;
constexpr int64_t kNearSteps = 1, kMaxSteps = 4;

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.3g", value);
  return buffer;
}

Verdict judgeIntegers(const Tensor &actual, const Tensor &expected) {
  int64_t near = 0, worst = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    int64_t steps = std::abs(actual.asInt(i) - expected.asInt(i));
    near += steps <= kNearSteps;
    worst = std::max(worst, steps);
  }
  double share = actual.size() == 0 ? 1 : static_cast<double>(near) / actual.size();
  bool isTop = hasSameTop1(actual, expected);
  return {share >= kNearShare && worst <= kMaxSteps && isTop,
          number(100 * share) + " % within 1 step, at most " + std::to_string(worst) + " steps, " +
              (isTop ? "same top-1" : "different top-1")};
}

Verdict judgeL2(const Tensor &actual, const Tensor &expected, double bound, bool needsTop) {
  double error = relativeL2(actual, expected);
  bool isTop = hasSameTop1(actual, expected);
  return {error <= bound && (isTop || !needsTop),
          "relative L2 " + number(error) +
              (needsTop ? isTop ? ", same top-1" : ", different top-1" : "")};
}

bool isQuantized(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::Quantized || arithmetic == Arithmetic::Dynamic;
}

/// Returns the largest permitted relative L2 error.
double boundOf(Arithmetic arithmetic) {
  switch (arithmetic) {
  case Arithmetic::Narrow:
    return kNarrowL2;
  case Arithmetic::BFloat16:
    return kBFloat16L2;
  case Arithmetic::Layers:
    return kLayersL2;
  case Arithmetic::Dynamic:
    return kDynamicL2;
  default:
    return kQuantizedL2;
  }
}

/// Returns the largest |a - b| over the finite elements.
double maxError(const Tensor &actual, const Tensor &expected) {
  double worst = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double error = std::abs(actual.asDouble(i) - expected.asDouble(i));
    worst = std::isfinite(error) ? std::max(worst, error) : worst;
  }
  return worst;
}

Verdict judgeExactly(const Datum &actual, const Datum &expected) {
  std::optional<std::string> text = outputError(actual, expected, kFloatTolerance);
  if (text) {
    return {false, *text};
  }
  bool isMeasured = actual.isTensor() && isFloat(actual.tensor.type());
  return {true,
          isMeasured ? "max |error| " + number(maxError(actual.tensor, expected.tensor)) : "equal"};
}

/// Returns the arithmetic whose rule judges an output of this type. An output in f16 or bf16 is
/// rounded to its type even if the model computes in f32.
Arithmetic arithmeticFor(Arithmetic arithmetic, ElementType output) {
  bool isFloatModel = arithmetic == Arithmetic::Float || arithmetic == Arithmetic::Narrow;
  if (isFloatModel && output == ElementType::BF16) {
    return Arithmetic::BFloat16;
  }
  return arithmetic == Arithmetic::Float && output == ElementType::F16 ? Arithmetic::Narrow
                                                                       : arithmetic;
}

bool isComparable(const Tensor &actual, const Tensor &expected) {
  return actual.type() == expected.type() && actual.shape() == expected.shape();
}

} // namespace

Arithmetic arithmeticOf(const Model &model) {
  switch (driver::quantizationOf(model.file())) {
  case driver::QuantizationKind::None:
    break;
  case driver::QuantizationKind::Static:
    return Arithmetic::Quantized;
  case driver::QuantizationKind::Dynamic:
    return Arithmetic::Dynamic;
  }
  switch (driver::narrowestFloat(model.file())) {
  case ElementType::BF16:
    return Arithmetic::BFloat16;
  case ElementType::F16:
    return Arithmetic::Narrow;
  default:
    return Arithmetic::Float;
  }
}

std::string ruleText(Arithmetic given, ElementType type) {
  Arithmetic arithmetic = arithmeticFor(given, type);
  bool isNumber = isFloat(type);
  if (arithmetic == Arithmetic::Narrow && isNumber) {
    return "model computed in a narrow float type: relative L2 <= 0.01";
  }
  if (arithmetic == Arithmetic::BFloat16 && isNumber) {
    return "model computed in bf16: relative L2 <= 0.08";
  }
  if (arithmetic == Arithmetic::Layers && isNumber) {
    return "model in a narrow float type, against the reference in that type: relative L2 <= 0.005";
  }
  if (arithmetic == Arithmetic::Dynamic && isNumber) {
    return "dynamically quantized model: relative L2 <= 0.05";
  }
  if (arithmetic == Arithmetic::Quantized && isNumber) {
    return "float output of a quantized model: relative L2 <= 0.08, same top-1";
  }
  if (isQuantized(arithmetic) && isInteger(type) && bitWidth(type) <= 16) {
    return "integer output of a quantized model: 99 % within 1 step, none beyond 4, same top-1";
  }
  return isNumber ? "float model: |a - b| <= 1e-4 + 1e-3 |b|" : "equal elements";
}

Verdict judge(const Datum &actual, const Datum &expected, Arithmetic given) {
  if (!actual.isTensor() || !expected.isTensor() || !isComparable(actual.tensor, expected.tensor)) {
    return judgeExactly(actual, expected);
  }
  ElementType type = expected.tensor.type();
  Arithmetic arithmetic = arithmeticFor(given, type);
  if (arithmetic == Arithmetic::Float) {
    return judgeExactly(actual, expected);
  }
  if (isFloat(type)) {
    return judgeL2(actual.tensor, expected.tensor, boundOf(arithmetic),
                   /*needsTop=*/arithmetic == Arithmetic::Quantized);
  }
  // Wider integers are indices or counts, not quantized numbers.
  if (isQuantized(arithmetic) && isInteger(type) && bitWidth(type) <= 16) {
    return judgeIntegers(actual.tensor, expected.tensor);
  }
  return judgeExactly(actual, expected);
}

Verdict judgeBytes(const Datum &actual, const Datum &expected) {
  if (!actual.isTensor() || !isComparable(actual.tensor, expected.tensor)) {
    return {false, "the type or the shape differs"};
  }
  const auto *a = static_cast<const uint8_t *>(actual.tensor.raw());
  const auto *b = static_cast<const uint8_t *>(expected.tensor.raw());
  int64_t bytes = expected.tensor.bytes();
  int64_t differing = 0;
  for (int64_t i = 0; i < bytes; ++i) {
    differing += a[i] != b[i];
  }
  return {differing == 0, differing == 0 ? std::to_string(bytes) + " equal bytes"
                                         : std::to_string(differing) + " of " +
                                               std::to_string(bytes) + " bytes differ"};
}

double relativeL2(const Tensor &actual, const Tensor &expected) {
  double errors = 0, norm = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.asDouble(i), b = expected.asDouble(i);
    bool isSame = a == b || (std::isnan(a) && std::isnan(b));
    errors += isSame ? 0 : (a - b) * (a - b);
    norm += isSame && !std::isfinite(b) ? 0 : b * b;
  }
  if (errors == 0) {
    return 0;
  }
  double ratio = norm == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(errors / norm);
  // A NaN in one of the tensors makes the error infinite.
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

bool hasSameTop1(const Tensor &actual, const Tensor &expected) {
  int64_t columns = actual.rank() == 0 ? 1 : actual.dim(actual.rank() - 1);
  if (columns == 0) {
    return true;
  }
  for (int64_t begin = 0; begin < actual.size(); begin += columns) {
    double top = actual.asDouble(begin), expectedTop = expected.asDouble(begin);
    for (int64_t i = begin; i < begin + columns; ++i) {
      top = std::max(top, actual.asDouble(i));
      expectedTop = std::max(expectedTop, expected.asDouble(i));
    }
    bool isShared = false;
    for (int64_t i = begin; i < begin + columns; ++i) {
      isShared |= actual.asDouble(i) == top && expected.asDouble(i) == expectedTop;
    }
    if (!isShared) {
      return false;
    }
  }
  return true;
}

} // namespace convoy::check
