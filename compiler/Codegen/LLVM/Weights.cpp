// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `memory.weights` and checks it against `memory.weights_bytes`, so that no write
// exceeds a file or a buffer.

#include "Codegen/LLVM/Weights.h"
#include "Graph/Constant.h"
#include "Graph/Layout.h"
#include "Memory/Attributes.h"
#include "Support/TypedError.h"
#include "runtime/core/library.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace convoy::codegen {

llvm::Error forEachWeight(ModuleOp module,
                          llvm::function_ref<llvm::Error(int64_t offset, const Tensor &)> place) {
  ArrayAttr weights = memory::weightsOf(module);
  DenseI64ArrayAttr offsets = memory::weightOffsetsOf(module);
  std::optional<int64_t> total = memory::weightsBytesOf(module);
  if (!weights || !offsets || !total || static_cast<int64_t>(weights.size()) != offsets.size()) {
    return createBug("the module's weights and their offsets do not match; this is a "
                     "bug in convoy: the memory stage must run first");
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, offsets.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(offsets[a], a) < std::pair(offsets[b], b);
  });
  int64_t end = 0;
  for (int64_t index : order) {
    Tensor tensor = graph::packedTensor(cast<ElementsAttr>(weights[index]));
    int64_t offset = offsets[index];
    if (offset < end || tensor.bytes() > *total - offset) {
      return createBug("weight %lld at offset %lld overlaps its neighbor or the end "
                       "at %lld bytes; this is a bug in convoy's memory stage",
                       static_cast<long long>(index), static_cast<long long>(offset),
                       static_cast<long long>(*total));
    }
    end = offset + tensor.bytes();
    if (llvm::Error error = place(offset, tensor)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error streamWeights(ModuleOp module, int64_t bytes, llvm::raw_ostream &stream) {
  int64_t written = 0;
  auto fillTo = [&](int64_t offset) {
    // write_zeros counts in unsigned.
    for (; written < offset; written += std::min<int64_t>(offset - written, 1 << 20)) {
      stream.write_zeros(static_cast<unsigned>(std::min<int64_t>(offset - written, 1 << 20)));
    }
  };
  llvm::Error error = forEachWeight(module, [&](int64_t offset, const Tensor &tensor) {
    fillTo(offset);
    stream.write(static_cast<const char *>(tensor.raw()), tensor.bytes());
    written += tensor.bytes();
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  fillTo(bytes);
  return llvm::Error::success();
}

std::string hashBytes(llvm::ArrayRef<uint8_t> bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
  return llvm::formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64).str();
}

llvm::Expected<std::string> hashWeights(ModuleOp module) {
  std::string list;
  llvm::Error error = forEachWeight(module, [&](int64_t offset, const Tensor &tensor) {
    llvm::ArrayRef<uint8_t> bytes(static_cast<const uint8_t *>(tensor.raw()), tensor.bytes());
    list += llvm::formatv("{0} {1} {2}\n", offset, tensor.bytes(), hashBytes(bytes)).str();
    return llvm::Error::success();
  });
  if (error) {
    return error;
  }
  return hashBytes(llvm::arrayRefFromStringRef(list));
}

llvm::Error streamWeightsFile(ModuleOp module, int64_t bytes, StringRef hash,
                              llvm::raw_ostream &stream) {
  if (llvm::Error problem = streamWeights(module, bytes, stream)) {
    return problem;
  }
  stream << CONVOY_WEIGHTS_MARK << hash;
  stream.write_zeros(CONVOY_WEIGHTS_TRAILER_BYTES - (sizeof(CONVOY_WEIGHTS_MARK) - 1) -
                     CONVOY_WEIGHTS_HASH_BYTES - CONVOY_WEIGHTS_DIGEST_BYTES);
  return llvm::Error::success();
}

std::string hashModel(ArrayRef<char> object, StringRef weightsHash) {
  std::string all(object.data(), object.size());
  all += weightsHash;
  return hashBytes(llvm::arrayRefFromStringRef(all));
}

} // namespace convoy::codegen
