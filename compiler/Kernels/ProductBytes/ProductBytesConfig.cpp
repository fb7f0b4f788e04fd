// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a product_bytes configuration in isolation, and packs its weights.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Kernel.h"
#include <cstring>

using namespace mlir;

namespace convoy::kernels {

LogicalResult ProductBytesAttr::verify(EmitError emitError, int64_t block, int64_t tiles,
                                       int64_t height, int64_t vectors, int64_t rows,
                                       int64_t panels) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"tiles", tiles, 0},
                                                   {"height", height},
                                                   {"vectors", vectors},
                                                   {"rows", rows},
                                                   {"panels", panels}});
  if (failed(numbers)) {
    return numbers;
  }
  if (block != 4 && block != 8 && block != 16) {
    return emitError() << "expects block to be 4, 8 or 16, got " << block;
  }
  if (rows % height != 0 || panels % vectors != 0) {
    return emitError() << "expects rows to be a multiple of height and panels of vectors, got "
                       << rows << " rows, height " << height << ", " << panels << " panels, "
                       << vectors << " vectors";
  }
  if (tiles == 0) {
    return checkProducts(emitError, vectors * height);
  }
  constexpr int64_t kTileRegisters = 8;
  constexpr int64_t kTileRows = 16;
  if (block != kTileRows || tiles > kTileRegisters || height != tiles * kTileRows) {
    return emitError() << "expects block to be 16 and height to be 16 * tiles for tile registers, "
                          "got block "
                       << block << ", tiles " << tiles << ", height " << height;
  }
  if (vectors > kTileRegisters || vectors * (tiles + 1) + 1 > kTileRegisters) {
    return emitError() << "expects the tiles of sums, weights and rows to fit in " << kTileRegisters
                       << " registers, got " << tiles << " x " << vectors << " tiles of sums";
  }
  return success();
}

/// Sizes of packed weights in bytes.
struct ByteLayout {
  int64_t depth, columns, o, i;

  ByteLayout(ArrayRef<int64_t> shape, ByteWeightsAttr layout)
      : depth(shape[0]), columns(shape[1]), o(layout.getO()), i(layout.getI()) {}

  int64_t sumBytes() const { return o * static_cast<int64_t>(sizeof(int32_t)); }
  int64_t storedDepth() const { return ceilDiv(depth, 4) * 4; }
  int64_t panelBytes() const { return sumBytes() + storedDepth() * o; }
  int64_t paddingBytes() const { return (ceilDiv(depth, i) * i - storedDepth()) * o; }
};

int64_t ByteWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  ByteLayout layout(shape, *this);
  return ceilDiv(layout.columns, layout.o) * layout.panelBytes() + layout.paddingBytes();
}

Tensor ByteWeightsAttr::pack(const Tensor &tensor) const {
  ByteLayout layout(tensor.shape(), *this);
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  std::memset(result.mutableData<char>(), 0, result.bytes());
  const auto *from = static_cast<const uint8_t *>(tensor.raw());
  auto *to = result.mutableData<uint8_t>();
  uint8_t flip = tensor.type() == ElementType::U8 ? 0x80 : 0; // subtracts 128
  for (int64_t column = 0; column < layout.columns; ++column) {
    uint8_t *panel = to + column / layout.o * layout.panelBytes();
    int64_t lane = column % layout.o;
    int32_t sum = 0;
    for (int64_t k = 0; k < layout.depth; ++k) {
      uint8_t weight = from[k * layout.columns + column] ^ flip;
      sum += static_cast<int8_t>(weight);
      panel[layout.sumBytes() + (k / 4 * layout.o + lane) * 4 + k % 4] = weight;
    }
    std::memcpy(panel + lane * sizeof(sum), &sum, sizeof(sum));
  }
  return result;
}

} // namespace convoy::kernels
