// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the descriptors of cubes from their places, and collects the operations of the task.

#include "Accelerators/NVDLA/Compile/TaskWriter.h"
#include "Graph/NodeName.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

static constexpr int16_t kConstants = 1; // memory ids; 0 is the builder's dummy
static constexpr int16_t kActivations = 2;

uint8_t pixelFormatOf(int64_t samples, Precision precision) {
  bool isHalf = precision == Precision::Fp16;
  return samples == 1 ? (isHalf ? 5 : 0) : (isHalf ? 8 : 16);
}

CubeDescriptor streamOf(int64_t width, int64_t height, int64_t channels) {
  CubeDescriptor cube;
  cube.width = uint16_t(width);
  cube.height = uint16_t(height);
  cube.channel = uint16_t(channels);
  return cube;
}

CubeDescriptor TaskWriter::planesAt(Value planes, int64_t offset) const {
  CubeDescriptor cube;
  cube.type = CubeDescriptor::Dram;
  cube.address = kActivations;
  cube.offset = uint32_t(places.buffer(places[planes].buffer).offset +
                         offset * bytesPerElement(precisionOf(planes.getType())));
  return cube;
}

CubeDescriptor TaskWriter::cubeOfPart(Value value, const CubePart &part) const {
  const CubePlace &place = places[value];
  const CubeBuffer &buffer = places.buffer(place.buffer);
  int64_t lanes = lanesOf(config, precisionOf(value.getType()));
  CubeDescriptor cube;
  cube.type = CubeDescriptor::Dram;
  cube.address = buffer.kind == CubeBuffer::Kind::Activation ? kActivations
                 : buffer.kind == CubeBuffer::Kind::Input
                     ? int16_t(kActivations + 1 + buffer.index)
                     : int16_t(kActivations + 1 + inputs + buffer.index);
  cube.offset =
      uint32_t(buffer.offset + place.offset + part.firstChannel / lanes * place.surfaceStride +
               part.firstRow * place.lineStride);
  cube.width = uint16_t(place.size.width);
  cube.height = uint16_t(part.rows);
  cube.channel = uint16_t(part.channels);
  cube.lineStride = uint32_t(place.lineStride);
  cube.surfaceStride = uint32_t(place.surfaceStride);
  cube.size = uint32_t(llvm::divideCeil(uint64_t(part.channels), uint64_t(lanes)) *
                       uint64_t(part.rows) * place.size.width * config.atomBytes);
  return cube;
}

CubePart TaskWriter::wholeOf(Value value) const {
  const CubeSize &size = places[value].size;
  return {0, size.channels, 0, size.height};
}

CubeDescriptor TaskWriter::constantCube(std::vector<uint8_t> bytes, uint32_t alignment) {
  CubeDescriptor cube;
  cube.type = CubeDescriptor::Dram;
  cube.address = kConstants;
  cube.size = uint32_t(bytes.size());
  cube.offset = constants.add(std::move(bytes), alignment);
  return cube;
}

void TaskWriter::beginLayer(Location loc) {
  std::string name = graph::nodeText(loc);
  layers.push_back(name.empty() ? "layer" : name);
}

size_t TaskWriter::addOp(const EngineDescriptor &descriptor) {
  HardwareOp op;
  op.descriptor = descriptor;
  task.ops.push_back(op);
  return task.ops.size() - 1;
}

void TaskWriter::addGroup(std::vector<size_t> ops) {
  groups.push_back({std::move(ops), layers.size() - 1});
}

} // namespace convoy::nvdla
