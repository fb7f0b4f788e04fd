// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts initializers of an ONNX model to tensors and back, for the files of this folder.

#pragma once

#include "Import/OnnxProto.h"
#include "Support/Tensor.h"
#include <functional>
#include <optional>
#include <string>

namespace convoy::plan {

/// Decodes an initializer. Returns nullopt if its bytes do not fit its shape or are in another
/// file.
std::optional<Tensor> decode(const onnx::TensorProto &proto);

/// Returns whether the tensor is F32, has elements and contains them. decode() then succeeds.
bool holdsFloats(const onnx::TensorProto &proto);

/// Encodes a tensor as raw bytes. I4 has two elements per byte, the first in the low bits.
onnx::TensorProto encode(const std::string &name, const Tensor &tensor);

/// Returns the initializer with a name, or null.
const onnx::TensorProto *findInitializer(const onnx::GraphProto &graph, const std::string &name);

/// Sets the initializer with the tensor's name, or adds one.
void setInitializer(onnx::GraphProto &graph, onnx::TensorProto tensor);

/// Removes initializers by name.
void removeInitializers(onnx::GraphProto &graph,
                        const std::function<bool(const std::string &)> &isOf);

/// Returns the number of elements of one channel that are adjacent: element i belongs to channel
/// i / inner % channels.
int64_t innerElements(llvm::ArrayRef<int64_t> shape, int64_t axis);

} // namespace convoy::plan
