// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats indices and elements of tensors.

#include "io/TensorText.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>

namespace convoy::io {

static std::string digits(double value, int count) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", count, value);
  return buffer;
}

bool isComplex(ElementType type) {
  return type == ElementType::Complex64 || type == ElementType::Complex128;
}

double partOf(const Tensor &tensor, int64_t i) {
  if (tensor.type() == ElementType::Complex64) {
    return tensor.data<float>()[i];
  }
  return tensor.type() == ElementType::Complex128 ? tensor.data<double>()[i] : tensor.asDouble(i);
}

std::string indexText(llvm::ArrayRef<int64_t> shape, int64_t i) {
  llvm::SmallVector<std::string> index(shape.size());
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
    index[d] = std::to_string(i % shape[d]);
    i /= shape[d];
  }
  return "[" + llvm::join(index, ", ") + "]";
}

std::string elementText(const Tensor &tensor, int64_t i) {
  ElementType type = tensor.type();
  if (type == ElementType::String) {
    return "'" + tensor.strings()[i] + "'";
  }
  if (isComplex(type)) {
    return digits(partOf(tensor, 2 * i), 9) + "+" + digits(partOf(tensor, 2 * i + 1), 9) + "i";
  }
  if (!isFloat(type)) {
    return type == ElementType::U64 ? std::to_string(static_cast<uint64_t>(tensor.asInt(i)))
                                    : std::to_string(tensor.asInt(i));
  }
  return digits(tensor.asDouble(i), type == ElementType::F64 ? 17 : 9);
}

} // namespace convoy::io
