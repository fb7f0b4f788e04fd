// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Graph/Labels.h"

namespace convoy::graph {

Tensor labelsAt(const Tensor &indices, llvm::ArrayRef<std::string> labels) {
  Tensor result(ElementType::String, indices.shape());
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t index = indices.asInt(i);
    bool isKnown = index >= 0 && index < static_cast<int64_t>(labels.size());
    result.mutableStrings()[i] = isKnown ? labels[index] : "";
  }
  return result;
}

} // namespace convoy::graph
