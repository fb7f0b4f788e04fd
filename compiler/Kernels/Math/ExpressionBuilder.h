// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the math functions be written as formulas: `r * r + 1.0` emits arith ops.
// The same code serves scalars and vectors of any shape, since every op used is
// element-wise. Emits arith and the few math ops that are one exact machine
// operation (fma, absf, copysign, sqrt); sets no fast-math flag.

#ifndef CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H
#define CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace convoy::kernels::math {

/// Where the ops of an expression go, and whether they may use a fused
/// multiply-add. Expressions hold a pointer to it, so it must outlive them.
class ExpressionBuilder {
public:
  ExpressionBuilder(mlir::OpBuilder &ops, mlir::Location loc, bool fuseMultiplyAdd)
      : ops(ops), loc(loc), fuseMultiplyAdd(fuseMultiplyAdd) {}

  template <typename Op, typename... Args>
  mlir::Value emit(Args &&...args) {
    return ops.create<Op>(loc, std::forward<Args>(args)...);
  }
  /// A constant of `type`, splat over its lanes if it is a vector.
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value constant(mlir::Type type, int64_t number);
  bool fusesMultiplyAdd() const { return fuseMultiplyAdd; }

private:
  mlir::OpBuilder &ops;
  mlir::Location loc;
  bool fuseMultiplyAdd;
};

/// What Real, Bits and Truth share: a value and where to emit more of them.
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
  /// The constant `number` in this expression's type.
  Real like(double number) const { return Real(at(), at().constant(type(), number)); }
};

/// The integer of a Real's width, lane for lane.
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
/// Arithmetic shift: the sign bit is copied in.
Bits operator>>(Bits a, int64_t count);
Truth operator==(Bits a, int64_t b);

Real select(Truth when, Real yes, Real no);
inline Real select(Truth when, Real yes, double no) { return select(when, yes, yes.like(no)); }
inline Real select(Truth when, double yes, Real no) { return select(when, no.like(yes), no); }

/// a * b + c: rounded once if the target fuses, twice if not. Code that needs
/// the single rounding uses twoProduct instead.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.like(c)); }
Real abs(Real a);
Real copysign(Real magnitude, Real sign);
Real sqrt(Real a);
/// The smaller of `a` and `limit`; NaN stays NaN.
Real atMost(Real a, double limit);
Real atLeast(Real a, double limit);

bool isDouble(Real a);
Real toDouble(Real a);
/// `a` rounded to f32.
Real toSingle(Real a);

Bits bitsOf(Real a);
/// The Real of `shape`'s type with the bits of `a`.
Real realOf(Bits a, Real shape);
/// -a where the lowest bit of `when` is set.
Real negateIf(Real a, Bits when);
/// True where the sign bit is set, for -0 and NaN too.
Truth isNegative(Real a);

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);

/// The nearest integer, ties to even, as a Real and as an integer. Holds for
/// |x| < 2^22 (f32) and 2^51 (f64); NaN gives NaN and some integer, never
/// undefined behaviour as a float-to-integer conversion would.
struct Rounded {
  Real real;
  Bits integer;
};
Rounded roundToInteger(Real x);
/// `integer`, which must be small as above, as a Real of `shape`'s type.
Real toReal(Bits integer, Real shape);

/// x * 2^n rounded once, also into the denormals; |x| in [1/2, 2].
Real scaleByPowerOfTwo(Real x, Bits n);
/// 2^n; the result must be a normal number.
Real powerOfTwo(Bits n, Real shape);

/// hi + lo, |lo| at most half a unit in the last place of hi.
struct Pair {
  Real hi;
  Real lo;
};
/// a + b exactly, if |a| >= |b| or a is zero.
Pair quickTwoSum(Real a, Real b);
/// a + b exactly.
Pair twoSum(Real a, Real b);
/// a * b exactly, with or without a fused multiply-add.
Pair twoProduct(Real a, Real b);

} // namespace convoy::kernels::math

#endif // CONVOY_KERNELS_MATH_EXPRESSIONBUILDER_H
