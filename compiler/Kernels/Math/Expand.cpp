// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table from math ops to the functions that compute them. Converts operands if a function
// computes in a wider type.

#include "Kernels/Math/Expand.h"
#include "Kernels/Math/Functions.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

using math::Real;
using Function = Real (*)(ArrayRef<Real> operands);

template <Real (*F)(Real)>
Real unary(ArrayRef<Real> operands) {
  return F(operands[0]);
}
template <Real (*F)(Real, Real)>
Real binary(ArrayRef<Real> operands) {
  return F(operands[0], operands[1]);
}
/// Computes an f32 function in f64.
template <Function F>
Real inDouble(ArrayRef<Real> operands) {
  SmallVector<Real> wide = llvm::map_to_vector(operands, math::toDouble);
  return math::toSingle(F(wide));
}

struct Row {
  StringRef op;
  Function single;
  Function wide;
};

template <Function F>
constexpr Row both(StringRef op) {
  return {op, F, F};
}
template <Function F>
constexpr Row wideOnly(StringRef op) {
  return {op, inDouble<F>, F};
}

const Row kRows[] = {
    wideOnly<unary<math::acos>>("math.acos"),   wideOnly<unary<math::acosh>>("math.acosh"),
    wideOnly<unary<math::asin>>("math.asin"),   wideOnly<unary<math::asinh>>("math.asinh"),
    wideOnly<unary<math::atan>>("math.atan"),   wideOnly<binary<math::atan2>>("math.atan2"),
    wideOnly<unary<math::atanh>>("math.atanh"), wideOnly<unary<math::cbrt>>("math.cbrt"),
    both<unary<math::cos>>("math.cos"),         wideOnly<unary<math::cosh>>("math.cosh"),
    both<unary<math::erf>>("math.erf"),         both<unary<math::exp>>("math.exp"),
    both<unary<math::exp2>>("math.exp2"),       both<unary<math::expm1>>("math.expm1"),
    both<unary<math::log>>("math.log"),         wideOnly<unary<math::log10>>("math.log10"),
    both<unary<math::log1p>>("math.log1p"),     wideOnly<unary<math::log2>>("math.log2"),
    both<binary<math::pow>>("math.powf"),       both<unary<math::round>>("math.round"),
    both<unary<math::rsqrt>>("math.rsqrt"),     both<unary<math::sin>>("math.sin"),
    wideOnly<unary<math::sinh>>("math.sinh"),   wideOnly<unary<math::tan>>("math.tan"),
    both<unary<math::tanh>>("math.tanh"),
};

const Row *findRow(StringRef op) {
  const Row *row = llvm::find_if(kRows, [&](const Row &row) { return row.op == op; });
  return row == std::end(kRows) ? nullptr : row;
}

/// Extends f16 and bf16 to f32. f32 represents both exactly, and the single rounding at the end
/// keeps the error close to half an ulp.
Value widenToSingle(OpBuilder &builder, Location loc, Value value) {
  Type wide = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    wide = vector.clone(wide);
  }
  return builder.create<arith::ExtFOp>(loc, wide, value);
}

LogicalResult checkSupported(Operation *op, const Row *row) {
  if (!row) {
    return emitUnsupported(op,
                           "not supported: convoy has no expansion of this op, and compiled models "
                           "cannot call libm; "
                           "supported are the math functions of ")
           << "docs/reference/math-ulp.md";
  }
  Type type = op->getResult(0).getType();
  Type element = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
  if (!element.isF16() && !element.isBF16() && !element.isF32() && !element.isF64()) {
    return emitUnsupported(op,
                           "not supported: expects f16, bf16, f32 or f64, or a vector of one of "
                           "them, got ")
           << type;
  }
  return success();
}

} // namespace

Value emitSigmoid(OpBuilder &builder, Location loc, Value x) {
  math::ExpressionBuilder expressions(builder, loc, /*fuseMultiplyAdd=*/true);
  return math::sigmoid(Real(expressions, x)).value();
}

bool isExactMathOp(Operation *op) {
  return isa<mlir::math::AbsFOp, mlir::math::AbsIOp, mlir::math::CeilOp, mlir::math::CopySignOp,
             mlir::math::CountLeadingZerosOp, mlir::math::CountTrailingZerosOp, mlir::math::CtPopOp,
             mlir::math::FloorOp, mlir::math::FmaOp, mlir::math::RoundEvenOp, mlir::math::SqrtOp,
             mlir::math::TruncOp>(op);
}

SmallVector<StringRef> expandableMathOps() {
  return llvm::map_to_vector(kRows, [](const Row &row) { return row.op; });
}

LogicalResult expandMathOp(RewriterBase &rewriter, Operation *op, const MathOptions &options) {
  const Row *row = findRow(op->getName().getStringRef());
  if (failed(checkSupported(op, row))) {
    return failure();
  }
  rewriter.setInsertionPoint(op);
  Type type = op->getResult(0).getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  math::ExpressionBuilder builder(rewriter, op->getLoc(), options.fuseMultiplyAdd);
  SmallVector<Real> operands;
  for (Value operand : op->getOperands()) {
    operands.emplace_back(builder,
                          width < 32 ? widenToSingle(rewriter, op->getLoc(), operand) : operand);
  }
  Value result = (width == 64 ? row->wide : row->single)(operands).value();
  if (width < 32) {
    result = rewriter.create<arith::TruncFOp>(op->getLoc(), type, result);
  }
  rewriter.replaceOp(op, result);
  return success();
}

} // namespace convoy::kernels
