// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the kernel dialect and the packing of direct weights. Other
// weight layouts pack in the folder of their template.

#include "Kernels/Kernel.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

#include "Kernels/KernelDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Kernels/KernelAttrs.cpp.inc"

using namespace mlir;

namespace convoy::kernels {

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Kernels/KernelAttrs.cpp.inc"
      >();
}

static int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }

/// Sizes of weights as the packing sees them.
struct WeightDims {
  int64_t o, i, taps = 1;

  WeightDims(ArrayRef<int64_t> shape, bool transposed)
      : o(shape[transposed ? 1 : 0]), i(shape[transposed ? 0 : 1]) {
    for (int64_t size : shape.drop_front(2)) {
      taps *= size;
    }
  }
};

int64_t ConvWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  WeightDims dims(shape, getTransposed());
  return ceilDiv(dims.o, getO()) * getO() * ceilDiv(dims.i, getI()) * getI() * dims.taps;
}

/// Packs elements of one width; T only has to have it.
template <typename T>
static void packPanels(const T *from, T *to, const WeightDims &dims, ConvWeightsAttr layout) {
  int64_t o = layout.getO(), i = layout.getI();
  int64_t channelBlocks = ceilDiv(dims.i, i);
  // Where the next output channel, input channel and tap are.
  int64_t stepO = layout.getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = layout.getTransposed() ? dims.o : dims.taps;
  // In the order of the target: its rows of `o` are what fills cache lines.
  for (int64_t panel = 0; panel * o < dims.o; ++panel) {
    int64_t width = std::min(o, dims.o - panel * o);
    for (int64_t channel = 0; channel < dims.i; ++channel) {
      for (int64_t tap = 0; tap < dims.taps; ++tap) {
        int64_t block = panel * channelBlocks + channel / i;
        T *row = to + ((block * dims.taps + tap) * i + channel % i) * o;
        const T *source = from + panel * o * stepO + channel * stepI + tap;
        for (int64_t lane = 0; lane < width; ++lane) {
          row[lane] = source[lane * stepO];
        }
      }
    }
  }
}

Tensor ConvWeightsAttr::pack(const Tensor &tensor) const {
  WeightDims dims(tensor.shape(), getTransposed());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  std::memset(result.mutableData<char>(), 0, result.bytes());
  dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    packPanels(tensor.data<T>(), result.mutableData<T>(), dims, *this);
  });
  return result;
}

} // namespace convoy::kernels
