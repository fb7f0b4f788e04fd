// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the graph dialect on arguments and results of functions. Import names the
// inputs and outputs of a model, and every later stage, the tools and the tuner read the names.

#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace convoy::graph {

/// The ONNX name of an input or output of a model.
inline constexpr llvm::StringLiteral kNameAttr = "graph.name";
/// The tensor type of an argument that is memory.
inline constexpr llvm::StringLiteral kTypeAttr = "graph.type";
/// The scales and zero points of an integer input or output: a dictionary of `scales` (f32 array),
/// `zero_points` (i32 array of the same length) and `axis` (i64; -1: one scale).
inline constexpr llvm::StringLiteral kQuantizationAttr = "graph.quantization";
/// Marks an argument of a tuning task whose values are known at compile time.
inline constexpr llvm::StringLiteral kWeightAttr = "graph.weight";

/// Marks an output whose size depends on data: one entry per dimension, -1 if the dimension is
/// fixed, else the index of its size in the extents. The type has the maximum shape.
inline constexpr llvm::StringLiteral kDimsAttr = "graph.dims";
/// The strings that the integers of an output stand for, by index.
inline constexpr llvm::StringLiteral kLabelsAttr = "graph.labels";
/// Marks the last result of a model, which is not an output: the sizes that depend on data, i64.
inline constexpr llvm::StringLiteral kExtentsAttr = "graph.extents";

/// Return the name of an argument or result; null if it has none.
mlir::StringAttr argumentName(mlir::FunctionOpInterface function, unsigned index);
mlir::StringAttr resultName(mlir::FunctionOpInterface function, unsigned index);

void setArgumentName(mlir::FunctionOpInterface function, unsigned index, const llvm::Twine &name);
void setResultName(mlir::FunctionOpInterface function, unsigned index, const llvm::Twine &name);

/// Return the attribute kQuantizationAttr of an argument or result; null if it has none.
mlir::DictionaryAttr argumentQuantization(mlir::FunctionOpInterface function, unsigned index);
mlir::DictionaryAttr resultQuantization(mlir::FunctionOpInterface function, unsigned index);

/// Names the arguments "<input>0", "<input>1", ... and the results "<output>0", ...
void numberInterface(mlir::FunctionOpInterface function, llvm::StringRef input,
                     llvm::StringRef output);

/// Returns the tensor type of an argument that is memory, as an attribute; null if it has none.
mlir::TypeAttr argumentType(mlir::FunctionOpInterface function, unsigned index);

/// Return the entries of graph.dims; empty if all dimensions are fixed.
llvm::ArrayRef<int32_t> argumentDims(mlir::FunctionOpInterface function, unsigned index);
llvm::ArrayRef<int32_t> resultDims(mlir::FunctionOpInterface function, unsigned index);

/// Return the entries of graph.labels; null if the tensor has no labels.
mlir::ArrayAttr argumentLabels(mlir::FunctionOpInterface function, unsigned index);
mlir::ArrayAttr resultLabels(mlir::FunctionOpInterface function, unsigned index);

/// Return whether an argument or a result holds the extents of the outputs.
bool isExtentsArgument(mlir::FunctionOpInterface function, unsigned index);
bool isExtentsResult(mlir::FunctionOpInterface function, unsigned index);

} // namespace convoy::graph
