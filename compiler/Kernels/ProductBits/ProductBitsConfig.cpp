// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the weights of product_bits.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Kernel.h"
#include <cstring>

using namespace mlir;

namespace convoy::kernels {

constexpr int64_t kWordBytes = 4;

LogicalResult BitWeightsAttr::verify(EmitError emitError, int64_t o, int64_t bits, int64_t block) {
  if (failed(checkNumbers(emitError, {{"o", o}, {"bits", bits}, {"block", block}}))) {
    return failure();
  }
  if ((bits != 2 && bits != 4 && bits != 8) || block % (8 * kWordBytes / bits) != 0) {
    return emitError() << "expects 2, 4 or 8 bits and blocks of whole words of 32 bits, got "
                       << bits << " bits and blocks of " << block;
  }
  return success();
}

/// Returns the words of one column.
static int64_t wordsOf(int64_t depth, BitWeightsAttr layout) {
  int64_t perWord = 8 * kWordBytes / layout.getBits();
  return ceilDiv(depth, layout.getBlock()) * (layout.getBlock() / perWord);
}

int64_t BitWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  return ceilDiv(shape[1], getO()) * wordsOf(shape[0], *this) * getO() * kWordBytes;
}

Tensor BitWeightsAttr::pack(const Tensor &tensor) const {
  int64_t depth = tensor.dim(0), columns = tensor.dim(1);
  int64_t panelBytes = wordsOf(depth, *this) * getO() * kWordBytes;
  int64_t perByte = 8 / getBits(), perWord = perByte * kWordBytes;
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  std::memset(result.mutableData<char>(), 0, result.bytes());
  const auto *from = static_cast<const uint8_t *>(tensor.raw());
  auto *to = static_cast<uint8_t *>(result.mutableRaw());
  unsigned mask = (1U << getBits()) - 1;
  unsigned offset = isSignedInteger(tensor.type()) ? 1U << (getBits() - 1) : 0;
  for (int64_t k = 0; k < depth; ++k) {
    int64_t inWord = k % perWord;
    for (int64_t column = 0; column < columns; ++column) {
      int64_t word = k / perWord * getO() + column % getO();
      uint8_t &byte = to[column / getO() * panelBytes + word * kWordBytes + inWord / perByte];
      byte |= ((*from++ + offset) & mask) << (inWord % perByte * getBits());
    }
  }
  return result;
}

} // namespace convoy::kernels
