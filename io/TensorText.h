// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, places and elements of tensors as text.

#pragma once

#include "Support/Tensor.h"
#include <string>

namespace convoy::io {

/// "1x3x224x224"; "scalar" for rank 0.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The place of element i: "[0, 3, 2, 1]".
std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i);

/// Element i as text, with enough digits to tell neighbours apart.
std::string elementText(const Tensor &tensor, int64_t i);

bool isComplex(ElementType type);

/// Number i behind the elements; a complex element is two of them.
double partOf(const Tensor &tensor, int64_t i);

} // namespace convoy::io
