// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the kernel dialect and packs the weights of conv_direct and conv_dot. Weight layouts of
// other templates pack in the folder of their template.

#include "Kernels/Kernel.h"
#include "Kernels/CeilDiv.h"
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

/// The dimensions of a weight tensor as the packing sees them.
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

/// Packs elements of one width. `T` is any type of that width.
template <typename T>
static void packPanels(const T *from, T *to, const WeightDims &dims, ConvWeightsAttr layout) {
  int64_t o = layout.getO(), i = layout.getI();
  int64_t channelBlocks = ceilDiv(dims.i, i);
  // Distances between adjacent output channels and input channels.
  int64_t stepO = layout.getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = layout.getTransposed() ? dims.o : dims.taps;
  // Loops follow the target order, so each row of `o` elements fills cache lines.
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

/// Byte offsets of weights in [panel][channel block][tap][four channels][o][4]. Offsets are
/// relative to the end of the i32 corrections at the start of a panel.
struct DotPlaces {
  int64_t o, i, blocks, taps;

  DotPlaces(const WeightDims &dims, DotWeightsAttr layout)
      : o(layout.getO()), i(layout.getI()), blocks(ceilDiv(dims.i, i)), taps(dims.taps) {}

  int64_t numberBytes() const { return o * static_cast<int64_t>(sizeof(int32_t)); }
  int64_t panelBytes() const { return numberBytes() + blocks * taps * i * o; }
  int64_t place(int64_t channel, int64_t tap, int64_t lane) const {
    int64_t step = ((channel / i) * taps + tap) * (i / 4) + channel % i / 4;
    return (step * o + lane) * 4 + channel % 4;
  }
};

int64_t DotWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  WeightDims dims(shape, getTransposed());
  return ceilDiv(dims.o, getO()) * DotPlaces(dims, *this).panelBytes();
}

/// Packs weights as signed bytes. For unsigned weights, `flip` subtracts 128 by inverting the
/// highest bit.
static void packDots(const uint8_t *from, uint8_t *to, const WeightDims &dims,
                     DotWeightsAttr layout, uint8_t flip) {
  DotPlaces places(dims, layout);
  int64_t stepO = layout.getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = layout.getTransposed() ? dims.o : dims.taps;
  for (int64_t output = 0; output < dims.o; ++output) {
    uint8_t *panel = to + output / places.o * places.panelBytes();
    int64_t lane = output % places.o;
    int64_t sum = 0;
    for (int64_t channel = 0; channel < dims.i; ++channel) {
      for (int64_t tap = 0; tap < dims.taps; ++tap) {
        uint8_t weight = from[output * stepO + channel * stepI + tap] ^ flip;
        sum += static_cast<int8_t>(weight);
        panel[places.numberBytes() + places.place(channel, tap, lane)] = weight;
      }
    }
    auto number = static_cast<int32_t>(-layout.getOffset() * sum); // sums wrap in i32
    std::memcpy(panel + lane * sizeof(number), &number, sizeof(number));
  }
}

Tensor DotWeightsAttr::pack(const Tensor &tensor) const {
  WeightDims dims(tensor.shape(), getTransposed());
  Tensor result(tensor.type(), {physicalElements(tensor.shape())});
  std::memset(result.mutableData<char>(), 0, result.bytes());
  packDots(static_cast<const uint8_t *>(tensor.raw()), result.mutableData<uint8_t>(), dims, *this,
           tensor.type() == ElementType::U8 ? 0x80 : 0);
  return result;
}

} // namespace convoy::kernels
