// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes feature cubes. The address of (c, y, x) is base + (c div lanes) * surface stride
// + y * line stride + x * atom + (c mod lanes) * bytes.

#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Support/SmallFloat.h"
#include "Support/TypedError.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace convoy::nvdla {

static std::vector<float> makeHalfTable() {
  std::vector<float> table(1 << 16);
  for (uint32_t bits = 0; bits < table.size(); ++bits) {
    table[bits] = widenFloat(uint16_t(bits), ElementType::F16);
  }
  return table;
}

float halfToFloat(uint16_t bits) {
  static const std::vector<float> table = makeHalfTable();
  return table[bits];
}

uint16_t floatToHalf(float value) {
  constexpr float kLargest = 65504;
  return narrowFloat(std::isnan(value) ? value : std::fmax(-kLargest, std::fmin(kLargest, value)),
                     ElementType::F16);
}

uint32_t paddedChannels(const HardwareConfig &config, uint32_t channels) {
  return uint32_t(llvm::alignTo(channels, config.atomBytes));
}

llvm::Expected<Stream> makeStream(CubeSize size, bool isFloat, const HardwareConfig &config) {
  constexpr uint32_t kMaxExtent = 8192; // 13-bit registers
  constexpr uint64_t kMaxElements = uint64_t(1) << 28;
  for (uint32_t extent : {size.width, size.height, size.channels}) {
    if (extent < 1 || extent > kMaxExtent) {
      return llvm::createStringError(
          "expects a cube with 1 to 8192 elements per dimension, got %u x %u x %u", size.width,
          size.height, size.channels);
    }
  }
  Stream stream;
  stream.size = size;
  stream.paddedChannels = paddedChannels(config, size.channels);
  stream.isFloat = isFloat;
  uint64_t count = uint64_t(size.width) * size.height * stream.paddedChannels;
  if (count > kMaxElements) {
    return createUnsupported("a cube of %u x %u x %u is not supported; at most 2^28 elements are",
                             size.width, size.height, size.channels);
  }
  if (isFloat) {
    stream.floats.resize(count);
  } else {
    stream.ints.resize(count);
  }
  return stream;
}

/// Calls `atom(address, first index in the stream)` for every atom of a cube.
template <typename Atom>
static void forEachAtom(const Stream &stream, const Surface &surface, uint32_t atomLanes,
                        uint32_t atomBytes, Atom atom) {
  for (uint32_t c = 0; c < stream.size.channels; c += atomLanes) {
    for (uint32_t y = 0; y < stream.size.height; ++y) {
      uint64_t line =
          surface.address + c / atomLanes * surface.surfaceStride + y * surface.lineStride;
      for (uint32_t x = 0; x < stream.size.width; ++x) {
        size_t index = (size_t(y) * stream.size.width + x) * stream.paddedChannels + c;
        atom(line + uint64_t(x) * atomBytes, index);
      }
    }
  }
}

llvm::Expected<Stream> readCube(const Surface &surface, CubeSize size, Precision precision,
                                const Machine &machine) {
  llvm::Expected<Stream> stream = makeStream(size, precision == Precision::Fp16, machine.config);
  if (!stream) {
    return stream.takeError();
  }
  uint32_t count = lanes(machine.config, precision);
  std::vector<uint8_t> bytes(machine.config.atomBytes);
  forEachAtom(*stream, surface, count, machine.config.atomBytes, [&](uint64_t address, size_t i) {
    machine.memory.read(surface.port, address, bytes);
    for (uint32_t lane = 0; lane < count; ++lane) {
      if (precision == Precision::Int8) {
        stream->ints[i + lane] = int8_t(bytes[lane]);
        continue;
      }
      uint16_t bits = uint16_t(bytes[2 * lane] | bytes[2 * lane + 1] << 8);
      if (precision == Precision::Int16) {
        stream->ints[i + lane] = int16_t(bits);
      } else {
        stream->floats[i + lane] = halfToFloat(bits);
      }
    }
  });
  return stream;
}

void writeCube(const Stream &stream, const Surface &surface, Precision precision,
               const Machine &machine) {
  uint32_t count = lanes(machine.config, precision);
  std::vector<uint8_t> bytes(machine.config.atomBytes);
  forEachAtom(stream, surface, count, machine.config.atomBytes, [&](uint64_t address, size_t i) {
    for (uint32_t lane = 0; lane < count; ++lane) {
      if (precision == Precision::Int8) {
        bytes[lane] = uint8_t(stream.ints[i + lane]);
        continue;
      }
      uint16_t bits = precision == Precision::Int16 ? uint16_t(stream.ints[i + lane])
                                                    : floatToHalf(stream.floats[i + lane]);
      bytes[2 * lane] = uint8_t(bits);
      bytes[2 * lane + 1] = uint8_t(bits >> 8);
    }
    machine.memory.write(surface.port, address, bytes);
  });
}

} // namespace convoy::nvdla
