// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the weights of conv_direct.

#include "Kernels/Core/GroupWindows.h"
#include "Kernels/Core/PanelPlaces.h"
#include "Kernels/Core/WeightDims.h"
#include "Kernels/Kernel.h"
#include <cstring>

using namespace mlir;

namespace convoy::kernels {

static GroupWindows windowsOf(const WeightDims &dims, ConvWeightsAttr layout) {
  return {layout.getGroups(), dims.i, std::max<int64_t>(dims.o / layout.getGroups(), 1),
          layout.getO(), layout.getI()};
}

static PanelPlaces placesOf(const WeightDims &dims, ConvWeightsAttr layout) {
  int64_t channels =
      layout.getGroups() == 1 ? dims.i : windowsOf(dims, layout).most() * layout.getI();
  return {channels, dims.taps, layout.getO(), layout.getI()};
}

int64_t ConvWeightsAttr::physicalElements(ArrayRef<int64_t> shape) const {
  WeightDims dims(shape, getTransposed());
  return ceilDiv(dims.o, getO()) * placesOf(dims, *this).panelElements();
}

/// Packs elements of one width. `T` is any type of that width.
template <typename T>
static void packPanels(const T *from, T *to, const WeightDims &dims, ConvWeightsAttr layout) {
  int64_t o = layout.getO();
  PanelPlaces places = placesOf(dims, layout);
  // Distances between adjacent output channels and input channels.
  int64_t stepO = layout.getTransposed() ? 1 : dims.i * dims.taps;
  int64_t stepI = layout.getTransposed() ? dims.o : dims.taps;
  // Loops follow the target order, so each row of `o` elements fills cache lines.
  for (int64_t panel = 0; panel * o < dims.o; ++panel) {
    int64_t width = std::min(o, dims.o - panel * o);
    for (int64_t channel = 0; channel < dims.i; ++channel) {
      for (int64_t tap = 0; tap < dims.taps; ++tap) {
        T *row = to + panel * places.panelElements() + places.place(channel, tap, 0);
        const T *source = from + panel * o * stepO + channel * stepI + tap;
        for (int64_t lane = 0; lane < width; ++lane) {
          row[lane] = source[lane * stepO];
        }
      }
    }
  }
}

/// Packs the weights of groups that a kernel computes as one.
template <typename T>
static void packGroups(const T *from, T *to, const WeightDims &dims, ConvWeightsAttr layout) {
  int64_t o = layout.getO();
  PanelPlaces places = placesOf(dims, layout);
  GroupWindows windows = windowsOf(dims, layout);
  for (int64_t lane = 0; lane < dims.o; ++lane) {
    int64_t panel = lane / o;
    int64_t first = lane / windows.outputs * dims.i - windows.low(panel) * layout.getI();
    T *target = to + panel * places.panelElements();
    for (int64_t channel = 0; channel < dims.i; ++channel) {
      for (int64_t tap = 0; tap < dims.taps; ++tap) {
        target[places.place(first + channel, tap, lane % o)] = *from++;
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
    auto *to = result.mutableData<T>();
    getGroups() == 1 ? packPanels(tensor.data<T>(), to, dims, *this)
                     : packGroups(tensor.data<T>(), to, dims, *this);
  });
  return result;
}

} // namespace convoy::kernels
