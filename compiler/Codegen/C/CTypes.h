// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints types and constants in C. Integers of the IR are signless. In C, they are unsigned,
// because unsigned sums wrap around; an operation on signed values casts its operands. An
// index is a ptrdiff_t, the type that C uses for subscripts on every machine.

#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <string>

namespace convoy::codegen {

/// Returns the key of a scalar type: "f32", "u8", "i8", "index", "uindex" or "bool". The names
/// of helpers and vector types contain the key.
std::string scalarKey(mlir::Type element);

/// Returns the key of the signed or unsigned integer of the same width: "u8" and "i8".
std::string signedKey(llvm::StringRef key);
std::string unsignedKey(llvm::StringRef key);

/// Returns the C type: "float", "uint8_t", "ptrdiff_t".
std::string scalarType(llvm::StringRef key);

/// Returns the number of bits of a scalar; 64 bits are assumed for an index.
unsigned bitsOf(llvm::StringRef key);

/// Returns "f32x16" for 16 lanes of f32. Lanes of i1 are "i32x16", with all bits set or zero.
std::string vectorType(llvm::StringRef key, int64_t lanes);
std::string vectorType(mlir::VectorType type);

/// Returns whether C compilers have a vector type for it: the number of lanes is a power of
/// two.
bool hasVectorType(mlir::VectorType type);

/// Returns a constant that the C compiler reads back to the same bits, except for the payload
/// of a NaN.
std::string literal(const llvm::APFloat &value);
std::string literal(const llvm::APInt &value, mlir::Type type);
std::string literal(mlir::Attribute value);

/// Returns "1x3x224x224 f32", and the layout if it is not row-major.
std::string shapeText(mlir::Type tensor);

} // namespace convoy::codegen
