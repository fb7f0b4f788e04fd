// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of values, element by element.

#include "Difference.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstdio>

namespace convoy::driver {
namespace {

bool isComplex(ElementType type) {
  return type == ElementType::Complex64 || type == ElementType::Complex128;
}

/// Real numbers behind an element: two for a complex one.
int64_t partCount(const Tensor &tensor) {
  return tensor.size() * (isComplex(tensor.type()) ? 2 : 1);
}

double part(const Tensor &tensor, int64_t i) {
  if (tensor.type() == ElementType::Complex64) {
    return tensor.data<float>()[i];
  }
  return tensor.type() == ElementType::Complex128 ? tensor.data<double>()[i] : tensor.asDouble(i);
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
  if (isFloat(type) || isComplex(type)) {
    return isClose(part(actual, i), part(expected, i), tolerance);
  }
  return actual.asInt(i) == expected.asInt(i);
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
  int64_t element = isComplex(actual.type()) ? first / 2 : first;
  return "is " + elementText(actual, element) + " at " + indexText(actual.shape(), element) +
         ", expected " + elementText(expected, element) + " (" + std::to_string(wrong) + " of " +
         std::to_string(parts) + " elements differ)";
}

std::string digits(double value, int count) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", count, value);
  return buffer;
}

llvm::StringRef kindName(Datum::Kind kind) {
  return kind == Datum::Kind::Tensor     ? "a tensor"
         : kind == Datum::Kind::Sequence ? "a sequence"
                                         : "an optional";
}

} // namespace

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return shape.empty()
             ? "scalar"
             : llvm::join(llvm::map_range(shape,
                                          [](int64_t dim) {
                                            return dim < 0 ? std::string("?") : std::to_string(dim);
                                          }),
                          "x");
}

std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i) {
  llvm::SmallVector<std::string> index(shape.size());
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    index[d] = std::to_string(i % shape[d]);
    i /= shape[d];
  }
  return "[" + llvm::join(index, ", ") + "]";
}

std::string elementText(const Tensor &tensor, int64_t i) {
  ElementType type = tensor.type();
  if (type == ElementType::String) {
    return "'" + tensor.strings()[i] + "'";
  }
  if (isComplex(type)) {
    return digits(part(tensor, 2 * i), 9) + "+" + digits(part(tensor, 2 * i + 1), 9) + "i";
  }
  if (!isFloat(type)) {
    return type == ElementType::U64 ? std::to_string(static_cast<uint64_t>(tensor.asInt(i)))
                                    : std::to_string(tensor.asInt(i));
  }
  return digits(tensor.asDouble(i), type == ElementType::F64 ? 17 : 9);
}

std::optional<std::string> difference(const Datum &actual, const Datum &expected,
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
    if (auto text = difference(actual.elements[i], expected.elements[i], tolerance)) {
      return "element " + std::to_string(i) + " " + *text;
    }
  }
  return std::nullopt;
}

} // namespace convoy::driver
