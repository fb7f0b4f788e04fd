// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the operands of SDP stages. Operands are stored in atoms of as many elements as the data
// has, with one or two bytes each. The ALU and MUL operands of one element are adjacent, ALU first.
// Operands per kernel are contiguous; strides are ignored.

#include "Accelerators/NVDLA/Simulator/SdpOperands.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Support/TypedError.h"

namespace convoy::nvdla {
namespace {

/// Converts an operand of stage Y; stage X has no converter and leaves it disabled.
int32_t convertOperand(const Converter &converter, int32_t value) {
  return converter.isEnabled
             ? int32_t(saturate(convertValue(value, converter.offset, converter.scale,
                                             int(converter.shift & 63)),
                                32))
             : value;
}

llvm::Error checkStage(const SdpStage &stage, const SdpJob &job) {
  if (job.precision != Precision::Fp16) {
    return llvm::Error::success();
  }
  for (const Converter &converter : {stage.aluConverter, stage.mulConverter}) {
    if (converter.isEnabled && (converter.offset != 0 || converter.scale != 1 || converter.shift)) {
      return createUnsupported("not supported by the simulator: operand converters of SDP "
                               "that change fp16 values");
    }
  }
  return llvm::Error::success();
}

} // namespace

void StageOperands::readAtom(const SdpStage &stage, const SdpJob &job, const Machine &machine,
                             uint64_t address, size_t index, uint32_t count) {
  bool isBoth = stage.operands.use == SdpOperands::Use::Both;
  uint32_t bytes = stage.operands.isTwoBytes ? 2 : 1;
  std::vector<uint8_t> atom(size_t(count) * bytes * (isBoth ? 2 : 1));
  machine.memory.read(stage.operands.source.port, address, atom);
  const uint8_t *at = atom.data();
  auto take = [&](std::vector<int32_t> &ints, std::vector<float> &floats, size_t i,
                  const Converter &converter) {
    uint16_t bits = bytes == 2 ? uint16_t(at[0] | at[1] << 8) : uint16_t(int8_t(at[0]));
    at += bytes;
    if (job.precision == Precision::Fp16) {
      floats[i] = halfToFloat(bits);
    } else {
      ints[i] = convertOperand(converter, int16_t(bits));
    }
  };
  for (uint32_t lane = 0; lane < count; ++lane) {
    if (stage.operands.use != SdpOperands::Use::Mul) {
      take(aluInts, aluFloats, index + lane, stage.aluConverter);
    }
    if (stage.operands.use != SdpOperands::Use::Alu) {
      take(mulInts, mulFloats, index + lane, stage.mulConverter);
    }
  }
}

llvm::Expected<StageOperands> StageOperands::fetch(const SdpStage &stage, const SdpJob &job,
                                                   const Machine &machine) {
  StageOperands result;
  result.aluInts = {stage.aluOperand};
  result.mulInts = {stage.mulOperand};
  result.aluFloats = {halfToFloat(uint16_t(stage.aluOperand))};
  result.mulFloats = {halfToFloat(uint16_t(stage.mulOperand))};
  if (stage.isBypassed || !(stage.isAluFromMemory || stage.isMulFromMemory)) {
    return result;
  }
  if (llvm::Error error = checkStage(stage, job)) {
    return error;
  }
  const SdpOperands &operands = stage.operands;
  result.isPerElement = operands.isPerElement;
  uint32_t padded = paddedChannels(machine.config, job.size.channels);
  CubeSize size = operands.isPerElement ? job.size : CubeSize{1, 1, job.size.channels};
  size_t count = size_t(size.width) * size.height * padded;
  if (stage.isAluFromMemory) {
    result.aluInts.assign(count, 0);
    result.aluFloats.assign(count, 0);
  }
  if (stage.isMulFromMemory) {
    result.mulInts.assign(count, 0);
    result.mulFloats.assign(count, 0);
  }
  // The operand that the stage does not use is read into a separate vector.
  StageOperands all = result;
  for (auto *ints : {&all.aluInts, &all.mulInts}) {
    ints->resize(count);
  }
  for (auto *floats : {&all.aluFloats, &all.mulFloats}) {
    floats->resize(count);
  }
  uint32_t atomLanes = lanes(machine.config, job.precision);
  uint32_t elementBytes =
      (operands.isTwoBytes ? 2 : 1) * (operands.use == SdpOperands::Use::Both ? 2 : 1);
  uint64_t atomBytes = uint64_t(atomLanes) * elementBytes;
  for (uint32_t c = 0; c < size.channels; c += atomLanes) {
    uint64_t surface =
        operands.source.address +
        c / atomLanes * (operands.isPerElement ? operands.source.surfaceStride : atomBytes);
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        all.readAtom(stage, job, machine, surface + y * operands.source.lineStride + x * atomBytes,
                     (size_t(y) * size.width + x) * padded + c, atomLanes);
      }
    }
  }
  if (stage.isAluFromMemory) {
    result.aluInts = std::move(all.aluInts);
    result.aluFloats = std::move(all.aluFloats);
  }
  if (stage.isMulFromMemory) {
    result.mulInts = std::move(all.mulInts);
    result.mulFloats = std::move(all.mulFloats);
  }
  return result;
}

} // namespace convoy::nvdla
