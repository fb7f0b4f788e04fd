// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates graph.cast. Convert.h converts numbers; this file converts between
// numbers and strings in ONNX's notation.

#include "reference/Convert.h"
#include "reference/Elementwise.h"
#include "llvm/ADT/StringRef.h"
#include <charconv>

using namespace mlir;
using convoy::graph::RoundMode;

namespace convoy::reference {
namespace {

PowerRounding roundingOf(RoundMode mode) {
  switch (mode) {
  case RoundMode::Up:
    return PowerRounding::Up;
  case RoundMode::Down:
    return PowerRounding::Down;
  case RoundMode::Nearest:
    return PowerRounding::Nearest;
  }
  return PowerRounding::Up;
}

//===- Numbers to text ----------------------------------------------------===//

/// Returns the shortest text that parses to the same T.
template <typename T>
std::string textOf(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    using F = std::conditional_t<std::is_same_v<T, double>, double, float>;
    F number = static_cast<F>(value);
    if (std::isnan(number)) {
      return "NaN";
    }
    if (std::isinf(number)) {
      return number < 0 ? "-INF" : "INF";
    }
    char buffer[64];
    std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), number);
    return std::string(buffer, end.ptr);
  }
}

void castToStrings(const Tensor &input, Tensor &result) {
  std::vector<std::string> &texts = result.mutableStrings();
  dispatch(input.type(), [&](auto zero) {
    using T = decltype(zero);
    const T *values = input.data<T>();
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = textOf(values[i]);
    }
  });
}

//===- Text to numbers ----------------------------------------------------===//

/// Parses ONNX's notation of a float: decimal or scientific, and inf, infinity
/// and nan in any case with an optional sign.
std::optional<double> readFloat(StringRef text) {
  StringRef digits = text.trim();
  bool isNegative = digits.consume_front("-");
  if (!isNegative) {
    digits.consume_front("+");
  }
  double value;
  if (digits.equals_insensitive("inf") || digits.equals_insensitive("infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else if (digits.equals_insensitive("nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    std::from_chars_result end = std::from_chars(digits.begin(), digits.end(), value);
    if (end.ec != std::errc() || end.ptr != digits.end()) {
      return std::nullopt;
    }
  }
  return isNegative ? -value : value;
}

/// Parses an integer exactly; any other notation of a number is parsed as a
/// float.
template <typename T>
std::optional<T> readInteger(StringRef text) {
  StringRef digits = text.trim();
  digits.consume_front("+");
  T value;
  std::from_chars_result end = std::from_chars(digits.begin(), digits.end(), value);
  if (end.ec == std::errc() && end.ptr == digits.end()) {
    return value;
  }
  std::optional<double> number = readFloat(text);
  return number ? std::optional<T>(saturateTo<T>(*number)) : std::nullopt;
}

std::optional<bool> readBool(StringRef text) {
  if (text.trim().equals_insensitive("true")) {
    return true;
  }
  if (text.trim().equals_insensitive("false")) {
    return false;
  }
  std::optional<double> number = readFloat(text);
  return number ? std::optional<bool>(*number != 0) : std::nullopt;
}

template <typename T>
auto readNumber(StringRef text) {
  if constexpr (std::is_same_v<T, bool>) {
    return readBool(text);
  } else if constexpr (std::is_integral_v<T>) {
    return readInteger<T>(text);
  } else {
    return readFloat(text);
  }
}

LogicalResult castFromStrings(const Tensor &input, Tensor &result, Narrowing narrowing,
                              Evaluation &e) {
  ElementType type = result.type();
  return dispatch(type, [&](auto zero) -> LogicalResult {
    using T = decltype(zero);
    // Floats are parsed as double and narrowed together.
    constexpr bool kIsFloat = !std::is_integral_v<T>;
    using W = std::conditional_t<kIsFloat, double, T>;
    Tensor wide = kIsFloat ? Tensor(ElementType::F64, result.shape()) : result;
    for (auto [i, text] : llvm::enumerate(input.strings())) {
      auto number = readNumber<T>(text);
      if (!number) {
        return e.error() << "cannot convert '" << text << "' (element " << i << ") to "
                         << name(type);
      }
      wide.mutableData<W>()[i] = *number;
    }
    convertElements(wide, result, narrowing);
    return success();
  });
}

} // namespace

LogicalResult evaluateCast(graph::CastOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  Narrowing narrowing{op.getSaturate() ? Overflow::Saturate : Overflow::ToNonFinite,
                      roundingOf(op.getRoundMode())};
  bool fromText = input.type() == ElementType::String;
  bool toText = result.type() == ElementType::String;
  if (fromText && toText) {
    result.mutableStrings() = input.strings();
  } else if (fromText) {
    return castFromStrings(input, result, narrowing, e);
  } else if (toText) {
    castToStrings(input, result);
  } else {
    convertElements(input, result, narrowing);
  }
  return success();
}

} // namespace convoy::reference
