// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares checks that the type rules of several integer ops share.

#pragma once

#include "Graph/TableNormalization.h"
#include "Graph/TypeInference.h"

namespace convoy::graph {

/// Fails unless the elements are integers of one of the widths.
mlir::LogicalResult expectIntegers(TypeInference &inference, mlir::Value value,
                                   llvm::ArrayRef<int64_t> widths, llvm::StringRef operand);

/// Fails unless the integer type can represent the value of an attribute.
mlir::LogicalResult expectValueOf(TypeInference &inference, mlir::Type element, int64_t value,
                                  llvm::StringRef attribute);

/// Fails unless the element type of the operand can represent the zero point.
mlir::LogicalResult expectZeroPoint(TypeInference &inference, mlir::Value value, int64_t zeroPoint,
                                    llvm::StringRef attribute);

/// Fails unless the bias, which may be absent, has elements of 32 or 64 bits.
mlir::LogicalResult expectBias(TypeInference &inference, mlir::Value bias);

/// Checks [integer_conv.4] on a layer with `channels` output channels and the zero
/// point `zeroPoint` of all weights.
mlir::LogicalResult expectChannelVectors(TypeInference &inference, mlir::ValueRange vectors,
                                         int64_t channels, int64_t zeroPoint);

/// Returns the element type of the sums of a layer ([integer_conv.3]).
mlir::Type sumTypeOf(TypeInference &inference, mlir::Operation *op, mlir::Value bias);

/// Checks [integer_lrn.1] to [integer_lrn.4] on the near table, the far table
/// and the attributes, but not on the input.
mlir::LogicalResult expectNormalization(TypeInference &inference, mlir::ValueRange tables,
                                        const NormalizationNumbers &numbers);

} // namespace convoy::graph
