// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of small integers, by the instructions a machine has for them.
// Every form gives the same bits: sums wrap in i32 and nothing saturates before.
// (vpmaddubsw would: it is never emitted.)

#pragma once

#include "Kernels/Machine.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <optional>

namespace convoy::kernels {

/// A form by its name in pass options: none, pairs or bytes.
std::optional<DotForm> dotFormOf(llvm::StringRef name);
llvm::StringRef nameOf(DotForm form);

class DotProduct {
public:
  /// `lanes` of i32; forms other than None have 4, 8 or 16.
  DotProduct(mlir::ImplicitLocOpBuilder &builder, DotForm form, int64_t lanes);

  /// sums[lane] += the four unsigned bytes of a lane times the four signed ones. All
  /// three are vector<lanes x i32>.
  mlir::Value addBytes(mlir::Value sums, mlir::Value unsignedBytes, mlir::Value signedBytes);
  /// sums[lane] += x[lane] * factor[lane], where x fits 16 bits with its sign and the
  /// factor is one that asFactor gave.
  mlir::Value addProduct(mlir::Value sums, mlir::Value x, mlir::Value factor);
  /// A number of each lane that fits 16 bits with its sign, as addProduct wants it.
  mlir::Value asFactor(mlir::Value number);

  mlir::VectorType type() const { return vector; }
  mlir::Value splat(int32_t value);

private:
  mlir::Value call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value addPairs(mlir::Value sums, mlir::Value x, mlir::Value y);
  mlir::Value inWords(mlir::Value bytes);

  mlir::ImplicitLocOpBuilder &b;
  DotForm form;
  mlir::VectorType vector; // of i32
  mlir::VectorType words;  // the same bits as i16
};

} // namespace convoy::kernels
