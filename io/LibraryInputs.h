// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a compiled library in the form of a model's inputs, so that --input reads data for
// both in the same way.

#pragma once

#include "Import/OnnxProto.h"
#include "convoy/tensor.h"
#include "io/ModelFlags.h"

namespace convoy::io {

/// Returns the declarations of inputs as an ONNX file has them.
std::vector<onnx::ValueInfoProto> valuesOf(const std::vector<TensorInfo> &inputs);

/// Describes a declaration with fixed dimensions, which must outlive the result.
InputInfo inputInfo(const onnx::ValueInfoProto &value);

} // namespace convoy::io
