// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements layout queries and the blocked layout:
//
//     logical  1 x 6 x 2 x 2,  c = 4     c0 c1 c2 c3 c4 c5
//     memory   1 x 2 x 2 x 2 x 4         [c0 c1 c2 c3] x 4 pixels, [c4 c5 - -] x 4 pixels
//
// The padding of a packed constant is zero. The padding of a computed tensor is
// undefined.

#include "Graph/Layout.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

#include "Graph/LayoutInterface.cpp.inc"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::graph {

Attribute layoutOf(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked ? ranked.getEncoding() : Attribute();
}

RankedTensorType withLayout(Type type, Attribute layout) {
  auto ranked = cast<RankedTensorType>(type);
  return RankedTensorType::get(ranked.getShape(), ranked.getElementType(), layout);
}

int64_t physicalElements(RankedTensorType type) {
  auto layout = dyn_cast_or_null<LayoutAttrInterface>(type.getEncoding());
  return layout ? layout.physicalElements(type.getShape()) : type.getNumElements();
}

int64_t channelDim(int64_t rank) { return rank == 1 ? 0 : 1; }

int64_t channelBlock(Type type) {
  auto blocked = dyn_cast_or_null<BlockedAttr>(layoutOf(type));
  return blocked ? blocked.getC() : 0;
}

/// The sizes before, at and after the channel dimension.
struct ChannelSplit {
  int64_t outer = 1, channels = 1, inner = 1;

  explicit ChannelSplit(ArrayRef<int64_t> shape) {
    int64_t dim = channelDim(shape.size());
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t &part = static_cast<int64_t>(i) < dim    ? outer
                      : static_cast<int64_t>(i) == dim ? channels
                                                       : inner;
      part *= size;
    }
  }
};

int64_t BlockedAttr::physicalElements(ArrayRef<int64_t> shape) const {
  ChannelSplit split(shape);
  return split.outer * llvm::divideCeilSigned(split.channels, getC()) * split.inner * getC();
}

/// Calls move(logical index, physical index) for each element.
static void forEachBlocked(ArrayRef<int64_t> shape, int64_t block,
                           llvm::function_ref<void(int64_t, int64_t)> move) {
  ChannelSplit split(shape);
  int64_t blocks = llvm::divideCeilSigned(split.channels, block);
  int64_t logical = 0;
  for (int64_t n = 0; n < split.outer; ++n) {
    for (int64_t c = 0; c < split.channels; ++c) {
      for (int64_t i = 0; i < split.inner; ++i, ++logical) {
        move(logical, ((n * blocks + c / block) * split.inner + i) * block + c % block);
      }
    }
  }
}

Tensor BlockedAttr::pack(const Tensor &tensor) const {
  size_t step = storageBytes(tensor.type());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  char *to = result.mutableData<char>();
  std::memset(to, 0, result.bytes());
  const char *from = static_cast<const char *>(tensor.raw());
  forEachBlocked(tensor.shape(), getC(), [&](int64_t logical, int64_t physical) {
    std::memcpy(to + physical * step, from + logical * step, step);
  });
  return result;
}

Tensor unpackedTensor(const Tensor &memory, RankedTensorType type) {
  Tensor result(memory.type(), type.getShape());
  size_t step = storageBytes(memory.type());
  const char *from = static_cast<const char *>(memory.raw());
  char *to = result.mutableData<char>();
  int64_t block = channelBlock(type);
  if (block == 0) {
    std::memcpy(to, from, result.bytes());
    return result;
  }
  forEachBlocked(type.getShape(), block, [&](int64_t logical, int64_t physical) {
    std::memcpy(to + logical * step, from + physical * step, step);
  });
  return result;
}

bool isSameInMemory(ArrayRef<int64_t> shape, Attribute a, Attribute b) {
  if (a == b) {
    return true;
  }
  ChannelSplit split(shape);
  auto isPlain = [&](Attribute layout) {
    auto blocked = dyn_cast_or_null<BlockedAttr>(layout);
    // A block of one channel is a plane. With one pixel, the channels of all blocks are adjacent.
    return !layout || (blocked && (blocked.getC() == 1 ||
                                   (split.inner == 1 && split.channels % blocked.getC() == 0)));
  };
  return isPlain(a) && isPlain(b);
}

Tensor packedTensor(ElementsAttr elements) {
  Tensor tensor = toTensor(elements);
  auto layout = dyn_cast_or_null<LayoutAttrInterface>(layoutOf(elements.getType()));
  return layout ? layout.pack(tensor) : tensor;
}

ElementsAttr withLayout(ElementsAttr elements, Attribute layout) {
  RankedTensorType type = withLayout(elements.getType(), layout);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  }
  auto dense = cast<DenseElementsAttr>(elements);
  return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
}

} // namespace convoy::graph
