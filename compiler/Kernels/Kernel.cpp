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

Tensor ConvWeightsAttr::pack(const Tensor &tensor) const {
  WeightDims dims(tensor.shape(), getTransposed());
  int64_t channelBlocks = ceilDiv(dims.i, getI());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  size_t step = storageBytes(tensor.type());
  char *to = result.mutableData<char>();
  std::memset(to, 0, result.bytes());
  const char *from = static_cast<const char *>(tensor.raw());
  // In the order of the target: its rows of `o` are what fills cache lines.
  for (int64_t panel = 0; panel * getO() < dims.o; ++panel) {
    int64_t width = std::min(getO(), dims.o - panel * getO());
    for (int64_t i = 0; i < dims.i; ++i) {
      for (int64_t tap = 0; tap < dims.taps; ++tap) {
        int64_t row =
            ((panel * channelBlocks + i / getI()) * dims.taps + tap) * getI() + i % getI();
        for (int64_t lane = 0; lane < width; ++lane) {
          int64_t o = panel * getO() + lane;
          int64_t source = getTransposed() ? i * dims.o + o : (o * dims.i + i) * dims.taps + tap;
          std::memcpy(to + (row * getO() + lane) * step, from + source * step, step);
        }
      }
    }
  }
  return result;
}

} // namespace convoy::kernels
