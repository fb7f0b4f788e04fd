// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed little-endian layout of every descriptor. A function `visit` names the fields in
// order. DescriptorReader and DescriptorWriter are its visitors.

#include "Accelerators/NVDLA/Loadable/Descriptors.h"
#include "llvm/Support/Endian.h"

namespace convoy::nvdla {
namespace {

class DescriptorReader {
public:
  DescriptorReader(Bytes bytes, CubeLayout layout) : layout(layout), bytes(bytes) {}

  template <typename T>
  void number(T &value) {
    if (bytes.size() < sizeof(T)) {
      isShort = true;
      bytes = {};
      return;
    }
    value = llvm::support::endian::read<T, llvm::endianness::little>(bytes.data());
    bytes = bytes.drop_front(sizeof(T));
  }
  void skip(size_t count) {
    isShort |= bytes.size() < count;
    bytes = bytes.drop_front(std::min(count, bytes.size()));
  }

  const CubeLayout layout;
  bool isShort = false;

private:
  Bytes bytes;
};

class DescriptorWriter {
public:
  explicit DescriptorWriter(CubeLayout layout) : layout(layout) {}

  template <typename T>
  void number(T &value) {
    bytes.resize(bytes.size() + sizeof(T));
    llvm::support::endian::write<T, llvm::endianness::little>(&bytes[bytes.size() - sizeof(T)],
                                                              value);
  }
  void skip(size_t count) { bytes.resize(bytes.size() + count); }

  const CubeLayout layout;
  std::vector<uint8_t> bytes;
};

template <typename V, typename... T>
void numbers(V &visitor, T &...values) {
  (visitor.number(values), ...);
}

template <typename V, typename T, size_t kCount>
void numbers(V &visitor, std::array<T, kCount> &values) {
  for (T &value : values) {
    visitor.number(value);
  }
}

template <typename V>
void visit(V &v, NetworkDescriptor &d) {
  numbers(v, d.operations, d.surfaces, d.dependences, d.luts, d.rois, d.surface, d.statistics);
  v.skip(2);
  numbers(v, d.heads);
  numbers(v, d.roiCount, d.operationCount, d.lutCount, d.addressCount, d.inputLayer,
          d.isRoiDynamic);
  v.skip(1);
}

template <typename V>
void visit(V &v, Consumer &d) {
  numbers(v, d.index, d.event);
  v.skip(1);
}

template <typename V>
void visit(V &v, DependencyDescriptor &d) {
  numbers(v, d.index, d.roi, d.engine, d.dependencies);
  v.skip(3);
  for (Consumer &consumer : d.consumers) {
    visit(v, consumer);
  }
  visit(v, d.fusedParent);
}

template <typename V>
void visit(V &v, CubeDescriptor &d) {
  numbers(v, d.type, d.address);
  if (v.layout == CubeLayout::WithOffset) {
    v.number(d.offset);
  }
  numbers(v, d.size, d.width, d.height, d.channel);
  v.skip(2);
  numbers(v, d.lineStride, d.surfaceStride, d.planeStride);
}

template <typename V>
void visit(V &v, ConverterDescriptor &d) {
  numbers(v, d.scale, d.truncate, d.enable, d.offset);
}

template <typename V>
void visitOperation(V &v, ConvDescriptor &d) {
  numbers(v, d.mode, d.dataReuse, d.weightReuse, d.skipDataRelease, d.skipWeightRelease);
  v.skip(1);
  numbers(v, d.entriesPerSlice, d.dataFormat, d.pixelMapping, d.fetchGrain);
  v.skip(8);
  numbers(v, d.batch, d.weightFormat, d.dataBanks, d.weightBanks, d.batchStride, d.postExtension,
          d.pixelOverride, d.release, d.inputWidth, d.inputHeight, d.inputChannel, d.kernelWidth,
          d.kernelHeight, d.kernelChannel, d.outWidth, d.outHeight, d.bytesPerKernel);
  numbers(v, d.means);
  numbers(v, d.meanFormat, d.strideX, d.strideY, d.padLeft, d.padRight, d.padTop, d.padBottom,
          d.dilationX, d.dilationY);
  v.skip(2);
  numbers(v, d.praTruncate, d.inPrecision, d.outPrecision, d.padValue);
  visit(v, d.inConverter);
  visit(v, d.outConverter);
}

template <typename V>
void visitSurfaces(V &v, ConvDescriptor &d) {
  for (CubeDescriptor *cube : {&d.weights, &d.weightMask, &d.weightGroups, &d.source, &d.target}) {
    visit(v, *cube);
  }
  numbers(v, d.offsetUv, d.lineStrideUv);
}

template <typename V>
void visit(V &v, SdpStageDescriptor &d) {
  numbers(v, d.enable, d.alu, d.type, d.mode, d.activation, d.shift, d.truncate, d.precision,
          d.aluOperand, d.mulOperand);
  visit(v, d.aluConverter);
  visit(v, d.mulConverter);
}

template <typename V>
void visitOperation(V &v, SdpDescriptor &d) {
  numbers(v, d.inPrecision, d.outPrecision, d.lut);
  visit(v, d.outConverter);
  numbers(v, d.convMode, d.batch);
  v.skip(2);
  v.number(d.batchStride);
  for (SdpStageDescriptor *stage : {&d.x1, &d.x2, &d.y}) {
    visit(v, *stage);
  }
}

template <typename V>
void visitSurfaces(V &v, SdpDescriptor &d) {
  for (CubeDescriptor *cube : {&d.source, &d.x1Data, &d.x2Data, &d.yData, &d.target}) {
    visit(v, *cube);
  }
}

template <typename V>
void visitOperation(V &v, PdpDescriptor &d) {
  numbers(v, d.partialIn);
  numbers(v, d.partialOut);
  numbers(v, d.splits, d.method, d.kernelWidthMinusOne, d.kernelHeightMinusOne, d.strideX,
          d.strideY, d.padLeft, d.padRight, d.padTop, d.padBottom, d.precision);
  v.skip(1);
  numbers(v, d.padValues);
}

template <typename V>
void visitOperation(V &v, CdpDescriptor &d) {
  numbers(v, d.inPrecision, d.outPrecision, d.lut);
  visit(v, d.inConverter);
  visit(v, d.outConverter);
  numbers(v, d.window, d.isSquareSumBypassed, d.isMulBypassed);
  v.skip(1);
}

template <typename V>
void visitOperation(V &v, RubikDescriptor &d) {
  numbers(v, d.mode, d.precision, d.strideX, d.strideY);
}

/// PDP, CDP and RUBIK have one input cube and one output cube.
template <typename V, typename D>
void visitSurfaces(V &v, D &d) {
  visit(v, d.source);
  visit(v, d.target);
}

template <typename V>
void visitOperation(V &v, BdmaDescriptor &d) {
  v.number(d.opTransfers);
  v.skip(2);
}

template <typename V>
void visitSurfaces(V &v, BdmaDescriptor &d) {
  numbers(v, d.sourceType, d.targetType, d.surfaceTransfers);
  for (BdmaTransfer &t : d.transfers) {
    numbers(v, t.source, t.target, t.lineBytes, t.lines, t.sourceLine, t.targetLine, t.surfaces,
            t.sourceSurface, t.targetSurface);
  }
}

template <typename V>
void visit(V &v, SlopeDescriptor &d) {
  numbers(v, d.scale, d.shift);
  v.skip(1);
}

template <typename V>
void visit(V &v, LutDescriptor &d) {
  numbers(v, d.le);
  numbers(v, d.lo);
  v.number(d.leOffset);
  v.skip(1);
  v.number(d.loOffset);
  v.skip(1);
  numbers(v, d.leStart, d.leEnd, d.loStart, d.loEnd);
  for (SlopeDescriptor *slope : {&d.leUnderflow, &d.leOverflow, &d.loUnderflow, &d.loOverflow}) {
    visit(v, *slope);
  }
  numbers(v, d.hybridPriority, d.underflowPriority, d.overflowPriority, d.method);
}

template <typename D>
llvm::Expected<D> read(Bytes bytes, const char *what) {
  D descriptor;
  DescriptorReader reader(bytes, CubeLayout::WithOffset);
  visit(reader, descriptor);
  if (reader.isShort) {
    return llvm::createStringError("a %s of %zu bytes is truncated", what, bytes.size());
  }
  return descriptor;
}

template <typename D>
std::vector<uint8_t> write(D descriptor) {
  DescriptorWriter writer(CubeLayout::WithOffset);
  visit(writer, descriptor);
  return std::move(writer.bytes);
}

EngineDescriptor makeDescriptor(Engine engine) {
  switch (engine) {
  case Engine::Bdma:
    return BdmaDescriptor();
  case Engine::Conv:
    return ConvDescriptor();
  case Engine::Sdp:
    return SdpDescriptor();
  case Engine::Pdp:
    return PdpDescriptor();
  case Engine::Cdp:
    return CdpDescriptor();
  case Engine::Rubik:
    return RubikDescriptor();
  }
  return BdmaDescriptor();
}

std::vector<uint8_t> packOperation(EngineDescriptor descriptor, CubeLayout layout) {
  DescriptorWriter writer(layout);
  std::visit([&](auto &d) { visitOperation(writer, d); }, descriptor);
  return std::move(writer.bytes);
}

std::vector<uint8_t> packSurfaces(EngineDescriptor descriptor, CubeLayout layout) {
  DescriptorWriter writer(layout);
  std::visit([&](auto &d) { visitSurfaces(writer, d); }, descriptor);
  return std::move(writer.bytes);
}

} // namespace

const char *engineName(Engine engine) {
  static constexpr const char *kNames[] = {"BDMA", "CONV", "SDP", "PDP", "CDP", "RUBIK"};
  return unsigned(engine) < kEngineCount ? kNames[unsigned(engine)] : "unknown";
}

llvm::Expected<NetworkDescriptor> readNetwork(Bytes bytes) {
  return read<NetworkDescriptor>(bytes, "network descriptor");
}
llvm::Expected<DependencyDescriptor> readDependency(Bytes bytes) {
  return read<DependencyDescriptor>(bytes, "dependency descriptor");
}
llvm::Expected<LutDescriptor> readLut(Bytes bytes) {
  return read<LutDescriptor>(bytes, "look-up table");
}

llvm::Expected<EngineDescriptor> readEngine(Engine engine, Bytes operation, Bytes surfaces,
                                            CubeLayout layout) {
  if (unsigned(engine) >= kEngineCount) {
    return llvm::createStringError("expects an operation type from 0 to 5, got %u",
                                   unsigned(engine));
  }
  EngineDescriptor descriptor = makeDescriptor(engine);
  DescriptorReader operationReader(operation, layout), surfaceReader(surfaces, layout);
  std::visit(
      [&](auto &d) {
        visitOperation(operationReader, d);
        visitSurfaces(surfaceReader, d);
      },
      descriptor);
  if (operationReader.isShort || surfaceReader.isShort) {
    return llvm::createStringError("descriptors of %zu and %zu bytes are truncated for %s",
                                   operation.size(), surfaces.size(), engineName(engine));
  }
  return descriptor;
}

std::vector<uint8_t> writeNetwork(const NetworkDescriptor &network) { return write(network); }
std::vector<uint8_t> writeDependency(const DependencyDescriptor &dependency) {
  return write(dependency);
}
std::vector<uint8_t> writeLut(const LutDescriptor &lut) { return write(lut); }

std::vector<uint8_t> writeOperation(const EngineDescriptor &descriptor, CubeLayout layout) {
  std::vector<uint8_t> bytes = packOperation(descriptor, layout);
  bytes.resize(kOperationBytes);
  return bytes;
}

std::vector<uint8_t> writeSurfaces(const EngineDescriptor &descriptor, CubeLayout layout) {
  std::vector<uint8_t> bytes = packSurfaces(descriptor, layout);
  bytes.resize(kSurfaceBytes);
  return bytes;
}

size_t operationBytes(Engine engine) {
  return packOperation(makeDescriptor(engine), CubeLayout::WithOffset).size();
}
size_t surfaceBytes(Engine engine, CubeLayout layout) {
  return packSurfaces(makeDescriptor(engine), layout).size();
}

} // namespace convoy::nvdla
