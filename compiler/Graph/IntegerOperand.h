// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads operands whose integers define a shape (axes, sizes, repeats) for type
// rules. The values or even their number may be unknown.

#pragma once

#include "Graph/TypeInference.h"

namespace convoy::graph {

struct IntegerOperand {
  /// Whether the op has the optional operand.
  bool isPresent = false;
  /// The number of integers, or kDynamic if unknown.
  int64_t length = 0;
  std::optional<Shape> values;
};

/// Reads an operand that may be absent. Emits an error that names the operand
/// `name` unless it has an integer type and rank 0 or 1.
mlir::FailureOr<IntegerOperand> readIntegers(TypeInference &inference, mlir::Value operand,
                                             llvm::StringRef name);

/// Reads an operand of one integer. Returns nullopt if it is absent or unknown.
mlir::FailureOr<std::optional<int64_t>> readInteger(TypeInference &inference, mlir::Value operand,
                                                    llvm::StringRef name);

/// Fails with an error that cites `label` if both lengths are known and differ.
mlir::LogicalResult checkLength(TypeInference &inference, llvm::StringRef name,
                                const IntegerOperand &operand, int64_t expected,
                                llvm::StringRef label);

/// Returns the normalized axes. Emits an error that cites `label` if an axis is
/// out of range or occurs twice.
mlir::FailureOr<Shape> checkAxes(TypeInference &inference, llvm::ArrayRef<int64_t> axes,
                                 int64_t rank, llvm::StringRef label);

/// Fails with an error that cites `label` unless 0 <= axis < rank.
mlir::LogicalResult checkAxis(TypeInference &inference, int64_t axis, int64_t rank,
                              llvm::StringRef label);

/// Sets a result of unknown shape; `rank` may be kDynamic.
mlir::LogicalResult setOpen(TypeInference &inference, unsigned result, mlir::Type element,
                            int64_t rank);

} // namespace convoy::graph
