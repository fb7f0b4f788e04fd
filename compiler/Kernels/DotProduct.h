// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of small integers with the instructions of the target. The integer templates use
// it. Every form gives the same bits: sums wrap in i32, and no intermediate result saturates. The
// code never uses vpmaddubsw, because it saturates. Multiply.td describes the ops that this class
// creates.

#pragma once

#include "Kernels/Machine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace convoy::kernels {

class DotProduct {
public:
  /// Creates vectors of `lanes` i32. All forms except None need 4, 8 or 16 lanes.
  DotProduct(mlir::ImplicitLocOpBuilder &builder, DotForm form, int64_t lanes);

  /// Computes sums[lane] += dot product of the four bytes of x and of w in a lane. w is signed;
  /// takesSigned() tells the sign of x. All three values are vector<lanes x i32>.
  mlir::Value addBytes(mlir::Value sums, mlir::Value x, mlir::Value w);
  bool takesSigned() const { return signsOf(form) == Signs::SignedSigned; }
  /// Computes sums[lane] += x[lane] * factor[lane]. `x` must fit in 16 signed bits, and `factor`
  /// must be a result of asFactor.
  mlir::Value addProduct(mlir::Value sums, mlir::Value x, mlir::Value factor);
  /// Converts a number per lane that fits in 16 signed bits to the operand format of addProduct.
  mlir::Value asFactor(mlir::Value number);

  mlir::VectorType type() const { return vector; }
  mlir::Value splat(int32_t value);

private:
  bool multipliesWords() const { return form == DotForm::Bytes || form == DotForm::Pairs; }
  mlir::Value addPairs(mlir::Value sums, mlir::Value x, mlir::Value y);
  mlir::Value addHalves(mlir::Value sums, mlir::Value x, mlir::Value w);

  mlir::ImplicitLocOpBuilder &b;
  DotForm form;
  mlir::VectorType vector; // i32 lanes
  mlir::VectorType words;  // the same bits as i16
};

} // namespace convoy::kernels
