// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors at the border of the compiler: element types, names and shapes, bytes.

#pragma once

#include "convoy/version.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

/// The values are ONNX's TensorProto.DataType.
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

/// An input or output of a model.
struct TensorInfo {
  std::string name;
  /// Undefined when it is no tensor but a sequence or an optional.
  ElementType type = ElementType::Undefined;
  /// -1 where a dimension is open.
  std::vector<int64_t> shape;
  bool hasRank = true;
  /// Bytes of its buffer in a compiled model; 0 before.
  int64_t bytes = 0;
};

/// Elements in memory, row-major; elements narrower than a byte take one byte each.
struct TensorData {
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> shape;
  /// Null for a tensor of strings or without elements.
  std::shared_ptr<const void> bytes;
  /// The elements of a tensor of strings.
  std::vector<std::string> strings;
};

/// Values of inputs by name.
using NamedTensors = std::map<std::string, TensorData>;

/// The number of elements of a shape without open dimensions.
CONVOY_API int64_t elementCountOf(const std::vector<int64_t> &shape);
/// Bytes of one element in memory; 0 for strings.
CONVOY_API int64_t elementBytes(ElementType type);

} // namespace convoy
