// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models whose weights are in other files than the ONNX file.

#pragma once

#include "convoy/model.h"
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace convoy::io {

/// Returns the paths of the files with tensors of the model, beside the ONNX file.
std::set<std::string> externalFiles(const Model &model);

/// Returns the ONNX file of a model as the compiler sees it, and the number of its bytes. A file of
/// 2 GiB or more cannot be returned.
std::optional<std::string> bytesOf(const Model &model);
uint64_t byteCountOf(const Model &model);

/// Returns whether tensors of the model are in other files.
bool hasExternalData(const Model &model);

} // namespace convoy::io
