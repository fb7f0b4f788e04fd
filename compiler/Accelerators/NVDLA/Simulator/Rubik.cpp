// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUBIK: contract distributes groups of channels over a grid of pixels, which is the last step of a
// deconvolution. Split and merge convert a feature cube to planes and back.
//
//   contract, stride 2 x 1:   channels a b of pixel x   ->   channel a at 2x, b at 2x + 1

#include "Accelerators/NVDLA/Simulator/Cube.h"

namespace convoy::nvdla {
namespace {

llvm::Error contract(const RubikJob &job, const Machine &machine) {
  uint32_t cells = job.strideX * job.strideY;
  if (cells == 0 || job.strideX > 32 || job.strideY > 32 || job.input.channels % cells != 0) {
    return llvm::createStringError("RUBIK distributes %u channels over %u x %u pixels; the "
                                   "channels must be a multiple of the pixels",
                                   job.input.channels, job.strideX, job.strideY);
  }
  llvm::Expected<Stream> in = readCube(job.source, job.input, job.precision, machine);
  if (!in) {
    return in.takeError();
  }
  CubeSize size = {job.input.width * job.strideX, job.input.height * job.strideY,
                   job.input.channels / cells};
  llvm::Expected<Stream> out = makeStream(size, in->isFloat, machine.config);
  if (!out) {
    return out.takeError();
  }
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      uint32_t cell = (y % job.strideY) * job.strideX + x % job.strideX;
      size_t from =
          (size_t(y / job.strideY) * job.input.width + x / job.strideX) * in->paddedChannels +
          size_t(cell) * size.channels;
      size_t to = (size_t(y) * size.width + x) * out->paddedChannels;
      for (uint32_t c = 0; c < size.channels; ++c) {
        if (in->isFloat) {
          out->floats[to + c] = in->floats[from + c];
        } else {
          out->ints[to + c] = in->ints[from + c];
        }
      }
    }
  }
  writeCube(*out, job.target, job.precision, machine);
  return llvm::Error::success();
}

/// Copies element (c, y, x) between a cube and plane c, line y, element x. Splits if `toPlanes`,
/// otherwise merges.
llvm::Error reorder(const RubikJob &job, const Machine &machine, bool toPlanes) {
  uint32_t bytes = bytesPerElement(job.precision), atom = lanes(machine.config, job.precision);
  const Surface &cube = toPlanes ? job.source : job.target;
  const Surface &planes = toPlanes ? job.target : job.source;
  uint64_t planeStride = toPlanes ? job.targetPlaneStride : job.sourcePlaneStride;
  // makeStream checks the size of the cube.
  llvm::Expected<Stream> probe = makeStream(job.input, false, machine.config);
  if (!probe) {
    return probe.takeError();
  }
  uint8_t buffer[2];
  llvm::MutableArrayRef<uint8_t> element(buffer, bytes);
  for (uint32_t c = 0; c < job.input.channels; ++c) {
    for (uint32_t y = 0; y < job.input.height; ++y) {
      for (uint32_t x = 0; x < job.input.width; ++x) {
        uint64_t inCube = cube.address + c / atom * cube.surfaceStride + y * cube.lineStride +
                          uint64_t(x) * machine.config.atomBytes + c % atom * bytes;
        uint64_t inPlane =
            planes.address + c * planeStride + y * planes.lineStride + uint64_t(x) * bytes;
        machine.memory.read(toPlanes ? cube.port : planes.port, toPlanes ? inCube : inPlane,
                            element);
        machine.memory.write(toPlanes ? planes.port : cube.port, toPlanes ? inPlane : inCube,
                             element);
      }
    }
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error runRubik(const RubikJob &job, const Machine &machine) {
  llvm::Error error = job.mode == RubikJob::Mode::Contract
                          ? contract(job, machine)
                          : reorder(job, machine, job.mode == RubikJob::Mode::Split);
  return error ? std::move(error) : machine.memory.takeFault();
}

} // namespace convoy::nvdla
