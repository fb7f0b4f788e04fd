// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the numbers of a conv_dot configuration in isolation, and packs its weights.

#include "Kernels/CheckNumbers.h"
#include "Kernels/Core/PanelPlaces.h"
#include "Kernels/Core/WeightDims.h"
#include "Kernels/Kernel.h"
#include <cstring>

using namespace mlir;

namespace convoy::kernels {

LogicalResult ConvDotAttr::verify(EmitError emitError, int64_t block, int64_t vectors,
                                  int64_t pixels, int64_t columns, int64_t rows, int64_t panels,
                                  int64_t unroll, bool /*rowsFirst*/, bool /*noFetch*/) {
  LogicalResult numbers = checkNumbers(emitError, {{"block", block},
                                                   {"vectors", vectors},
                                                   {"pixels", pixels},
                                                   {"columns", columns, 0},
                                                   {"rows", rows},
                                                   {"panels", panels},
                                                   {"unroll", unroll, 0}});
  if (failed(numbers)) {
    return numbers;
  }
  if (block != 4 && block != 8 && block != 16) {
    return emitError() << "expects block to be 4, 8 or 16, got " << block;
  }
  return checkProducts(emitError, vectors * pixels * block / 4);
}

/// Returns the places of weights after one i32 per output channel.
static PanelPlaces placesOf(const WeightDims &dims, DotWeightsAttr layout) {
  return {dims.i, dims.taps, layout.getO(), layout.getI(), layout.getDepth(), sizeof(int32_t)};
}

int64_t DotWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  WeightDims dims(shape, getTransposed());
  int64_t panels = ceilDiv(dims.o, getO()) + (getOnes() ? 1 : 0);
  return panels * placesOf(dims, *this).panelElements();
}

/// Packs the weights of one output channel and the correction by their sum.
static void packLane(uint8_t *panel, int64_t lane, const PanelPlaces &places, int64_t channels,
                     int64_t offset, llvm::function_ref<uint8_t(int64_t, int64_t)> weightOf) {
  int64_t sum = 0;
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t tap = 0; tap < places.taps; ++tap) {
      uint8_t weight = weightOf(channel, tap);
      sum += static_cast<int8_t>(weight);
      panel[places.place(channel, tap, lane)] = weight;
    }
  }
  auto number = static_cast<int32_t>(-offset * sum); // sums wrap in i32
  std::memcpy(panel + lane * sizeof(number), &number, sizeof(number));
}

/// Packs weights as signed bytes. For unsigned weights, `flip` subtracts 128 by inverting the
/// highest bit.
static void packDots(const uint8_t *from, uint8_t *to, const WeightDims &dims,
                     DotWeightsAttr layout, uint8_t flip) {
  PanelPlaces places = placesOf(dims, layout);
  int64_t stepO = layout.getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = layout.getTransposed() ? dims.o : dims.taps;
  for (int64_t output = 0; output < dims.o; ++output) {
    uint8_t *panel = to + output / places.o * places.panelElements();
    packLane(panel, output % places.o, places, dims.i, layout.getOffset(),
             [&](int64_t channel, int64_t tap) -> uint8_t {
               return from[output * stepO + channel * stepI + tap] ^ flip;
             });
  }
  uint8_t *ones = to + ceilDiv(dims.o, places.o) * places.panelElements();
  for (int64_t lane = 0; layout.getOnes() && lane < places.o; ++lane) {
    packLane(ones, lane, places, dims.i, layout.getOffset(),
             [](int64_t, int64_t) -> uint8_t { return 1; });
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
