// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands whose integers fix a shape (axes, sizes, repeats), as type rules see
// them: perhaps only how many there are is known, perhaps not even that.

#pragma once

#include "Graph/TypeInference.h"

namespace convoy::graph {

struct IntegerOperand {
  /// An optional operand that the op leaves out.
  bool isPresent = false;
  /// How many integers, kDynamic when open.
  int64_t length = 0;
  std::optional<Shape> values;
};

/// Reads an operand that may be absent. Anything but integers in at most one
/// dimension is an error that calls the operand `name`.
mlir::FailureOr<IntegerOperand> readIntegers(TypeInference &inference, mlir::Value operand,
                                             llvm::StringRef name);

/// Reads an operand of one integer; nothing when it is absent or not known.
mlir::FailureOr<std::optional<int64_t>> readInteger(TypeInference &inference, mlir::Value operand,
                                                    llvm::StringRef name);

/// Fails, citing `label`, when both lengths are known and differ.
mlir::LogicalResult checkLength(TypeInference &inference, llvm::StringRef name,
                                const IntegerOperand &operand, int64_t expected,
                                llvm::StringRef label);

/// Adds `rank` to negative axes. An axis out of range or named twice is an
/// error that cites `label`.
mlir::FailureOr<Shape> checkAxes(TypeInference &inference, llvm::ArrayRef<int64_t> axes,
                                 int64_t rank, llvm::StringRef label);

/// Fails, citing `label`, unless 0 <= axis < rank.
mlir::LogicalResult checkAxis(TypeInference &inference, int64_t axis, int64_t rank,
                              llvm::StringRef label);

/// Sets a result of which at most the rank is known (kDynamic when not).
mlir::LogicalResult setOpen(TypeInference &inference, unsigned result, mlir::Type element,
                            int64_t rank);

} // namespace convoy::graph
