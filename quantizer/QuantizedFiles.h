// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a quantization: the quantized model, and the plan, which the user can edit.

#pragma once

#include "quantizer/QuantizeModel.h"

namespace convoy::quantizer {

/// Reads a plan from a file.
llvm::Expected<plan::Plan> readPlan(const std::string &path);

/// Returns the path of the plan beside a model: "a.plan.json" for "a.onnx".
std::string planPath(const std::string &modelPath);

/// Writes the model to `modelPath` and the plan beside it.
llvm::Error writeQuantized(const QuantizeResult &result, const std::string &modelPath);

} // namespace convoy::quantizer
