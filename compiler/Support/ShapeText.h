// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats shapes for messages.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace convoy {

/// Returns "1x3x224x224", "?" for an unknown dimension, or "scalar" for rank 0.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace convoy
