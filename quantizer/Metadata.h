// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a quantised model: what its promise is about.

#pragma once

#include "quantizer/QuantizeModel.h"

namespace convoy::quantizer {

/// Returns the SHA-256 of a text in hexadecimal digits.
std::string sha256(const std::string &text);

/// Adds the promise, its counts and the hashes to the model.
void addMetadata(onnx::ModelProto &model, const QuantizeResult &result,
                 const QuantizeOptions &options);

} // namespace convoy::quantizer
