// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed structures of a task, which tell the firmware what each engine does, as plain C++.
// Field names and order are those of the firmware. Descriptors.cpp defines the layout for reading
// and writing.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace convoy::nvdla {

/// Firmware before 0.12 has no offset in a cube; its cube entries have 28 bytes instead of 32.
enum class CubeLayout { WithoutOffset, WithOffset };

/// The value is the type of an operation.
enum class Engine : uint8_t { Bdma = 0, Conv, Sdp, Pdp, Cdp, Rubik };
constexpr unsigned kEngineCount = 6;
const char *engineName(Engine engine);

struct NetworkDescriptor {
  int16_t operations = -1, surfaces = -1, dependences = -1, luts = -1; // positions of addresses
  int16_t rois = -1, surface = -1, statistics = -1;
  std::array<int16_t, kEngineCount> heads = {-1, -1, -1, -1, -1, -1};
  uint16_t roiCount = 1, operationCount = 0, lutCount = 0, addressCount = 0;
  int16_t inputLayer = 0;
  uint8_t isRoiDynamic = 0;
};

enum class OpEvent : uint8_t {
  Completed = 1,
  Programmed = 2,
  Enabled = 3,
  WeightsRead = 4,
  DataRead = 5,
};

struct Consumer {
  int16_t index = -1;
  uint8_t event = 1;
};

struct DependencyDescriptor {
  int16_t index = -1;
  int8_t roi = 0;
  uint8_t engine = 0;
  uint8_t dependencies = 0;
  /// One consumer per engine.
  std::array<Consumer, kEngineCount> consumers;
  Consumer fusedParent;
};

struct CubeDescriptor {
  enum Type : uint16_t { Dram = 0, Sram = 1, Engine = 2 };
  uint16_t type = Engine;
  int16_t address = -1;
  uint32_t offset = 0, size = 0;
  uint16_t width = 0, height = 0, channel = 0;
  uint32_t lineStride = 0, surfaceStride = 0, planeStride = 0;
};

struct ConverterDescriptor {
  int16_t scale = 1;
  uint8_t truncate = 0, enable = 0;
  int32_t offset = 0;
};

struct ConvDescriptor {
  uint8_t mode = 0, dataReuse = 0, weightReuse = 0, skipDataRelease = 0, skipWeightRelease = 0;
  uint16_t entriesPerSlice = 0;
  uint8_t dataFormat = 36, pixelMapping = 0;
  uint16_t fetchGrain = 1;
  uint8_t batch = 1, weightFormat = 0, dataBanks = 1, weightBanks = 1;
  uint32_t batchStride = 0;
  uint8_t postExtension = 0, pixelOverride = 0;
  uint16_t release = 0;
  uint16_t inputWidth = 0, inputHeight = 0, inputChannel = 0;
  uint16_t kernelWidth = 0, kernelHeight = 0, kernelChannel = 0;
  uint16_t outWidth = 0, outHeight = 0;
  uint32_t bytesPerKernel = 0;
  std::array<int16_t, 4> means = {};
  uint8_t meanFormat = 0, strideX = 1, strideY = 1;
  uint8_t padLeft = 0, padRight = 0, padTop = 0, padBottom = 0;
  uint8_t dilationX = 1, dilationY = 1, praTruncate = 0;
  uint8_t inPrecision = 0, outPrecision = 0;
  int16_t padValue = 0;
  ConverterDescriptor inConverter, outConverter;
  CubeDescriptor weights, weightMask, weightGroups, source, target;
  int64_t offsetUv = 0;
  uint32_t lineStrideUv = 0;
};

struct SdpStageDescriptor {
  enum Type : uint8_t { None = 0, Mul = 1, Alu = 2, Both = 3 };
  enum Mode : uint8_t { PerLayer = 0, PerKernel = 1, PerElement = 2 };
  enum Activation : uint8_t { NoActivation = 0, Relu = 1, Lut = 2, Prelu = 3 };
  uint8_t enable = 0, alu = 2, type = None, mode = PerLayer, activation = NoActivation;
  uint8_t shift = 0, truncate = 0, precision = 0;
  int32_t aluOperand = 0, mulOperand = 0;
  ConverterDescriptor aluConverter, mulConverter;
};

struct SdpDescriptor {
  uint8_t inPrecision = 0, outPrecision = 0;
  int16_t lut = -1;
  ConverterDescriptor outConverter;
  uint8_t convMode = 0, batch = 1;
  uint32_t batchStride = 0;
  SdpStageDescriptor x1, x2, y;
  CubeDescriptor source, x1Data, x2Data, yData, target;
};

struct PdpDescriptor {
  std::array<uint16_t, 3> partialIn = {}, partialOut = {}; // first, middle, last
  uint8_t splits = 1, method = 0;
  uint8_t kernelWidthMinusOne = 0, kernelHeightMinusOne = 0, strideX = 1, strideY = 1;
  uint8_t padLeft = 0, padRight = 0, padTop = 0, padBottom = 0, precision = 0;
  std::array<int32_t, 7> padValues = {};
  CubeDescriptor source, target;
};

struct CdpDescriptor {
  uint8_t inPrecision = 0, outPrecision = 0;
  int16_t lut = -1;
  ConverterDescriptor inConverter, outConverter;
  uint8_t window = 3, isSquareSumBypassed = 0, isMulBypassed = 0;
  CubeDescriptor source, target;
};

struct RubikDescriptor {
  uint8_t mode = 0, precision = 0, strideX = 1, strideY = 1;
  CubeDescriptor source, target;
};

struct BdmaTransfer {
  int16_t source = -1, target = -1;
  uint32_t lineBytes = 0, lines = 0, sourceLine = 0, targetLine = 0;
  uint32_t surfaces = 0, sourceSurface = 0, targetSurface = 0;
};

struct BdmaDescriptor {
  uint16_t opTransfers = 0, surfaceTransfers = 0;
  uint8_t sourceType = 0, targetType = 0;
  std::array<BdmaTransfer, 20> transfers;
};

struct SlopeDescriptor {
  int16_t scale = 0;
  int8_t shift = 0;
};

struct LutDescriptor {
  std::array<int16_t, 65> le = {};
  std::array<int16_t, 257> lo = {};
  int8_t leOffset = 0, loOffset = 0;
  uint64_t leStart = 0, leEnd = 0, loStart = 0, loEnd = 0;
  SlopeDescriptor leUnderflow, leOverflow, loUnderflow, loOverflow;
  uint8_t hybridPriority = 0, underflowPriority = 0, overflowPriority = 0, method = 0;
};

/// The alternatives are in the order of Engine.
using EngineDescriptor = std::variant<BdmaDescriptor, ConvDescriptor, SdpDescriptor, PdpDescriptor,
                                      CdpDescriptor, RubikDescriptor>;

/// Bytes of one entry in the lists of a task.
constexpr size_t kNetworkBytes = 40, kDependencyBytes = 36, kOperationBytes = 116,
                 kSurfaceBytes = 644, kLutBytes = 700;

using Bytes = llvm::ArrayRef<uint8_t>;

/// Parse one entry. Fail if the data is shorter than an entry or the engine is unknown.
llvm::Expected<NetworkDescriptor> readNetwork(Bytes bytes);
llvm::Expected<DependencyDescriptor> readDependency(Bytes bytes);
llvm::Expected<LutDescriptor> readLut(Bytes bytes);
llvm::Expected<EngineDescriptor> readEngine(Engine engine, Bytes operation, Bytes surfaces,
                                            CubeLayout layout);

std::vector<uint8_t> writeNetwork(const NetworkDescriptor &network);
std::vector<uint8_t> writeDependency(const DependencyDescriptor &dependency);
std::vector<uint8_t> writeLut(const LutDescriptor &lut);
/// Return exactly kOperationBytes and kSurfaceBytes bytes, padded with zeros.
std::vector<uint8_t> writeOperation(const EngineDescriptor &descriptor, CubeLayout layout);
std::vector<uint8_t> writeSurfaces(const EngineDescriptor &descriptor, CubeLayout layout);

/// Return the bytes of a descriptor's operation and surfaces without the padding of the entry.
size_t operationBytes(Engine engine);
size_t surfaceBytes(Engine engine, CubeLayout layout);

} // namespace convoy::nvdla
