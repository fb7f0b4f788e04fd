// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the element types of convoy/tensor.h, and their MLIR types.
// Includes types that are newer than the protobuf version of Debian.

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

/// Returns the element type of an ONNX data type number, or nullopt if ONNX
/// does not define the number.
std::optional<ElementType> elementTypeFromOnnx(int64_t dataType);

/// Returns the bits of one element as ONNX defines them: 4 for I4, 0 for
/// String.
int64_t bitWidth(ElementType type);

/// Returns the bytes of one element in a Tensor. A narrow type uses a whole
/// byte; String is 0.
int64_t storageBytes(ElementType type);

bool isFloat(ElementType type);
bool isSignedInteger(ElementType type);
bool isUnsignedInteger(ElementType type);
inline bool isInteger(ElementType type) { return isSignedInteger(type) || isUnsignedInteger(type); }

/// Returns ONNX's lower-case name ("float16", "int64"), which is shown to
/// users.
llvm::StringRef name(ElementType type);

/// Returns the MLIR element type: `ui8` for U8, `i8` for I8, `i1` for Bool.
mlir::Type toMlir(ElementType type, mlir::MLIRContext *context);

/// Returns the inverse of toMlir, or Undefined for any other type.
ElementType fromMlir(mlir::Type type);

} // namespace convoy
