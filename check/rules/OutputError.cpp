// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares types, shapes and elements, also inside sequences and optionals.

#include "check/rules/OutputError.h"
#include "io/TensorText.h"
#include <cmath>

namespace convoy::check {
namespace {

using io::elementText;
using io::indexText;

/// Returns the number of real numbers in the tensor. A complex element has two.
int64_t partCount(const Tensor &tensor) {
  return tensor.size() * (io::isComplex(tensor.type()) ? 2 : 1);
}

bool isClose(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) && std::isnan(expected);
  }
  if (std::isinf(actual) || std::isinf(expected)) {
    return actual == expected;
  }
  return std::abs(actual - expected) <=
         tolerance.absolute + tolerance.relative * std::abs(expected);
}

bool agrees(const Tensor &actual, const Tensor &expected, int64_t i, Tolerance tolerance) {
  ElementType type = actual.type();
  if (type == ElementType::String) {
    return actual.strings()[i] == expected.strings()[i];
  }
  if (isFloat(type) || io::isComplex(type)) {
    return isClose(io::partOf(actual, i), io::partOf(expected, i), tolerance);
  }
  int64_t a = actual.asInt(i), b = expected.asInt(i);
  // The difference of two i64 fits in u64.
  uint64_t distance = a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a);
  return a == b || (isInteger(type) && distance <= uint64_t(tolerance.steps));
}

std::optional<std::string> tensorDifference(const Tensor &actual, const Tensor &expected,
                                            Tolerance tolerance) {
  if (actual.type() != expected.type()) {
    return ("has type " + name(actual.type()) + ", expected " + name(expected.type())).str();
  }
  if (actual.shape() != expected.shape()) {
    return "has shape " + shapeText(actual.shape()) + ", expected " + shapeText(expected.shape());
  }
  int64_t parts = partCount(actual), wrong = 0, first = -1;
  for (int64_t i = 0; i < parts; ++i) {
    if (!agrees(actual, expected, i, tolerance)) {
      first = wrong++ == 0 ? i : first;
    }
  }
  if (wrong == 0) {
    return std::nullopt;
  }
  int64_t element = io::isComplex(actual.type()) ? first / 2 : first;
  return "is " + elementText(actual, element) + " at " + indexText(actual.shape(), element) +
         ", expected " + elementText(expected, element) + " (" + std::to_string(wrong) + " of " +
         std::to_string(parts) + " elements differ)";
}

llvm::StringRef kindName(Datum::Kind kind) {
  return kind == Datum::Kind::Tensor     ? "a tensor"
         : kind == Datum::Kind::Sequence ? "a sequence"
                                         : "an optional";
}

} // namespace

std::optional<std::string> outputError(const Datum &actual, const Datum &expected,
                                       Tolerance tolerance) {
  if (actual.kind != expected.kind) {
    return ("is " + kindName(actual.kind) + ", expected " + kindName(expected.kind)).str();
  }
  if (actual.isTensor()) {
    return tensorDifference(actual.tensor, expected.tensor, tolerance);
  }
  if (actual.elements.size() != expected.elements.size()) {
    return "has " + std::to_string(actual.elements.size()) + " elements, expected " +
           std::to_string(expected.elements.size());
  }
  for (size_t i = 0; i < actual.elements.size(); ++i) {
    if (auto text = outputError(actual.elements[i], expected.elements[i], tolerance)) {
      return "element " + std::to_string(i) + " " + *text;
    }
  }
  return std::nullopt;
}

} // namespace convoy::check
