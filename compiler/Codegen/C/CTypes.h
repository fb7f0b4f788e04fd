// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How C spells types and constants. Integers of the IR have no sign; in C they are
// unsigned, because there sums wrap around, and an operation that takes signs casts.
// An index is a ptrdiff_t: it is what C subscripts with on every machine.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <string>

namespace convoy::codegen {

/// A type of scalars: "f32", "u8", "i8", "index", "uindex" or "bool". Names of
/// helpers and of vector types are made of it.
std::string scalarKey(mlir::Type element);

/// The same integer with a sign, or without: "u8" and "i8".
std::string signedKey(llvm::StringRef key);
std::string unsignedKey(llvm::StringRef key);

/// "float", "uint8_t", "ptrdiff_t".
std::string scalarType(llvm::StringRef key);

/// Bits of a scalar; of an index those of the machines we know best.
unsigned bitsOf(llvm::StringRef key);

/// "f32x16" for 16 lanes of f32; lanes of i1 are "i32x16", all ones or zero.
std::string vectorType(llvm::StringRef key, int64_t lanes);
std::string vectorType(mlir::VectorType type);

/// Whether compilers have a vector type for it: lanes a power of two.
bool hasVectorType(mlir::VectorType type);

/// A constant that the compiler reads back to the same bits; NaNs lose theirs.
std::string literal(const llvm::APFloat &value);
std::string literal(const llvm::APInt &value, mlir::Type type);
std::string literal(mlir::Attribute value);

/// Text that cannot end a comment or leave its line.
std::string commentText(llvm::StringRef text);

/// "1x3x224x224 f32", and how its bytes are ordered where that is not row by row.
std::string shapeText(mlir::Type tensor);

} // namespace convoy::codegen
