// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs both operations in single precision on fp16 or int8 cubes. A scale converts int8 to float
// and back.

#include "Accelerators/NVDLA/Loadable/Emulator.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Support/TypedError.h"
#include <cmath>

namespace convoy::nvdla {
namespace {

/// Returns the precision of a buffer; the runtime's buffer formats have the same numbers as
/// precisions.
llvm::Expected<Precision> precisionOf(const EmulatorBuffer &buffer) {
  if (buffer.format == uint16_t(Precision::Fp16) || buffer.format == uint16_t(Precision::Int8)) {
    return Precision(buffer.format);
  }
  return createUnsupported("emulator buffers of format %u are not supported; int8 and fp16 "
                           "are",
                           buffer.format);
}

llvm::Expected<Surface> locate(const EmulatorBuffer &buffer, Precision precision, Places places,
                               uint32_t atomBytes) {
  llvm::Expected<Place> place = places(buffer.address);
  if (!place) {
    return place.takeError();
  }
  uint64_t lanes = atomBytes / bytesPerElement(precision);
  uint64_t surfaces = (buffer.channel + lanes - 1) / lanes;
  uint64_t end = (std::max<uint64_t>(surfaces, 1) - 1) * buffer.surfaceStride +
                 (std::max<uint64_t>(buffer.height, 1) - 1) * buffer.lineStride +
                 uint64_t(buffer.width) * atomBytes;
  if (buffer.offset > place->bytes || end > place->bytes - buffer.offset) {
    return llvm::createStringError("an emulator buffer exceeds the memory at address %d",
                                   buffer.address);
  }
  return Surface{place->address + buffer.offset, place->port, buffer.lineStride,
                 buffer.surfaceStride};
}

void applyPower(const EmulatorOp &op, std::vector<float> &values) {
  for (float &value : values) {
    float base = op.scale * value + op.shift;
    value = op.power == 1 ? base : std::pow(base, op.power);
  }
}

/// Applies softmax over the channels of each pixel; lanes past the last channel become zero.
void applySoftmax(const Stream &cube, std::vector<float> &values) {
  for (size_t at = 0; at < values.size(); at += cube.paddedChannels) {
    float largest = values[at], sum = 0;
    for (uint32_t c = 0; c < cube.size.channels; ++c) {
      largest = std::max(largest, values[at + c]);
    }
    for (uint32_t c = 0; c < cube.size.channels; ++c) {
      values[at + c] = std::exp(values[at + c] - largest);
      sum += values[at + c];
    }
    for (uint32_t c = 0; c < cube.paddedChannels; ++c) {
      values[at + c] = c < cube.size.channels ? values[at + c] / sum : 0;
    }
  }
}

} // namespace

llvm::Error runEmulatorOp(const EmulatorOp &op, Places places, const Machine &machine) {
  llvm::Expected<Precision> in = precisionOf(op.source), out = precisionOf(op.target);
  if (!in || !out) {
    return llvm::joinErrors(in.takeError(), out.takeError());
  }
  CubeSize size = {op.source.width, op.source.height, op.source.channel};
  if (op.target.width != size.width || op.target.height != size.height ||
      op.target.channel != size.channels) {
    return llvm::createStringError(
        "the output of an emulator operation differs in size from its input");
  }
  llvm::Expected<Surface> source = locate(op.source, *in, places, machine.config.atomBytes);
  if (!source) {
    return source.takeError();
  }
  llvm::Expected<Surface> target = locate(op.target, *out, places, machine.config.atomBytes);
  if (!target) {
    return target.takeError();
  }
  llvm::Expected<Stream> cube = readCube(*source, size, *in, machine);
  if (!cube) {
    return cube.takeError();
  }
  std::vector<float> values = std::move(cube->floats);
  for (int32_t value : cube->ints) {
    values.push_back(float(value) * op.inputScale);
  }
  if (op.type == EmulatorOp::Type::Power) {
    applyPower(op, values);
  } else {
    applySoftmax(*cube, values);
  }
  llvm::Expected<Stream> result = makeStream(size, *out == Precision::Fp16, machine.config);
  if (!result) {
    return result.takeError();
  }
  if (*out == Precision::Fp16) {
    result->floats = std::move(values);
  } else {
    for (size_t i = 0; i < values.size(); ++i) {
      float scaled = std::nearbyint(values[i] / op.outputScale);
      result->ints[i] = int32_t(std::fmax(-128.0F, std::fmin(127.0F, scaled)));
    }
  }
  writeCube(*result, *target, *out, machine);
  return llvm::Error::success();
}

} // namespace convoy::nvdla
