// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far each integer layer is from ONNX's own arithmetic, on the same inputs.

#pragma once

#include "Driver/LoadedProgram.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::check {

using driver::NamedData;
using reference::Datum;

/// One layer up to its quantize_linear.
struct LayerError {
  std::string node;
  int64_t elements = 0;
  int64_t differing = 0;
  int64_t maxSteps = 0;
};

/// Runs the integer graph, and ONNX's float layers one by one on the integers that
/// the integer graph gives them: so no layer answers for the one before. Layers
/// without an integer form are left out. The target of the request says in what arithmetic.
std::vector<LayerError> layerErrors(const Model &model, const CompileRequest &request,
                                    const NamedData &data, Problems &problems);

} // namespace convoy::check
