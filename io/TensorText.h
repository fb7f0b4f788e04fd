// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats indices and elements of tensors for messages.

#pragma once

#include "Support/ShapeText.h"
#include "Support/Tensor.h"
#include <string>

namespace convoy::io {

/// Returns the index of element i, for example "[0, 3, 2, 1]".
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i);

/// Returns element i with enough digits to distinguish neighboring floats.
std::string elementText(const Tensor &tensor, int64_t i);

bool isComplex(ElementType type);

/// Returns number i of the tensor's data. A complex element consists of two numbers.
double partOf(const Tensor &tensor, int64_t i);

} // namespace convoy::io
