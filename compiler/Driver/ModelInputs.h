// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs of a model file, with all that ONNX says of them.

#pragma once

#include "Import/Import.h"
#include <vector>

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace convoy::driver {

/// The inputs of a model that no initializer gives, in order.
std::vector<const onnx::ValueInfoProto *> freeInputs(const import::Model &model);
std::vector<const onnx::ValueInfoProto *> outputsOf(const import::Model &model);

} // namespace convoy::driver
