// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returns the inputs and outputs of a model file as ONNX declares them.

#pragma once

#include "Import/Import.h"
#include <vector>

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace convoy::driver {

/// Returns the inputs without an initializer, in order.
std::vector<const onnx::ValueInfoProto *> freeInputs(const import::Model &model);
std::vector<const onnx::ValueInfoProto *> outputsOf(const import::Model &model);

} // namespace convoy::driver
