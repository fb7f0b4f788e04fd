// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes feature cubes in whole atoms.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// Converts the bits of an fp16 number to float, with a table.
float halfToFloat(uint16_t bits);
/// Rounds to fp16, ties to even; finite values saturate as in hardware.
uint16_t floatToHalf(float value);

/// Returns the number of elements in one atom.
inline uint32_t lanes(const HardwareConfig &config, Precision precision) {
  return config.atomBytes / bytesPerElement(precision);
}

/// Returns the channels of a stream, padded to whole int8 atoms, which are multiples of 16-bit
/// atoms.
uint32_t paddedChannels(const HardwareConfig &config, uint32_t channels);

/// Returns a stream of zeros. Fails for sizes outside of 1..8192 and for more than 2^28 elements.
llvm::Expected<Stream> makeStream(CubeSize size, bool isFloat, const HardwareConfig &config);

/// Reads `size` from `surface`, including the lanes past the last channel.
llvm::Expected<Stream> readCube(const Surface &surface, CubeSize size, Precision precision,
                                const Machine &machine);

/// Writes all lanes of the atoms that hold the stream's channels.
void writeCube(const Stream &stream, const Surface &surface, Precision precision,
               const Machine &machine);

} // namespace convoy::nvdla
