// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The representation of tensors as cubes: sizes, strides, and the position of each channel in
// memory.

#pragma once

#include "Accelerators/NVDLA/Compile/Options.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace convoy::nvdla {

/// Returns the cube of a tensor 1 x C x H x W or 1 x C; nothing for other shapes.
std::optional<CubeSize> cubeOf(mlir::Type type);

inline Precision precisionOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getElementType().isF16() ? Precision::Fp16
                                                                           : Precision::Int8;
}

/// Returns the value that is subtracted from every element when it is stored: 128 for unsigned
/// bytes.
inline int64_t storedOffset(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getElementType().isUnsignedInteger(8) ? 128 : 0;
}

/// Returns the samples per pixel, 1 or 4, if an argument is stored as an image; 0 for a cube.
int64_t pixelSamples(mlir::Value value);

/// Returns the line stride of an image in bytes.
int64_t imageLineBytes(mlir::Value value);

/// The position in memory of each channel of a tensor.
using ChannelMap = std::vector<int64_t>;

ChannelMap identityMap(int64_t channels);

/// Returns the number of memory channels that a map covers.
inline int64_t physicalChannels(const ChannelMap &map) { return map.empty() ? 0 : map.back() + 1; }

/// Returns the channel map of a value. Joins create gaps, which remain until a convolution.
ChannelMap channelMapOf(mlir::Value value, int64_t lanes);

/// Returns the number of elements of one atom.
inline int64_t lanesOf(const HardwareConfig &config, Precision precision) {
  return config.atomBytes / bytesPerElement(precision);
}

/// Returns whether the channels of a value are not adjacent in memory.
bool hasGaps(mlir::Value value, const HardwareConfig &config);

/// Returns whether a unit or a join of the function writes the value.
bool isWrittenHere(mlir::Value value);

/// Returns whether a join reads the value.
bool isJoined(mlir::Value value);

} // namespace convoy::nvdla
