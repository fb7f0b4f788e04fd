// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the type rules of integer ops share.

#pragma once

#include "Graph/TableNormalization.h"
#include "Graph/TypeInference.h"

namespace convoy::graph {

/// Fails unless the elements are integers of one of the widths.
mlir::LogicalResult expectIntegers(TypeInference &inference, mlir::Value value,
                                   llvm::ArrayRef<int64_t> widths, llvm::StringRef operand);

/// Fails unless an integer type can hold the value of an attribute.
mlir::LogicalResult expectValueOf(TypeInference &inference, mlir::Type element, int64_t value,
                                  llvm::StringRef attribute);

/// The same for a zero point and its operand.
mlir::LogicalResult expectZeroPoint(TypeInference &inference, mlir::Value value, int64_t zeroPoint,
                                    llvm::StringRef attribute);

/// Fails unless the bias, which may be absent, is of 32 bits.
mlir::LogicalResult expectBias(TypeInference &inference, mlir::Value bias);

/// [integer_lrn.1] to [integer_lrn.4], but for the input: near and far table, attributes.
mlir::LogicalResult expectNormalization(TypeInference &inference, mlir::ValueRange tables,
                                        const NormalizationNumbers &numbers);

} // namespace convoy::graph
