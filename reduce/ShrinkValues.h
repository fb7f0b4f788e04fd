// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the values of a failing model smaller and plainer: sizes of dimensions, weights,
// attributes. ReduceModel.cpp calls these steps after the nodes.

#pragma once

#include "reduce/ShrinkNodes.h"

namespace convoy::reduce {

/// Replaces sizes by smaller ones: all dimensions of inputs and initializers that are equal change
/// together, with the elements of integer vectors and, if necessary, the attributes that are equal
/// to them. A smaller initializer keeps the leading elements of each dimension.
bool shrinkSizes(onnx::ModelProto &model, Fails fails);

/// Replaces the elements of float initializers by generated ones, so that a report does not contain
/// the weights of the user's model.
bool generateWeights(onnx::ModelProto &model, Fails fails);
/// Returns the numbers of float initializers with generated elements and of all float initializers.
std::pair<size_t, size_t> countGenerated(const onnx::ModelProto &model);

/// Removes attributes of nodes.
bool dropAttributes(onnx::ModelProto &model, Fails fails);

/// Returns the model with size `from` replaced by `to`. Returns nothing if a tensor cannot be
/// decoded.
std::optional<onnx::ModelProto> resized(const onnx::ModelProto &model, int64_t from, int64_t to,
                                        bool changesAttributes);

} // namespace convoy::reduce
