// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks `memory.weights` and checks it against `memory.weights_bytes`, so that
// neither a file nor a buffer is written past its end.

#include "Codegen/LLVM/Weights.h"
#include "Graph/Constant.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace convoy::codegen {

llvm::Error forEachWeight(ModuleOp module,
                          llvm::function_ref<llvm::Error(int64_t offset, const Tensor &)> place) {
  auto weights = module->getAttrOfType<ArrayAttr>("memory.weights");
  auto offsets = module->getAttrOfType<DenseI64ArrayAttr>("memory.weight_offsets");
  auto total = module->getAttrOfType<IntegerAttr>("memory.weights_bytes");
  if (!weights || !offsets || !total || static_cast<int64_t>(weights.size()) != offsets.size()) {
    return llvm::createStringError("the module's weights and their offsets do not match; this is a "
                                   "bug in convoy: the memory stage must run first");
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, offsets.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(offsets[a], a) < std::pair(offsets[b], b);
  });
  int64_t end = 0;
  for (int64_t index : order) {
    Tensor tensor = graph::toTensor(cast<ElementsAttr>(weights[index]));
    int64_t offset = offsets[index];
    if (offset < end || tensor.bytes() > total.getInt() - offset) {
      return llvm::createStringError("weight %lld at offset %lld overlaps its neighbour or the end "
                                     "at %lld bytes; this is a bug in convoy's memory stage",
                                     static_cast<long long>(index), static_cast<long long>(offset),
                                     static_cast<long long>(total.getInt()));
    }
    end = offset + tensor.bytes();
    if (llvm::Error error = place(offset, tensor)) {
      return error;
    }
  }
  return llvm::Error::success();
}

} // namespace convoy::codegen
