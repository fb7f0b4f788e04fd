// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the biases of layers for writeQdq and addSwitches: corrected biases, and the forms that
// ONNX Runtime needs in models of old opsets.

#pragma once

#include "QuantizePlan/QdqWriter.h"

namespace convoy::plan {

/// A bias that the corrected values replace.
struct CorrectedBias {
  std::string tensor;
  std::string weight; // of the same layer
  Tensor values;
};

/// Returns the corrected biases in the order of layers. The function adds a bias of zeros to a
/// layer that has a corrected bias and no own bias.
std::vector<CorrectedBias> correctedBiases(onnx::ModelProto &model, const Points &points,
                                           const FittedWeights &fitted);

/// Moves the biases of quantized layers to an Add after the layer if the opset of the model is
/// below 11, because ONNX Runtime quantizes a bias of the layer with ops of opset 11 and otherwise
/// rejects the file. Below opset 10, a layer without bias gets an Add of zeros, because ONNX
/// Runtime would replace the layer by QLinearConv or QLinearMatMul, which such an opset does not
/// have. Convoy treats the Add as the bias of the layer.
void separateBiases(onnx::ModelProto &model, const Points &points, const Plan &plan);

} // namespace convoy::plan
