// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the integers of weights in closed form: each weight is rounded in turn, and the error is
// distributed to the weights that are not rounded yet by the products of the layer's inputs.

#pragma once

#include "quantizer/observe/Observe.h"

namespace convoy::quantizer {

/// Chooses scales (least squared error on the products of the inputs) and integers of the weights
/// of every layer with Rounding::Fitted, and corrects biases where the plan says so. Updates the
/// scales in `plan`.
llvm::Expected<plan::FittedWeights> fitWeights(const onnx::ModelProto &prepared,
                                               const plan::Points &points,
                                               const std::map<std::string, InputProducts> &products,
                                               plan::Plan &plan);

} // namespace convoy::quantizer
