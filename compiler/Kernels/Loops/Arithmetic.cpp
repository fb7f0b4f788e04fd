// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the semantics of Graph/Elementwise.td on registers, with one switch per arity.
// Functions without an instruction become math ops, which convoy-kernels-lower-math expands.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Math/Expand.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::kernels {

Value Arithmetic::add(Value x, Value y) {
  return isFloatType() ? lanes.op<arith::AddFOp>(x, y) : lanes.op<arith::AddIOp>(x, y);
}
Value Arithmetic::sub(Value x, Value y) {
  return isFloatType() ? lanes.op<arith::SubFOp>(x, y) : lanes.op<arith::SubIOp>(x, y);
}
Value Arithmetic::mul(Value x, Value y) {
  return isFloatType() ? lanes.op<arith::MulFOp>(x, y) : lanes.op<arith::MulIOp>(x, y);
}
Value Arithmetic::div(Value x, Value y) {
  return isFloatType() ? lanes.op<arith::DivFOp>(x, y) : integerDivide(x, y);
}
Value Arithmetic::multiplyAdd(Value x, Value y, Value z) {
  return isFloatType() ? lanes.fma(x, y, z) : add(mul(x, y), z);
}

Value Arithmetic::min(Value x, Value y) {
  if (isFloatType()) {
    return lanes.op<arith::MinimumFOp>(x, y);
  }
  bool isUnsigned = isUnsignedType() || type == ElementType::Bool;
  return isUnsigned ? lanes.op<arith::MinUIOp>(x, y) : lanes.op<arith::MinSIOp>(x, y);
}
Value Arithmetic::max(Value x, Value y) {
  if (isFloatType()) {
    return lanes.op<arith::MaximumFOp>(x, y);
  }
  bool isUnsigned = isUnsignedType() || type == ElementType::Bool;
  return isUnsigned ? lanes.op<arith::MaxUIOp>(x, y) : lanes.op<arith::MaxSIOp>(x, y);
}

Value Arithmetic::less(Value x, Value y) { return compare(BinaryKind::Less, x, y); }
Value Arithmetic::equal(Value x, Value y) { return compare(BinaryKind::Equal, x, y); }

Value Arithmetic::outranks(Value x, Value y, bool takesMax) {
  Value isBetter = takesMax ? less(y, x) : less(x, y);
  if (!isFloatType()) {
    return isBetter;
  }
  // The comparison is unordered although y is a number, so x is NaN.
  Value isUnordered = lanes.compare(arith::CmpFPredicate::UNO, x, y);
  return lanes.op<arith::OrIOp>(isBetter, lanes.op<arith::AndIOp>(isUnordered, equal(y, y)));
}

Value Arithmetic::lowest() {
  if (isFloatType()) {
    return number(-std::numeric_limits<double>::infinity());
  }
  bool isZero = isUnsignedType() || type == ElementType::Bool;
  unsigned bits = scalar().getIntOrFloatBitWidth();
  return lanes.intOf(scalar(), isZero ? 0 : llvm::minIntN(bits));
}

Value Arithmetic::highest() {
  if (isFloatType()) {
    return number(std::numeric_limits<double>::infinity());
  }
  unsigned bits = scalar().getIntOrFloatBitWidth();
  if (isUnsignedType() || type == ElementType::Bool) {
    return lanes.intOf(scalar(), -1);
  }
  return lanes.intOf(scalar(), llvm::maxIntN(bits));
}

/// Divides integers. A zero divisor gives 0; the lowest value divided by -1 wraps to itself instead
/// of trapping.
Value Arithmetic::integerDivide(Value x, Value y) {
  Value zero = lanes.intOf(scalar(), 0);
  Value one = lanes.intOf(scalar(), 1);
  Value isZero = lanes.compare(arith::CmpIPredicate::eq, y, zero);
  if (isUnsignedType()) {
    Value quotient = lanes.op<arith::DivUIOp>(x, lanes.select(isZero, one, y));
    return lanes.select(isZero, zero, quotient);
  }
  Value isMinusOne = lanes.compare(arith::CmpIPredicate::eq, y, lanes.intOf(scalar(), -1));
  Value isSpecial = lanes.op<arith::OrIOp>(isZero, isMinusOne);
  Value quotient = lanes.op<arith::DivSIOp>(x, lanes.select(isSpecial, one, y));
  quotient = lanes.select(isMinusOne, lanes.op<arith::SubIOp>(zero, x), quotient);
  return lanes.select(isZero, zero, quotient);
}

/// Returns x - trunc(x / y) * y of f64. The result is exact if the quotient has at most 53 bits:
/// the code has one fused multiply-add.
static Value exactRemainder(Lanes &lanes, Value dividend, Value divisor) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value quotient = b.create<math::TruncOp>(b.create<arith::DivFOp>(dividend, divisor));
  Value rest = lanes.fma(b.create<arith::NegFOp>(quotient), divisor, dividend);
  // The quotient may have been rounded up to the next integer. The remainder then has the wrong
  // sign and is off by one divisor.
  Type f64 = b.getF64Type();
  Value product = b.create<arith::MulFOp>(rest, dividend);
  Value isOver = lanes.compare(arith::CmpFPredicate::OLT, product, lanes.constantOf(f64, 0));
  Value magnitude = b.create<math::AbsFOp>(divisor);
  Value back = b.create<arith::AddFOp>(rest, b.create<math::CopySignOp>(magnitude, dividend));
  return lanes.select(isOver, back, rest);
}

/// Returns x - trunc(x / y) * y. There is no instruction for fmod, and a call would need libm. The
/// result of f64 is exact if the quotient has at most 53 bits. The result of narrower types is
/// always exact: remainders of y times powers of two, the largest first, keep each quotient small.
static Value floatRemainder(Lanes &lanes, Value x, Value y) {
  ImplicitLocOpBuilder &b = lanes.b;
  lanes.unify(x, y);
  Type narrow = x.getType();
  Type element = getElementTypeOrSelf(narrow);
  bool isWide = element.isF64();
  Type wide = lanes.typeLike(x, b.getF64Type());
  Value dividend = isWide ? x : b.create<arith::ExtFOp>(wide, x).getResult();
  Value divisor = isWide ? y : b.create<arith::ExtFOp>(wide, y).getResult();
  Type f64 = b.getF64Type();
  // A quotient of f32 and of bf16 is less than 2^277, one of f16 less than 2^40.
  constexpr int kBits = 50;
  int steps = element.isF32() || element.isBF16() ? 5 : 0;
  Value rest = dividend;
  for (int step = steps; step > 0; --step) {
    Value factor = lanes.constantOf(f64, std::ldexp(1.0, kBits * step));
    rest = exactRemainder(lanes, rest, lanes.op<arith::MulFOp>(divisor, factor));
  }
  rest = exactRemainder(lanes, rest, divisor);
  Value magnitude = b.create<math::AbsFOp>(divisor);
  Value isInfinite = lanes.compare(arith::CmpFPredicate::OEQ, magnitude,
                                   lanes.constantOf(f64, std::numeric_limits<double>::infinity()));
  // The difference makes an infinite dividend NaN.
  Value whole = b.create<arith::AddFOp>(dividend, b.create<arith::SubFOp>(dividend, dividend));
  rest = lanes.select(isInfinite, whole, rest);
  rest = b.create<math::CopySignOp>(rest, dividend);
  return isWide ? rest : b.create<arith::TruncFOp>(narrow, rest).getResult();
}

Value Arithmetic::remainder(Value x, Value y, bool takesDivisorSign) {
  Value zero = number(0);
  if (isFloatType()) {
    Value rest = floatRemainder(lanes, x, y);
    if (!takesDivisorSign) {
      return rest;
    }
    Value differs =
        lanes.compare(arith::CmpFPredicate::OLT, lanes.op<arith::MulFOp>(rest, y), zero);
    return lanes.select(differs, lanes.op<arith::AddFOp>(rest, y), rest);
  }
  Value isZero = lanes.compare(arith::CmpIPredicate::eq, y, zero);
  if (isUnsignedType()) {
    Value one = lanes.intOf(scalar(), 1);
    Value rest = lanes.op<arith::RemUIOp>(x, lanes.select(isZero, one, y));
    return lanes.select(isZero, zero, rest);
  }
  Value quotient = integerDivide(x, y);
  Value rest = lanes.op<arith::SubIOp>(x, lanes.op<arith::MulIOp>(quotient, y));
  if (takesDivisorSign) {
    Value isRest = lanes.compare(arith::CmpIPredicate::ne, rest, zero);
    Value signs = lanes.op<arith::XOrIOp>(rest, y);
    Value differs = lanes.compare(arith::CmpIPredicate::slt, signs, zero);
    Value moves = lanes.op<arith::AndIOp>(isRest, differs);
    rest = lanes.select(moves, lanes.op<arith::AddIOp>(rest, y), rest);
  }
  return lanes.select(isZero, zero, rest);
}

Value Arithmetic::shift(Value x, Value y, bool isLeft) {
  int64_t bits = scalar().getIntOrFloatBitWidth();
  Value most = lanes.intOf(scalar(), bits - 1);
  Value isOver = lanes.compare(arith::CmpIPredicate::ugt, y, most);
  Value amount = lanes.select(isOver, most, y);
  Value zero = lanes.intOf(scalar(), 0);
  if (isLeft) {
    return lanes.select(isOver, zero, lanes.op<arith::ShLIOp>(x, amount));
  }
  if (isUnsignedType()) {
    return lanes.select(isOver, zero, lanes.op<arith::ShRUIOp>(x, amount));
  }
  return lanes.op<arith::ShRSIOp>(x, amount);
}

Value Arithmetic::compare(BinaryKind kind, Value x, Value y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  bool isUnsigned = isUnsignedType() || type == ElementType::Bool;
  auto pick = [&](F f, I s, I u) {
    return isFloatType() ? lanes.compare(f, x, y) : lanes.compare(isUnsigned ? u : s, x, y);
  };
  switch (kind) {
  case BinaryKind::Equal:
    return pick(F::OEQ, I::eq, I::eq);
  case BinaryKind::Less:
    return pick(F::OLT, I::slt, I::ult);
  case BinaryKind::LessEqual:
    return pick(F::OLE, I::sle, I::ule);
  case BinaryKind::Greater:
    return pick(F::OGT, I::sgt, I::ugt);
  default:
    return pick(F::OGE, I::sge, I::uge);
  }
}

/// Computes the power by repeated squaring, wrapping, with one step per bit of the exponent; the
/// steps of a constant exponent fold. A negative exponent gives the integer part of the reciprocal:
/// 0 unless x is 1 or -1.
Value Arithmetic::integerPower(Value x, Value y, ElementType exponent) {
  bool isSigned = isSignedInteger(exponent);
  Arithmetic counts{lanes, exponent};
  Value one = lanes.intOf(scalar(), 1);
  Value countOne = lanes.intOf(counts.scalar(), 1);
  Value countZero = lanes.intOf(counts.scalar(), 0);
  auto isOdd = [&](Value count) {
    Value bit = lanes.op<arith::AndIOp>(count, countOne);
    return lanes.compare(arith::CmpIPredicate::ne, bit, countZero);
  };
  Value result = one;
  Value base = x;
  Value rest = y;
  for (int64_t i = bitWidth(exponent) - (isSigned ? 1 : 0); i > 0; --i) {
    result = lanes.select(isOdd(rest), mul(result, base), result);
    base = mul(base, base);
    rest = lanes.op<arith::ShRUIOp>(rest, countOne);
  }
  if (!isSigned) {
    return result;
  }
  Value reciprocal = lanes.select(equal(x, one), one, lanes.intOf(scalar(), 0));
  if (!isUnsignedType()) {
    Value minusOne = lanes.intOf(scalar(), -1);
    Value sign = lanes.select(isOdd(y), minusOne, one);
    reciprocal = lanes.select(equal(x, minusOne), sign, reciprocal);
  }
  return lanes.select(counts.less(y, countZero), reciprocal, result);
}

Value Arithmetic::power(Value x, Value y, ElementType exponent) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (isFloatType()) {
    Value power = convert(lanes, y, exponent, type == ElementType::F64 ? type : ElementType::F32);
    lanes.unify(x, power);
    return b.create<math::PowFOp>(x, power);
  }
  if (isInteger(exponent)) {
    return integerPower(x, y, exponent);
  }
  Value base = convert(lanes, x, type, ElementType::F64);
  Value power = convert(lanes, y, exponent, ElementType::F64);
  lanes.unify(base, power);
  return convert(lanes, b.create<math::PowFOp>(base, power), ElementType::F64, type);
}

Value Arithmetic::binary(BinaryKind kind, Value x, Value y) {
  switch (kind) {
  case BinaryKind::Add:
    return add(x, y);
  case BinaryKind::Sub:
    return sub(x, y);
  case BinaryKind::Mul:
    return mul(x, y);
  case BinaryKind::Div:
    return div(x, y);
  case BinaryKind::Mod:
    return remainder(x, y, /*takesDivisorSign=*/true);
  case BinaryKind::FMod:
    return remainder(x, y, /*takesDivisorSign=*/false);
  case BinaryKind::Min:
    return min(x, y);
  case BinaryKind::Max:
    return max(x, y);
  case BinaryKind::PRelu:
    return lanes.select(less(x, number(0)), mul(x, y), x);
  case BinaryKind::And:
  case BinaryKind::BitAnd:
    return lanes.op<arith::AndIOp>(x, y);
  case BinaryKind::Or:
  case BinaryKind::BitOr:
    return lanes.op<arith::OrIOp>(x, y);
  case BinaryKind::Xor:
  case BinaryKind::BitXor:
    return lanes.op<arith::XOrIOp>(x, y);
  case BinaryKind::ShiftLeft:
    return shift(x, y, /*isLeft=*/true);
  case BinaryKind::ShiftRight:
    return shift(x, y, /*isLeft=*/false);
  default:
    return compare(kind, x, y);
  }
}

Value Arithmetic::unary(UnaryKind kind, Value x) {
  if (kind == UnaryKind::Not || kind == UnaryKind::BitNot) {
    return lanes.op<arith::XOrIOp>(x, lanes.intOf(scalar(), -1));
  }
  return isFloatType() ? unaryFloat(kind, x) : unaryInteger(kind, x);
}

Value Arithmetic::unaryInteger(UnaryKind kind, Value x) {
  Value zero = lanes.intOf(scalar(), 0);
  Value one = lanes.intOf(scalar(), 1);
  switch (kind) {
  case UnaryKind::Neg:
    return lanes.op<arith::SubIOp>(zero, x);
  case UnaryKind::Abs:
    return isUnsignedType() ? x : lanes.select(less(x, zero), lanes.op<arith::SubIOp>(zero, x), x);
  case UnaryKind::Relu:
    return max(x, zero);
  case UnaryKind::Sign: {
    Value positive = lanes.select(less(zero, x), one, zero);
    return isUnsignedType() ? positive
                            : lanes.select(less(x, zero), lanes.intOf(scalar(), -1), positive);
  }
  default:
    return x; // Rounding does not change an integer.
  }
}

/// Creates the op that computes a function of one float.
template <typename OpT>
static Value create(ImplicitLocOpBuilder &b, Value x) {
  return b.create<OpT>(x);
}

/// The functions that are one op.
static constexpr struct {
  UnaryKind kind;
  Value (*create)(ImplicitLocOpBuilder &, Value);
} kFloatOps[] = {
    {UnaryKind::Abs, create<math::AbsFOp>},    {UnaryKind::Neg, create<arith::NegFOp>},
    {UnaryKind::Exp, create<math::ExpOp>},     {UnaryKind::Log, create<math::LogOp>},
    {UnaryKind::Sqrt, create<math::SqrtOp>},   {UnaryKind::Floor, create<math::FloorOp>},
    {UnaryKind::Ceil, create<math::CeilOp>},   {UnaryKind::Round, create<math::RoundEvenOp>},
    {UnaryKind::Sin, create<math::SinOp>},     {UnaryKind::Cos, create<math::CosOp>},
    {UnaryKind::Tan, create<math::TanOp>},     {UnaryKind::Asin, create<math::AsinOp>},
    {UnaryKind::Acos, create<math::AcosOp>},   {UnaryKind::Atan, create<math::AtanOp>},
    {UnaryKind::Sinh, create<math::SinhOp>},   {UnaryKind::Cosh, create<math::CoshOp>},
    {UnaryKind::Asinh, create<math::AsinhOp>}, {UnaryKind::Acosh, create<math::AcoshOp>},
    {UnaryKind::Atanh, create<math::AtanhOp>}, {UnaryKind::Tanh, create<math::TanhOp>},
    {UnaryKind::Erf, create<math::ErfOp>},
};

Value Arithmetic::unaryFloat(UnaryKind kind, Value x) {
  for (const auto &row : kFloatOps) {
    if (row.kind == kind) {
      return row.create(lanes.b, x);
    }
  }
  return unaryComposite(kind, x);
}

Value Arithmetic::unaryComposite(UnaryKind kind, Value x) {
  ImplicitLocOpBuilder &b = lanes.b;
  double infinity = std::numeric_limits<double>::infinity();
  Value zero = number(0);
  Value one = number(1);
  switch (kind) {
  case UnaryKind::Reciprocal:
    return div(one, x);
  case UnaryKind::Sign: {
    Value negative = lanes.select(less(x, zero), number(-1), x);
    return lanes.select(less(zero, x), one, negative);
  }
  case UnaryKind::Sigmoid:
    if (type != ElementType::F64) {
      return emitSigmoid(b, b.getLoc(), x);
    }
    return div(one, add(one, b.create<math::ExpOp>(b.create<arith::NegFOp>(x))));
  case UnaryKind::Relu:
    return lanes.select(less(x, zero), zero, x);
  case UnaryKind::Softplus: {
    // log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)) does not overflow.
    Value tail = b.create<math::ExpOp>(b.create<arith::NegFOp>(b.create<math::AbsFOp>(x)));
    return add(max(x, zero), b.create<math::Log1pOp>(tail));
  }
  case UnaryKind::Softsign:
    return div(x, add(one, b.create<math::AbsFOp>(x)));
  case UnaryKind::Mish:
    return mul(x, b.create<math::TanhOp>(unaryComposite(UnaryKind::Softplus, x)));
  case UnaryKind::HardSwish: {
    // ONNX defines a product with the constant 1/6, which is also faster than a division by 6.
    Value gate = add(mul(x, number(1.0 / 6)), number(0.5));
    return mul(x, max(zero, min(one, gate)));
  }
  case UnaryKind::Gelu: {
    Value scaled = mul(x, number(0.70710678118654752440));
    return mul(mul(number(0.5), x), add(one, b.create<math::ErfOp>(scaled)));
  }
  case UnaryKind::GeluTanh: {
    Value cube = mul(mul(x, x), x);
    Value inner = mul(number(0.79788456080286535588), add(x, mul(number(0.044715), cube)));
    return mul(mul(number(0.5), x), add(one, b.create<math::TanhOp>(inner)));
  }
  case UnaryKind::IsNaN:
    return lanes.compare(arith::CmpFPredicate::UNO, x, x);
  case UnaryKind::IsInf:
    return lanes.compare(arith::CmpFPredicate::OEQ, b.create<math::AbsFOp>(x), number(infinity));
  case UnaryKind::IsPosInf:
    return lanes.compare(arith::CmpFPredicate::OEQ, x, number(infinity));
  default: // IsNegInf
    return lanes.compare(arith::CmpFPredicate::OEQ, x, number(-infinity));
  }
}

Value Arithmetic::activation(ActivationKind kind, Value x, double alpha, double beta) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value zero = number(0);
  auto expm1 = [&](Value v) -> Value { return b.create<math::ExpM1Op>(v); };
  switch (kind) {
  case ActivationKind::LeakyRelu:
    return lanes.select(less(x, zero), mul(x, number(alpha)), x);
  case ActivationKind::Elu:
    return lanes.select(less(x, zero), mul(number(alpha), expm1(x)), x);
  case ActivationKind::Selu: {
    Value negative = mul(number(alpha), expm1(x));
    return mul(number(beta), lanes.select(less(zero, x), x, negative));
  }
  case ActivationKind::Celu: {
    Value negative = mul(number(alpha), expm1(div(x, number(alpha))));
    return add(max(zero, x), min(zero, negative));
  }
  case ActivationKind::HardSigmoid: {
    Value line = add(mul(number(alpha), x), number(beta));
    return max(zero, min(number(1), line));
  }
  case ActivationKind::ThresholdedRelu:
    return lanes.select(less(number(alpha), x), x, zero);
  case ActivationKind::Shrink: {
    Value above = lanes.select(less(number(alpha), x), sub(x, number(beta)), zero);
    return lanes.select(less(x, number(-alpha)), add(x, number(beta)), above);
  }
  case ActivationKind::Swish:
    return mul(x, unaryComposite(UnaryKind::Sigmoid, mul(number(alpha), x)));
  case ActivationKind::Affine:
    return add(mul(number(alpha), x), number(beta));
  case ActivationKind::ScaledTanh:
    return mul(number(alpha), b.create<math::TanhOp>(mul(number(beta), x)));
  }
  return x;
}

} // namespace convoy::kernels
