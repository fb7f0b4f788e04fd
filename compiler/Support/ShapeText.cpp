// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats shapes for messages.

#include "Support/ShapeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy {

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  auto text = [](int64_t dim) { return dim < 0 ? std::string("?") : std::to_string(dim); };
  return shape.empty() ? "scalar" : llvm::join(llvm::map_range(shape, text), "x");
}

} // namespace convoy
