// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an ONNX file says about itself: ONNX Runtime's ModelMetadata and the names of dimensions.

#pragma once

#include "BuildRequest.h"

namespace convoy::python {

/// Returns ({field of ModelMetadata: value}, {input or output: names of its dimensions}). The
/// version of a file without a version is the largest number, as in ONNX Runtime.
py::tuple metadata(const BuildRequest &request);

} // namespace convoy::python
