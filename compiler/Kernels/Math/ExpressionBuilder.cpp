// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the operators, one arith op each, and the bit operations that the functions share:
// rounding to integers, powers of two, exact sums and products.

#include "Kernels/Math/ExpressionBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace convoy::kernels::math {
namespace {

/// The layout of f32 or f64, the formats in which functions are computed.
struct Format {
  int64_t mantissaBits;
  int64_t exponentBias;
  int64_t signShift;
  /// 1.5 x 2^mantissaBits. Adding it shifts the fraction out of the mantissa and leaves the rounded
  /// integer in the low bits, for either sign.
  double roundingShift;
  int64_t roundingShiftBits;
  /// 2^k + 1 with k half the precision: Veltkamp's constant, which splits a number into two halves
  /// whose products are exact.
  double splitter;
};

Format formatOf(Real a) {
  if (isDouble(a)) {
    return {52, 1023, 63, 0x1.8p52, 0x4338000000000000, 0x1.0000002p27};
  }
  return {23, 127, 31, 0x1.8p23, 0x4b400000, 0x1.002p12};
}

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return vector.clone(element);
  }
  return element;
}

TypedAttr splat(Type type, Attribute element) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    return DenseElementsAttr::get(vector, element);
  }
  return cast<TypedAttr>(element);
}

template <typename Op, typename T>
T binary(T a, T b) {
  return T(a.at(), a.at().template emit<Op>(a.value(), b.value()));
}

Truth compare(arith::CmpFPredicate predicate, Real a, Real b) {
  return Truth(a.at(), a.at().emit<arith::CmpFOp>(predicate, a.value(), b.value()));
}

} // namespace

Value ExpressionBuilder::constant(Type type, double number) {
  Attribute element = FloatAttr::get(getElementTypeOrSelf(type), number);
  return emit<arith::ConstantOp>(splat(type, element));
}

Value ExpressionBuilder::constant(Type type, int64_t number) {
  Attribute element = IntegerAttr::get(getElementTypeOrSelf(type), number);
  return emit<arith::ConstantOp>(splat(type, element));
}

Real operator+(Real a, Real b) { return binary<arith::AddFOp>(a, b); }
Real operator-(Real a, Real b) { return binary<arith::SubFOp>(a, b); }
Real operator*(Real a, Real b) { return binary<arith::MulFOp>(a, b); }
Real operator/(Real a, Real b) { return binary<arith::DivFOp>(a, b); }
Real operator-(Real a) { return Real(a.at(), a.at().emit<arith::NegFOp>(a.value())); }

Truth operator<(Real a, Real b) { return compare(arith::CmpFPredicate::OLT, a, b); }
Truth operator<=(Real a, Real b) { return compare(arith::CmpFPredicate::OLE, a, b); }
Truth operator>(Real a, Real b) { return compare(arith::CmpFPredicate::OGT, a, b); }
Truth operator>=(Real a, Real b) { return compare(arith::CmpFPredicate::OGE, a, b); }
Truth operator==(Real a, Real b) { return compare(arith::CmpFPredicate::OEQ, a, b); }
Truth operator&(Truth a, Truth b) { return binary<arith::AndIOp>(a, b); }
Truth operator|(Truth a, Truth b) { return binary<arith::OrIOp>(a, b); }
Truth operator!(Truth a) {
  Truth allTrue(a.at(), a.at().constant(a.type(), int64_t(1)));
  return binary<arith::XOrIOp>(a, allTrue);
}

Bits operator+(Bits a, Bits b) { return binary<arith::AddIOp>(a, b); }
Bits operator-(Bits a, Bits b) { return binary<arith::SubIOp>(a, b); }
Bits operator&(Bits a, Bits b) { return binary<arith::AndIOp>(a, b); }
Bits operator^(Bits a, Bits b) { return binary<arith::XOrIOp>(a, b); }
Bits operator<<(Bits a, int64_t count) { return binary<arith::ShLIOp>(a, a.like(count)); }
Bits operator>>(Bits a, int64_t count) { return binary<arith::ShRSIOp>(a, a.like(count)); }
Truth operator==(Bits a, int64_t b) {
  return Truth(a.at(),
               a.at().emit<arith::CmpIOp>(arith::CmpIPredicate::eq, a.value(), a.like(b).value()));
}

Real select(Truth when, Real yes, Real no) {
  return Real(yes.at(), yes.at().emit<arith::SelectOp>(when.value(), yes.value(), no.value()));
}

Real fma(Real a, Real b, Real c) {
  if (!a.at().fusesMultiplyAdd()) {
    return a * b + c;
  }
  // vector.fma would become llvm.fmuladd, which LLVM may split again.
  return Real(a.at(), a.at().emit<mlir::math::FmaOp>(a.value(), b.value(), c.value()));
}

Real abs(Real a) { return Real(a.at(), a.at().emit<mlir::math::AbsFOp>(a.value())); }
Real sqrt(Real a) { return Real(a.at(), a.at().emit<mlir::math::SqrtOp>(a.value())); }
Real copysign(Real magnitude, Real sign) { return binary<mlir::math::CopySignOp>(magnitude, sign); }

Real atMost(Real a, double limit) { return select(a > limit, limit, a); }
Real atLeast(Real a, double limit) { return select(a < limit, limit, a); }

bool isDouble(Real a) { return getElementTypeOrSelf(a.type()).isF64(); }

Real toDouble(Real a) {
  Type wide = withElement(a.type(), Float64Type::get(a.type().getContext()));
  return Real(a.at(), a.at().emit<arith::ExtFOp>(wide, a.value()));
}

Real toSingle(Real a) {
  Type narrow = withElement(a.type(), Float32Type::get(a.type().getContext()));
  return Real(a.at(), a.at().emit<arith::TruncFOp>(narrow, a.value()));
}

Bits bitsOf(Real a) {
  unsigned width = isDouble(a) ? 64 : 32;
  Type type = withElement(a.type(), IntegerType::get(a.type().getContext(), width));
  return Bits(a.at(), a.at().emit<arith::BitcastOp>(type, a.value()));
}

Real realOf(Bits a, Real shape) {
  return Real(a.at(), a.at().emit<arith::BitcastOp>(shape.type(), a.value()));
}

Real negateIf(Real a, Bits when) { return realOf(bitsOf(a) ^ (when << formatOf(a).signShift), a); }

Truth isNegative(Real a) {
  Bits bits = bitsOf(a);
  return Truth(a.at(), a.at().emit<arith::CmpIOp>(arith::CmpIPredicate::slt, bits.value(),
                                                  bits.like(0).value()));
}

Real polynomial(Real x, ArrayRef<double> coefficients) {
  Real sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back())) {
    sum = fma(sum, x, coefficient);
  }
  return sum;
}

Rounded roundToInteger(Real x) {
  Format format = formatOf(x);
  Real shifted = x + format.roundingShift;
  return {shifted - format.roundingShift, bitsOf(shifted) - format.roundingShiftBits};
}

Rounded roundToInteger(Real x, double factor) {
  Format format = formatOf(x);
  Real shifted = fma(x, factor, x.like(format.roundingShift));
  return {shifted - format.roundingShift, bitsOf(shifted) - format.roundingShiftBits};
}

Real toReal(Bits integer, Real shape) {
  Format format = formatOf(shape);
  return realOf(integer + format.roundingShiftBits, shape) - format.roundingShift;
}

Real powerOfTwo(Bits n, Real shape) {
  Format format = formatOf(shape);
  return realOf((n + format.exponentBias) << format.mantissaBits, shape);
}

Real scaleByPowerOfTwo(Real x, Bits n) {
  // Multiply by two factors, because 2^n itself may not be a normal number. The first product is
  // exact, so a denormal result is rounded only once.
  Bits half = n >> 1;
  return x * powerOfTwo(half, x) * powerOfTwo(n - half, x);
}

Pair quickTwoSum(Real a, Real b) {
  Real sum = a + b;
  return {sum, b - (sum - a)};
}

Pair twoSum(Real a, Real b) {
  Real sum = a + b;
  Real fromB = sum - a;
  return {sum, (a - (sum - fromB)) + (b - fromB)};
}

static Pair split(Real a) {
  Real scaled = a * formatOf(a).splitter;
  Real hi = scaled - (scaled - a);
  return {hi, a - hi};
}

Pair twoProduct(Real a, Real b) {
  Real product = a * b;
  if (a.at().fusesMultiplyAdd()) {
    return {product, fma(a, b, -product)};
  }
  Pair x = split(a);
  Pair y = split(b);
  return {product, x.lo * y.lo - (((product - x.hi * y.hi) - x.lo * y.hi) - x.hi * y.lo)};
}

} // namespace convoy::kernels::math
