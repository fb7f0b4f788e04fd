// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the element types of convoy/tensor.h, and their MLIR types. Types newer
// than the protobuf that Debian ships are included.

#pragma once

#include "convoy/tensor.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir {
class MLIRContext;
class Type;
} // namespace mlir

namespace convoy {

/// Returns the enum for ONNX's number, or nothing for a number ONNX has not
/// given out.
std::optional<ElementType> elementTypeFromOnnx(int64_t dataType);

/// Bits of one element as ONNX counts them: 4 for I4, 0 for String.
int64_t bitWidth(ElementType type);

/// Bytes of one element in a Tensor: narrow types take a whole byte; 0 for
/// String.
int64_t storageBytes(ElementType type);

bool isFloat(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type);
inline bool isInteger(ElementType type) { return isSignedInteger(type) || isUnsignedInteger(type); }

/// ONNX's lower-case name ("float16", "int64"), as users see it.
llvm::StringRef name(ElementType type);

/// The type inside a tensor type: `ui8` for U8, `i8` for I8, `i1` for Bool.
mlir::Type toMlir(ElementType type, mlir::MLIRContext *context);

/// The inverse of toMlir; Undefined for a type that no tensor holds.
ElementType fromMlir(mlir::Type type);

} // namespace convoy
