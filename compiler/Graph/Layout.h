// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Physical layouts, which are encodings on tensor types. A type without an
// encoding is planar (row-major).

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "Graph/LayoutInterface.h.inc"

namespace convoy::graph {

/// Returns the encoding of a tensor type, or null if it is planar.
mlir::Attribute layoutOf(mlir::Type type);

/// Returns the type with another layout; a null layout is planar.
mlir::RankedTensorType withLayout(mlir::Type type, mlir::Attribute layout);

/// Returns the number of elements in memory, including padding.
int64_t physicalElements(mlir::RankedTensorType type);

/// Returns the dimension that a blocked layout splits: dimension 1, or
/// dimension 0 of a vector.
int64_t channelDim(int64_t rank);

/// Returns the block size of a blocked layout, or 0 for any other layout.
int64_t channelBlock(mlir::Type type);

/// Returns whether both layouts store all elements of the shape at the same
/// offsets.
bool isSameInMemory(llvm::ArrayRef<int64_t> shape, mlir::Attribute a, mlir::Attribute b);

/// Returns the elements of a constant in the order of its type's layout. The
/// result is a view if the layout is planar.
Tensor packedTensor(mlir::ElementsAttr elements);

/// Returns a tensor of the type's logical shape from memory in a blocked or
/// planar layout, without padding.
Tensor unpackedTensor(const Tensor &memory, mlir::RankedTensorType type);

/// Returns the constant with another layout on its type and unchanged elements.
mlir::ElementsAttr withLayout(mlir::ElementsAttr elements, mlir::Attribute layout);

} // namespace convoy::graph
