// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models whose weights are in other files than the ONNX file.

#pragma once

#include "convoy/model.h"

namespace convoy::io {

/// Returns whether tensors of the model are in other files.
bool hasExternalData(const Model &model);

} // namespace convoy::io
