// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that let math functions be written as formulas: `r * r + 1.0` emits arith ops. The same
// code works for scalars and vectors of any shape, because every op is element-wise. The operators
// emit arith ops and the exact math ops fma, absf, copysign and sqrt. They set no fast-math flags.

#ifndef CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H
#define CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace convoy::kernels::math {

/// The insertion point of an expression's ops, and whether they may use a fused multiply-add.
/// Expressions hold a pointer to the builder, so it must outlive them.
class ExpressionBuilder {
public:
  ExpressionBuilder(mlir::OpBuilder &ops, mlir::Location loc, bool fuseMultiplyAdd)
      : ops(ops), loc(loc), fuseMultiplyAdd(fuseMultiplyAdd) {}

  template <typename Op, typename... Args>
  mlir::Value emit(Args &&...args) {
    return ops.create<Op>(loc, std::forward<Args>(args)...);
  }
  /// Returns a constant of `type`, splat over the lanes of a vector.
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value constant(mlir::Type type, int64_t number);
  bool fusesMultiplyAdd() const { return fuseMultiplyAdd; }

private:
  mlir::OpBuilder &ops;
  mlir::Location loc;
  bool fuseMultiplyAdd;
};

/// The base of Real, Bits and Truth: a value and its builder.
class Expression {
public:
  Expression(ExpressionBuilder &builder, mlir::Value value) : builder(&builder), result(value) {}
  mlir::Value value() const { return result; }
  mlir::Type type() const { return result.getType(); }
  ExpressionBuilder &at() const { return *builder; }

private:
  ExpressionBuilder *builder;
  mlir::Value result;
};

/// An f32 or f64 scalar or vector.
class Real : public Expression {
public:
  using Expression::Expression;
  /// Returns the constant `number` in this expression's type.
  Real like(double number) const { return Real(at(), at().constant(type(), number)); }
};

/// An integer scalar or vector of the width of a Real.
class Bits : public Expression {
public:
  using Expression::Expression;
  Bits like(int64_t number) const { return Bits(at(), at().constant(type(), number)); }
};

/// One i1 per lane.
class Truth : public Expression {
public:
  using Expression::Expression;
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
Real operator-(Real a);
inline Real operator+(Real a, double b) { return a + a.like(b); }
inline Real operator-(Real a, double b) { return a - a.like(b); }
inline Real operator*(Real a, double b) { return a * a.like(b); }
inline Real operator/(Real a, double b) { return a / a.like(b); }
inline Real operator+(double a, Real b) { return b.like(a) + b; }
inline Real operator-(double a, Real b) { return b.like(a) - b; }
inline Real operator*(double a, Real b) { return b.like(a) * b; }
inline Real operator/(double a, Real b) { return b.like(a) / b; }

/// Comparisons are ordered: false if either side is NaN.
Truth operator<(Real a, Real b);
Truth operator<=(Real a, Real b);
Truth operator>(Real a, Real b);
Truth operator>=(Real a, Real b);
Truth operator==(Real a, Real b);
inline Truth operator<(Real a, double b) { return a < a.like(b); }
inline Truth operator<=(Real a, double b) { return a <= a.like(b); }
inline Truth operator>(Real a, double b) { return a > a.like(b); }
inline Truth operator>=(Real a, double b) { return a >= a.like(b); }
inline Truth operator==(Real a, double b) { return a == a.like(b); }
Truth operator&(Truth a, Truth b);
Truth operator|(Truth a, Truth b);
Truth operator!(Truth a);

Bits operator+(Bits a, Bits b);
Bits operator-(Bits a, Bits b);
Bits operator&(Bits a, Bits b);
Bits operator^(Bits a, Bits b);
inline Bits operator+(Bits a, int64_t b) { return a + a.like(b); }
inline Bits operator-(Bits a, int64_t b) { return a - a.like(b); }
inline Bits operator&(Bits a, int64_t b) { return a & a.like(b); }
Bits operator<<(Bits a, int64_t count);
/// Arithmetic shift: copies the sign bit.
Bits operator>>(Bits a, int64_t count);
Truth operator==(Bits a, int64_t b);

Real select(Truth when, Real yes, Real no);
inline Real select(Truth when, Real yes, double no) { return select(when, yes, yes.like(no)); }
inline Real select(Truth when, double yes, Real no) { return select(when, no.like(yes), no); }

/// Returns a * b + c, rounded once if the target has a fused multiply-add, twice otherwise. Code
/// that needs a single rounding uses twoProduct.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.like(c)); }
Real abs(Real a);
Real copysign(Real magnitude, Real sign);
Real sqrt(Real a);
/// Returns the smaller of `a` and `limit`; NaN stays NaN.
Real atMost(Real a, double limit);
Real atLeast(Real a, double limit);

bool isDouble(Real a);
Real toDouble(Real a);
/// Rounds `a` to f32.
Real toSingle(Real a);

Bits bitsOf(Real a);
/// Returns the Real of `shape`'s type with the bits of `a`.
Real realOf(Bits a, Real shape);
/// Returns -a where the lowest bit of `when` is set, otherwise a.
Real negateIf(Real a, Bits when);
/// Returns true where the sign bit is set, also for -0 and NaN.
Truth isNegative(Real a);

/// Returns c[0] + c[1] x + c[2] x^2 + ..., computed by Horner's rule.
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);

/// The nearest integer, ties to even, as a Real and as an integer. Valid for |x| < 2^22 (f32) and
/// |x| < 2^51 (f64). NaN gives NaN and an unspecified integer, without the undefined behavior of a
/// float-to-integer conversion.
struct Rounded {
  Real real;
  Bits integer;
};
Rounded roundToInteger(Real x);
/// Rounds x * factor. An inexact product can round to the second nearest integer near a tie.
Rounded roundToInteger(Real x, double factor);
/// Converts `integer` to a Real of `shape`'s type. The limits of roundToInteger apply.
Real toReal(Bits integer, Real shape);

/// Returns x * 2^n rounded once, also for denormal results; |x| must be in [1/2, 2].
Real scaleByPowerOfTwo(Real x, Bits n);
/// Returns 2^n; the result must be a normal number.
Real powerOfTwo(Bits n, Real shape);

/// An unevaluated sum hi + lo; |lo| is at most half a unit in the last place of hi.
struct Pair {
  Real hi;
  Real lo;
};
/// Returns a + b exactly if |a| >= |b| or a is zero.
Pair quickTwoSum(Real a, Real b);
/// Returns a + b exactly.
Pair twoSum(Real a, Real b);
/// Returns a * b exactly, with or without a fused multiply-add.
Pair twoProduct(Real a, Real b);

} // namespace convoy::kernels::math

#endif // CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H
