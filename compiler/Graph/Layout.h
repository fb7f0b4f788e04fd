// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Physical layouts: encodings on tensor types. A type without an encoding is
// planar, row-major.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "Graph/LayoutInterface.h.inc"

namespace convoy::graph {

/// The encoding of a tensor type, or null when it is planar.
mlir::Attribute layoutOf(mlir::Type type);

/// The same tensor in another layout; a null layout is planar.
mlir::RankedTensorType withLayout(mlir::Type type, mlir::Attribute layout);

/// Elements of the tensor in memory, padding included.
int64_t physicalElements(mlir::RankedTensorType type);

/// The dimension that a blocked layout splits: the second, or the only one.
int64_t channelDim(int64_t rank);

/// The block of a blocked layout, or 0 for any other.
int64_t channelBlock(mlir::Type type);

/// Whether both layouts put all elements of the shape at the same places.
bool isSameInMemory(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// The elements of a constant as its type's layout stores them; a view when it is
/// planar.
Tensor packedTensor(mlir::ElementsAttr elements);

/// A tensor of the type's logical shape from memory in its layout, blocked or
/// planar; padding is left out.
Tensor unpackedTensor(const Tensor &memory, mlir::RankedTensorType type);

/// The constant with another layout on its type; its elements are not touched.
mlir::ElementsAttr withLayout(mlir::ElementsAttr elements, mlir::Attribute layout);

} // namespace convoy::graph
