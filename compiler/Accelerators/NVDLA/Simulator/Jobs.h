// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One decoded job per engine. Both the register writes of a trace and the descriptors of a loadable
// are decoded to these jobs. Sizes are actual sizes (registers hold them minus one); strides and
// addresses are in bytes.

#pragma once

#include "Accelerators/NVDLA/Simulator/Memory.h"
#include <array>
#include <cstdint>
#include <optional>

namespace convoy::nvdla {

/// The encoding of all precision registers and descriptors.
enum class Precision : uint8_t { Int8 = 0, Int16 = 1, Fp16 = 2 };

inline uint32_t bytesPerElement(Precision precision) {
  return precision == Precision::Int8 ? 1 : 2;
}
inline unsigned bitsPerElement(Precision precision) { return 8 * bytesPerElement(precision); }

struct CubeSize {
  uint32_t width = 1, height = 1, channels = 1;
};

/// The location of a feature cube: atoms of channels, lines of atoms, surfaces of lines.
struct Surface {
  uint64_t address = 0;
  Port port = Port::Dram;
  uint64_t lineStride = 0, surfaceStride = 0;
};

/// (x - offset) * scale >> shift
struct Converter {
  bool isEnabled = false;
  int32_t offset = 0;
  int32_t scale = 1;
  uint32_t shift = 0;
};

/// Values that one engine passes to the next, [y][x][channel] with `paddedChannels` per pixel. The
/// hardware passes whole atoms, so the lanes past the last channel hold values too.
struct Stream {
  CubeSize size;
  uint32_t paddedChannels = 0;
  bool isFloat = false;
  std::vector<int32_t> ints;
  std::vector<float> floats;
};

struct ConvJob {
  /// The kernel is 4 x 4 and transformed, and outputs come in whole tiles of 4 x 4.
  bool isWinograd = false;
  uint32_t praTruncate = 0;
  Precision inPrecision = Precision::Int8, precision = Precision::Int8;
  /// The input consists of pixels of an image format instead of a feature cube.
  bool isImage = false;
  uint32_t pixelFormat = 0;
  bool isPixelSigned = false;
  uint32_t pixelXOffset = 0;
  CubeSize input;
  Surface source;
  uint64_t weightAddress = 0;
  Port weightPort = Port::Dram;
  bool isWeightCompressed = false;
  /// The weights of the previous job are still in the buffer.
  bool reusesWeights = false;
  /// For images the width is 1 and the channels are those of a whole kernel row.
  CubeSize kernel;
  uint32_t kernels = 1;
  uint32_t outWidth = 1, outHeight = 1;
  uint32_t strideX = 1, strideY = 1, dilationX = 1, dilationY = 1;
  uint32_t padLeft = 0, padTop = 0;
  int32_t padValue = 0;
  /// Kernel rows that weights combine into one: 1, 2 or 4; only for images.
  uint32_t postExtension = 1;
  bool hasMeans = false;
  std::array<int16_t, 4> means = {};
  Converter converter;
  uint32_t clipTruncate = 0;
  uint32_t batch = 1;
};

/// The two tables of SDP and CDP: LE with 64 linear or exponential intervals, and LO with 256
/// linear intervals. For fp16, entries and slopes are fp16 bits, and starts and ends are fp32 bits.
struct LutTables {
  std::array<int16_t, 65> le = {};
  std::array<int16_t, 257> lo = {};
  int64_t leStart = 0, leEnd = 0, loStart = 0, loEnd = 0;
  int8_t leIndexOffset = 0, leIndexSelect = 0, loIndexSelect = 0;
  struct Slope {
    int16_t scale = 0;
    int8_t shift = 0;
  };
  Slope leUnderflow, leOverflow, loUnderflow, loOverflow;
  bool isLeLinear = false;
  /// Which table has priority; true for LO.
  bool underflowTakesLo = false, overflowTakesLo = false, hybridTakesLo = false;
};

/// Counts of each outcome of a table look-up and of saturations.
struct LutCounters {
  uint64_t underflow = 0, overflow = 0, leHit = 0, loHit = 0, hybrid = 0, saturated = 0;
};

enum class AluOp : uint8_t { Max = 0, Min = 1, Sum = 2, Equal = 3 };

/// The operands that a stage reads from memory.
struct SdpOperands {
  Surface source;
  enum class Use : uint8_t { Mul = 0, Alu = 1, Both = 2 } use = Use::Mul;
  bool isTwoBytes = false;
  bool isPerElement = false;
};

/// Stage X1 or X2 (ALU, then MUL, shift, ReLU) or Y (MUL, then ALU, then LUT).
struct SdpStage {
  bool isBypassed = true;
  bool isAluBypassed = true, isMulBypassed = true;
  AluOp alu = AluOp::Sum;
  bool isPrelu = false;
  bool isReluBypassed = true; // X only
  bool isAluFromMemory = false, isMulFromMemory = false;
  int32_t aluOperand = 0, mulOperand = 0;
  uint32_t aluShift = 0;                // X only: left
  uint32_t mulShift = 0;                // right; X applies it even without MUL
  Converter aluConverter, mulConverter; // Y only, for operands from memory
  bool isLutBypassed = true;            // Y only
  SdpOperands operands;
};

struct SdpJob {
  CubeSize size;
  /// Types of the data in memory, inside the engine, and of the result.
  Precision inPrecision = Precision::Int8, precision = Precision::Int8,
            outPrecision = Precision::Int8;
  bool isFromConv = false;
  Surface source;
  SdpStage x1, x2, y;
  LutTables lut;
  Converter outConverter;
  bool isToPdp = false;
  Surface target;
  uint32_t batch = 1;
};

struct PdpJob {
  enum class Method : uint8_t { Average = 0, Max = 1, Min = 2 } method = Method::Max;
  Precision precision = Precision::Int8;
  bool isFromSdp = false;
  CubeSize input;
  uint32_t outWidth = 1, outHeight = 1;
  Surface source, target;
  uint32_t kernelWidth = 1, kernelHeight = 1, strideX = 1, strideY = 1;
  uint32_t padLeft = 0, padTop = 0;
  /// Entry k is the sum of k + 1 padded elements.
  std::array<int32_t, 7> padValues = {};
  uint32_t recipWidth = 1 << 16, recipHeight = 1 << 16;
};

struct CdpJob {
  Precision precision = Precision::Int8;
  CubeSize size;
  Surface source, target;
  Converter inConverter, outConverter;
  /// Channels of a window: 3, 5, 7 or 9.
  uint32_t window = 3;
  bool isSquareSumBypassed = false, isMulBypassed = false;
  LutTables lut;
};

struct RubikJob {
  enum class Mode : uint8_t { Contract = 0, Split = 1, Merge = 2 } mode = Mode::Contract;
  Precision precision = Precision::Int8;
  CubeSize input;
  uint32_t outChannels = 1;
  Surface source, target;
  /// Split and merge: distance between the planes of two channels on the planar side.
  uint64_t sourcePlaneStride = 0, targetPlaneStride = 0;
  uint32_t strideX = 1, strideY = 1;
};

struct BdmaJob {
  uint64_t source = 0, target = 0;
  Port sourcePort = Port::Dram, targetPort = Port::Dram;
  uint64_t lineBytes = 0, lines = 1, surfaces = 1;
  uint64_t sourceLineStride = 0, targetLineStride = 0;
  uint64_t sourceSurfaceStride = 0, targetSurfaceStride = 0;
};

/// Engines that run as one group: CONV passes its result to SDP, and SDP to PDP, without memory.
struct FusedJob {
  std::optional<ConvJob> conv;
  std::optional<SdpJob> sdp;
  std::optional<PdpJob> pdp;
};

} // namespace convoy::nvdla
