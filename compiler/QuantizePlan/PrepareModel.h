// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of prepareModel, which convoy reduce also uses. Each step keeps the results of the
// graph.

#pragma once

#include "QuantizePlan/GraphView.h"

namespace convoy::plan {

/// Converts Constant nodes to initializers, except those with strings or sparse tensors.
void convertConstants(onnx::GraphProto &graph);

/// Replaces nodes whose inputs are all initializers by initializers.
void foldInitializers(onnx::GraphProto &graph);

/// Folds each BatchNormalization with constant parameters into the layer before it.
void foldBatchNorms(onnx::GraphProto &graph, int64_t opset);

/// Multiplies the factors alpha and beta of Gemm into its constant weights and bias.
void foldGemmFactors(onnx::GraphProto &graph);

/// Removes nodes from the list of nodes.
void removeNodes(onnx::GraphProto &graph, const std::set<const onnx::NodeProto *> &removed);

} // namespace convoy::plan
