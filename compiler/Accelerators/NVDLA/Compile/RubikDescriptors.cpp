// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the descriptors of RUBIK. Contract mode moves whole atoms, so both cubes have the
// channels of whole atoms.

#include "Accelerators/NVDLA/Compile/RubikDescriptors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

static RubikDescriptor describe(RubikJob::Mode mode, Value value) {
  RubikDescriptor d;
  d.mode = uint8_t(mode);
  d.precision = uint8_t(precisionOf(value.getType()));
  return d;
}

RubikDescriptor describeContract(ContractOp op, const TaskWriter &writer) {
  RubikDescriptor d = describe(RubikJob::Mode::Contract, op);
  ArrayRef<int64_t> strides = op.getStrides();
  d.strideY = uint8_t(strides[0]);
  d.strideX = uint8_t(strides[1]);
  CubePart from = writer.wholeOf(op.getInput()), to = writer.wholeOf(op);
  int64_t lanes = lanesOf(writer.config, precisionOf(op.getType()));
  to.channels = int64_t(llvm::alignTo(uint64_t(to.channels), uint64_t(lanes)));
  from.channels = to.channels * strides[0] * strides[1];
  d.source = writer.cubeOfPart(op.getInput(), from);
  d.target = writer.cubeOfPart(op, to);
  return d;
}

/// Returns the descriptors of the jobs between a cube and planes.
template <typename OpT>
static std::vector<RubikDescriptor> describePlanes(OpT op, RubikJob::Mode mode, Value cube,
                                                   Value planes, const TaskWriter &writer) {
  std::vector<RubikDescriptor> jobs;
  auto channels = static_cast<int64_t>(op.getChannels());
  uint32_t bytes = bytesPerElement(precisionOf(cube.getType()));
  CubePart part = writer.wholeOf(cube);
  part.channels = channels;
  for (int64_t offset : op.getOffsets()) {
    RubikDescriptor d = describe(mode, cube);
    CubeDescriptor own = writer.cubeOfPart(cube, part);
    CubeDescriptor plane = writer.planesAt(planes, offset);
    plane.width = own.width;
    plane.height = own.height;
    plane.channel = own.channel;
    plane.lineStride = uint32_t(op.getLineStep()) * bytes;
    plane.planeStride = uint32_t(op.getPlaneStep()) * bytes;
    plane.size = uint32_t(channels) * plane.planeStride;
    d.source = mode == RubikJob::Mode::Split ? own : plane;
    d.target = mode == RubikJob::Mode::Split ? plane : own;
    jobs.push_back(d);
    part.firstChannel += channels;
  }
  return jobs;
}

std::vector<RubikDescriptor> describeTurn(TurnOp op, const TaskWriter &writer) {
  std::vector<RubikDescriptor> jobs;
  Value first = op.getToLast() ? op.getInput() : op.getResult();
  Value last = op.getToLast() ? op.getResult() : op.getInput();
  CubeDescriptor atoms = writer.cubeOfPart(first, writer.wholeOf(first));
  CubeDescriptor rows = writer.cubeOfPart(last, writer.wholeOf(last));
  auto lanes = uint32_t(lanesOf(writer.config, precisionOf(op.getType())));
  uint32_t atomBytes = writer.config.atomBytes;
  for (uint32_t channel = 0; channel < atoms.channel; channel += lanes) {
    for (uint32_t column = 0; column < std::min<uint32_t>(atoms.width, 2); ++column) {
      RubikDescriptor d =
          describe(op.getToLast() ? RubikJob::Mode::Merge : RubikJob::Mode::Split, op);
      CubeDescriptor planes = atoms, cube = rows;
      planes.offset += channel / lanes * atoms.surfaceStride + column * atomBytes;
      planes.planeStride = atoms.lineStride;
      planes.lineStride = 2 * atomBytes;
      cube.offset += channel * atomBytes + column * rows.lineStride;
      cube.lineStride = 2 * rows.lineStride;
      planes.width = cube.width = uint16_t(std::min(lanes, atoms.channel - channel));
      planes.height = cube.height = uint16_t((atoms.width - column + 1) / 2);
      planes.channel = cube.channel = atoms.height;
      d.source = op.getToLast() ? planes : cube;
      d.target = op.getToLast() ? cube : planes;
      jobs.push_back(d);
    }
  }
  return jobs;
}

std::vector<RubikDescriptor> describeSplit(SplitOp op, const TaskWriter &writer) {
  return describePlanes(op, RubikJob::Mode::Split, op.getInput(), op.getResult(), writer);
}

std::vector<RubikDescriptor> describeMerge(MergeOp op, const TaskWriter &writer) {
  return describePlanes(op, RubikJob::Mode::Merge, op.getResult(), op.getInput(), writer);
}

} // namespace convoy::nvdla
