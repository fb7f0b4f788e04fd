// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites a prepared model by a plan, and instruments it for observation and sensitivity. The
// functions edit the ONNX model, so ONNX Runtime and every target of Convoy run the result.

#pragma once

#include "QuantizePlan/Points.h"

namespace convoy::plan {

/// Returns the model with QuantizeLinear and DequantizeLinear at the tensors of the plan. Weights
/// are integers followed by DequantizeLinear. The opset of the model stays. If the opset has no
/// QuantizeLinear of a type (8 bits: 13 for one scale per channel, 10 for one scale; 16 and 4
/// bits: 21), the function writes the forms of domain com.microsoft.
llvm::Expected<onnx::ModelProto> writeQdq(const onnx::ModelProto &prepared, const Points &points,
                                          const Plan &plan, const FittedWeights &fitted);

/// Gives the inputs and outputs of a model of writeQdq the integers of the plan: removes the
/// QuantizeLinear of an input and the DequantizeLinear of an output. An end that the plan does not
/// quantize stays float. Names stay.
void makeEndsInteger(onnx::ModelProto &quantized);

/// Returns the model with additional outputs, one per tensor, after its own outputs. The type of an
/// additional output is F32 without a shape.
onnx::ModelProto addOutputs(const onnx::ModelProto &prepared,
                            const std::vector<std::string> &tensors);

/// The inputs of a model with switches: scalars of F32, 0 or 1, in the order of
/// plan.activations (without F32 activations) and then plan.weights.
struct Switches {
  std::vector<std::string> inputs;  // names of the additional inputs
  std::vector<std::string> tensors; // the tensor of each switch
};

/// Returns a model whose activations are y = x + s * (dequantize(quantize(x)) - x), and whose
/// weights are w + s * (dequantized integers - w), with one input s per tensor. `switches` receives
/// the names.
llvm::Expected<onnx::ModelProto> addSwitches(const onnx::ModelProto &prepared, const Points &points,
                                             const Plan &plan, const FittedWeights &fitted,
                                             Switches &switches);

} // namespace convoy::plan
