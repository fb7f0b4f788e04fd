// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the nodes of a model for quantization, as the passes of compiler/Quantize lower them.

#pragma once

#include "QuantizePlan/GraphView.h"
#include <optional>

namespace convoy::plan {

/// A convolution or matrix product with constant F32 weights.
struct LinearNode {
  std::string weight; // initializer
  std::string bias;   // the node's own bias, an initializer; empty: none
  int64_t axis = 0;   // dimension of the output channels in the weights
  int64_t channels = 0;
  /// Dimension of the output channels in the output, counted from the end.
  int64_t axisFromEnd = 1;
};

/// Returns nullopt if the node is no such layer.
std::optional<LinearNode> linearNode(const onnx::NodeProto &node, const GraphView &view);

/// Returns the constant with one element, or one element per output channel, that an Add adds to
/// `sums`, the output of the layer. Returns an empty text if the node does not add such a bias.
std::string addedBias(const onnx::NodeProto &add, const std::string &sums, const LinearNode &layer,
                      const GraphView &view);

/// Returns whether the node is a convolution or matrix product, with constant weights or not.
bool isLinear(const onnx::NodeProto &node);

/// Returns whether the node is a Relu, or a Clip, Max or Min with constant scalar bounds.
bool isBound(const onnx::NodeProto &node, const GraphView &view);

/// Returns whether the node is a sum, difference or product of two activations.
bool isOfTwo(const onnx::NodeProto &node, const GraphView &view);

/// Returns whether the node copies elements of its first input, or of all inputs (Concat), to its
/// outputs, or selects the largest of them.
bool isCopy(const onnx::NodeProto &node, const GraphView &view);

/// Returns whether the node averages spatial dimensions.
bool isAverage(const onnx::NodeProto &node, const GraphView &view);

} // namespace convoy::plan
