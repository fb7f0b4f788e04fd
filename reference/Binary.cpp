// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates functions of two elements with broadcasting ([binary.3]). The kind
// and the type are selected once per op; the inner loop covers one row. Floats
// of at most 16 bits are computed in f64 and rounded once.

#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include "reference/Elementwise.h"
#include <cmath>

using namespace mlir;
using convoy::graph::BinaryKind;

namespace convoy::reference {
namespace {

/// The operands and the result of one op, converted to one type.
struct Operands {
  const Tensor &lhs;
  const Tensor &rhs;
  Tensor &result;
};

template <typename A, typename B, typename R, typename Fn>
void mapRows(ArrayRef<int64_t> lhsShape, const A *lhs, ArrayRef<int64_t> rhsShape, const B *rhs,
             ArrayRef<int64_t> shape, R *out, Fn fn) {
  RowWalk<2> walk(shape, {broadcastSteps(lhsShape, shape), broadcastSteps(rhsShape, shape)});
  walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
    const A *a = lhs + at[0];
    const B *b = rhs + at[1];
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<R>(fn(a[i * step[0]], b[i * step[1]]));
    }
    out += count;
  });
}

template <typename A, typename B, typename R, typename Fn>
void map(Operands o, Fn fn) {
  mapRows(o.lhs.shape(), o.lhs.data<A>(), o.rhs.shape(), o.rhs.data<B>(), o.result.shape(),
          o.result.mutableData<R>(), fn);
}

//===- Comparisons --------------------------------------------------------===//

/// Comparisons return i1 ([binary.2]).
template <typename T>
void compare(BinaryKind kind, Operands o) {
  switch (kind) {
  case BinaryKind::Equal:
    return map<T, T, bool>(o, [](T a, T b) { return a == b; });
  case BinaryKind::Less:
    return map<T, T, bool>(o, [](T a, T b) { return a < b; });
  case BinaryKind::LessEqual:
    return map<T, T, bool>(o, [](T a, T b) { return a <= b; });
  case BinaryKind::Greater:
    return map<T, T, bool>(o, [](T a, T b) { return a > b; });
  default:
    return map<T, T, bool>(o, [](T a, T b) { return a >= b; });
  }
}

bool isComparison(BinaryKind kind) { return kind >= BinaryKind::Equal; }

//===- Booleans -----------------------------------------------------------===//

void combineBooleans(BinaryKind kind, Operands o) {
  switch (kind) {
  case BinaryKind::And:
    return map<bool, bool, bool>(o, [](bool a, bool b) { return a && b; });
  case BinaryKind::Or:
    return map<bool, bool, bool>(o, [](bool a, bool b) { return a || b; });
  default: // Xor
    return map<bool, bool, bool>(o, [](bool a, bool b) { return a != b; });
  }
}

//===- Integers -----------------------------------------------------------===//

/// Truncates toward zero; returns 0 for a zero divisor. The lowest value / -1
/// wraps.
template <typename T>
T divide(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    return static_cast<T>(uint64_t(0) - static_cast<uint64_t>(a));
  }
  return static_cast<T>(a / b);
}

/// Returns the remainder with the sign of the dividend; 0 for a zero divisor.
template <typename T>
T remainder(T a, T b) {
  bool isWhole = b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1));
  return isWhole ? T(0) : static_cast<T>(a % b);
}

/// Returns the remainder with the sign of the divisor.
template <typename T>
T modulo(T a, T b) {
  T rest = remainder(a, b);
  bool differs = std::is_signed_v<T> && rest != 0 && (rest < T(0)) != (b < T(0));
  return differs ? static_cast<T>(rest + b) : rest;
}

template <typename T>
T shiftLeft(T a, T b, int64_t width) {
  bool isOut = b < T(0) || static_cast<uint64_t>(b) >= static_cast<uint64_t>(width);
  return isOut ? T(0) : static_cast<T>(static_cast<uint64_t>(a) << b);
}

template <typename T>
T shiftRight(T a, T b, int64_t width) {
  bool isOut = b < T(0) || static_cast<uint64_t>(b) >= static_cast<uint64_t>(width);
  if (isOut) {
    return a < T(0) ? T(-1) : T(0);
  }
  return static_cast<T>(a >> b);
}

/// Combines integers of one type with wrap-around: computes in unsigned 64 bits
/// and keeps the low bits.
template <typename T>
void combineIntegers(BinaryKind kind, Operands o) {
  auto wide = [](T x) { return static_cast<uint64_t>(x); };
  int64_t width = bitWidth(o.result.type());
  switch (kind) {
  case BinaryKind::Add:
    return map<T, T, T>(o, [=](T a, T b) { return wide(a) + wide(b); });
  case BinaryKind::Sub:
    return map<T, T, T>(o, [=](T a, T b) { return wide(a) - wide(b); });
  case BinaryKind::Mul:
    return map<T, T, T>(o, [=](T a, T b) { return wide(a) * wide(b); });
  case BinaryKind::Div:
    return map<T, T, T>(o, divide<T>);
  case BinaryKind::Mod:
    return map<T, T, T>(o, modulo<T>);
  case BinaryKind::FMod:
    return map<T, T, T>(o, remainder<T>);
  case BinaryKind::Min:
    return map<T, T, T>(o, [](T a, T b) { return a < b ? a : b; });
  case BinaryKind::Max:
    return map<T, T, T>(o, [](T a, T b) { return a > b ? a : b; });
  case BinaryKind::PRelu:
    return map<T, T, T>(o, [=](T a, T b) { return a < T(0) ? wide(a) * wide(b) : wide(a); });
  case BinaryKind::BitAnd:
    return map<T, T, T>(o, [](T a, T b) { return a & b; });
  case BinaryKind::BitOr:
    return map<T, T, T>(o, [](T a, T b) { return a | b; });
  case BinaryKind::BitXor:
    return map<T, T, T>(o, [](T a, T b) { return a ^ b; });
  case BinaryKind::ShiftLeft:
    return map<T, T, T>(o, [=](T a, T b) { return shiftLeft(a, b, width); });
  case BinaryKind::ShiftRight:
    return map<T, T, T>(o, [=](T a, T b) { return shiftRight(a, b, width); });
  default:
    llvm_unreachable("not a function of two integers");
  }
}

//===- Floats -------------------------------------------------------------===//

/// Returns the remainder with the sign of the divisor, as for integers.
double moduloFloat(double a, double b) {
  double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T>
void combineFloats(BinaryKind kind, Operands o) {
  switch (kind) {
  case BinaryKind::Add:
    return map<T, T, T>(o, [](T a, T b) { return a + b; });
  case BinaryKind::Sub:
    return map<T, T, T>(o, [](T a, T b) { return a - b; });
  case BinaryKind::Mul:
    return map<T, T, T>(o, [](T a, T b) { return a * b; });
  case BinaryKind::Div:
    return map<T, T, T>(o, [](T a, T b) { return a / b; });
  case BinaryKind::Mod:
    return map<T, T, T>(o, moduloFloat);
  case BinaryKind::FMod:
    return map<T, T, T>(o, [](double a, double b) { return std::fmod(a, b); });
  case BinaryKind::Min: // a != a is true for NaN, so NaN propagates
    return map<T, T, T>(o, [](T a, T b) { return a != a || a < b ? a : b; });
  case BinaryKind::Max:
    return map<T, T, T>(o, [](T a, T b) { return a != a || a > b ? a : b; });
  case BinaryKind::PRelu:
    return map<T, T, T>(o, [](T a, T b) { return a < 0 ? a * b : a; });
  default:
    llvm_unreachable("not a function of two floats");
  }
}

//===- Powers -------------------------------------------------------------===//

/// Returns base ^ exponent by squaring, with wrap-around. A negative exponent
/// gives the integer part of the reciprocal: 0 unless base is 1 or -1, and 0
/// for base 0.
template <typename T>
T integerPower(T base, int64_t exponent) {
  if (exponent < 0) {
    bool isUnit = base == T(1) || (std::is_signed_v<T> && base == static_cast<T>(-1));
    return !isUnit ? T(0) : exponent % 2 == 0 ? T(1) : base;
  }
  uint64_t power = 1;
  for (auto factor = static_cast<uint64_t>(int64_t(base)); exponent; exponent >>= 1) {
    power *= exponent & 1 ? factor : 1;
    factor *= factor;
  }
  return static_cast<T>(power);
}

/// Evaluates pow. The exponent may have another type ([binary.1]); it is int64
/// or double here.
void raise(const Tensor &lhs, const Tensor &rhs, Tensor &result) {
  bool isIntegral = isInteger(lhs.type()) && isInteger(rhs.type());
  Tensor exponents = converted(rhs, isIntegral ? ElementType::I64 : ElementType::F64);
  Operands o{lhs, exponents, result};
  auto power = [](double a, double b) { return std::pow(a, b); };
  dispatch(lhs.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      map<T, double, T>(o, power);
    } else if constexpr (std::is_integral_v<T>) {
      if (isIntegral) {
        map<T, int64_t, T>(o, integerPower<T>);
      } else {
        map<T, double, T>(
            o, [=](T a, double b) { return saturateTo<T>(power(static_cast<double>(a), b)); });
      }
    }
  });
}

//===- Choice of the loop -------------------------------------------------===//

/// Combines operands of one type other than strings and floats below 32 bits.
void combine(BinaryKind kind, Operands o) {
  dispatch(o.lhs.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>) {
      if (isComparison(kind)) {
        return compare<T>(kind, o);
      }
    }
    if constexpr (std::is_same_v<T, bool>) {
      combineBooleans(kind, o);
    } else if constexpr (std::is_integral_v<T>) {
      combineIntegers<T>(kind, o);
    } else if constexpr (std::is_floating_point_v<T>) {
      combineFloats<T>(kind, o);
    }
  });
}

void equalStrings(const Tensor &lhs, const Tensor &rhs, Tensor &result) {
  mapRows(lhs.shape(), lhs.strings().data(), rhs.shape(), rhs.strings().data(), result.shape(),
          result.mutableData<bool>(),
          [](const std::string &a, const std::string &b) { return a == b; });
}

void combineOrRaise(BinaryKind kind, const Tensor &lhs, const Tensor &rhs, Tensor &result) {
  if (kind == BinaryKind::Pow) {
    raise(lhs, rhs, result);
  } else {
    combine(kind, {lhs, rhs, result});
  }
}

} // namespace

LogicalResult evaluateBinary(graph::BinaryOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  if (lhs.type() == ElementType::String) {
    equalStrings(lhs, rhs, result);
    return success();
  }
  bool isSmallFloat = isFloat(lhs.type()) && bitWidth(lhs.type()) < 32;
  if (!isSmallFloat) {
    combineOrRaise(op.getKind(), lhs, rhs, result);
    wrapNarrowIntegers(result);
    return success();
  }
  Tensor wideLhs = converted(lhs, ElementType::F64);
  Tensor wideRhs = converted(rhs, ElementType::F64);
  if (isComparison(op.getKind())) {
    compare<double>(op.getKind(), {wideLhs, wideRhs, result});
    return success();
  }
  Tensor computed(ElementType::F64, result.shape());
  combineOrRaise(op.getKind(), wideLhs, wideRhs, computed);
  convertElements(computed, result, {Overflow::ToNonFinite});
  return success();
}

} // namespace convoy::reference
