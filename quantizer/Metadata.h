// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a quantized model: the accuracy bound and what it is about.

#pragma once

#include "quantizer/QuantizeModel.h"

namespace convoy::quantizer {

/// Returns the SHA-256 of a text in hexadecimal digits.
std::string sha256(const std::string &text);

/// Returns the SHA-256 of what a model computes: without descriptions, names of nodes and metadata,
/// so that a changed comment gives no new attempt to prove.
std::string computationHash(onnx::ModelProto model);

/// Adds the accuracy bound, its counts and the hashes to the model.
void addMetadata(onnx::ModelProto &model, const QuantizeResult &result,
                 const QuantizeOptions &options);

} // namespace convoy::quantizer
