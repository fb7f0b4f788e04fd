// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feature cubes between memory and streams: whole atoms each way.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// The bits of a half as a float, by table.
float halfToFloat(uint16_t bits);
/// Nearest half, ties to even; finite values stay finite, as hardware keeps them.
uint16_t floatToHalf(float value);

/// Elements in one atom.
inline uint32_t lanes(const HardwareConfig &config, Precision precision) {
  return config.atomBytes / bytesPerElement(precision);
}

/// Channels of a stream: whole int8 atoms, which whole 16-bit atoms divide.
uint32_t paddedChannels(const HardwareConfig &config, uint32_t channels);

/// A stream of zeros. Fails for sizes outside 1..8192 and for cubes no memory would hold.
llvm::Expected<Stream> makeStream(CubeSize size, bool isFloat, const HardwareConfig &config);

/// Reads `size` from `surface`; lanes past the last channel are read too.
llvm::Expected<Stream> readCube(const Surface &surface, CubeSize size, Precision precision,
                                const Machine &machine);

/// Writes all lanes of the atoms that hold the stream's channels.
void writeCube(const Stream &stream, const Surface &surface, Precision precision,
               const Machine &machine);

} // namespace convoy::nvdla
