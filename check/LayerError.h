// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the error of each integer layer against ONNX's arithmetic on the same inputs.
// `convoy check --layer-errors` uses it.

#pragma once

#include "Driver/LoadedProgram.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::check {

using driver::NamedData;
using reference::Datum;

/// The error of one layer, measured at its quantize_linear.
struct LayerError {
  std::string node;
  int64_t elements = 0;
  int64_t differing = 0;
  int64_t maxSteps = 0;
};

/// Runs the integer graph with the reference. Then runs ONNX's float layers one by one on the
/// integers of the integer graph, so that the error of one layer does not enter the next.
/// Skips layers without an integer form. The target of the request selects the integer
/// arithmetic.
std::vector<LayerError> layerErrors(const Model &model, const CompileRequest &request,
                                    const NamedData &data, Problems &problems);

} // namespace convoy::check
