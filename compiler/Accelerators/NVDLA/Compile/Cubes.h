// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors as cubes of the device: sizes, strides, and which channel of memory holds
// which channel of the tensor.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace convoy::nvdla {

/// What the compiler is asked for, beside the layers.
struct CompileOptions {
  const HardwareConfig *config = nullptr;
  /// Fewest bytes instead of fewest cycles.
  bool savesMemory = false;
  /// As the official compiler does it: pools by themselves, groups as dense weights, no
  /// Winograd. For comparison.
  bool isSeparate = false;
};

/// The cube of a tensor 1 x C x H x W or 1 x C; nothing for other shapes.
std::optional<CubeSize> cubeOf(mlir::Type type);

inline Precision precisionOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getElementType().isF16() ? Precision::Fp16
                                                                           : Precision::Int8;
}

/// What is taken off every element when it is stored: 128 of unsigned ones.
inline int64_t storedOffset(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getElementType().isUnsignedInteger(8) ? 128 : 0;
}

/// Samples of a pixel, 1 or 4, where an argument is stored as an image; 0 for a cube.
int64_t pixelSamples(mlir::Value value);

/// Bytes from one row of such an image to the next.
int64_t imageLineBytes(mlir::Value value);

/// Position in memory of each channel of a tensor.
using ChannelMap = std::vector<int64_t>;

ChannelMap identityMap(int64_t channels);

/// Channels of memory that a map reaches.
inline int64_t physicalChannels(const ChannelMap &map) { return map.empty() ? 0 : map.back() + 1; }

/// The map of a value: gaps come from joins and stay until a convolution.
ChannelMap channelMapOf(mlir::Value value, int64_t lanes);

/// Elements of one atom.
inline int64_t lanesOf(const HardwareConfig &config, Precision precision) {
  return config.atomBytes / bytesPerElement(precision);
}

} // namespace convoy::nvdla
