// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of tensors, as one enum that needs no MLIR context. The
// values are ONNX's TensorProto.DataType, including types newer than the
// protobuf that Debian ships.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir {
class MLIRContext;
class Type;
} // namespace mlir

namespace convoy {

enum class ElementType : int32_t {
  Undefined = 0,
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  String = 8,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BF16 = 16,
  F8E4M3FN = 17,
  F8E4M3FNUZ = 18,
  F8E5M2 = 19,
  F8E5M2FNUZ = 20,
  U4 = 21,
  I4 = 22,
  F4E2M1 = 23,
  F8E8M0 = 24,
  U2 = 25,
  I2 = 26,
};

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
