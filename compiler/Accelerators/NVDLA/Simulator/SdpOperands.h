// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What BRDMA, NRDMA and ERDMA bring for one stage of SDP.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// Operands of one stage, in the order of a stream, or of one pixel when they are per kernel.
class StageOperands {
public:
  /// Reads memory for a stage that uses it; a stage of registers only is free.
  static llvm::Expected<StageOperands> fetch(const SdpStage &stage, const SdpJob &job,
                                             const Machine &machine);

  /// Operand of element `index` of the stream, whose channel is `channel`; for integers.
  int32_t alu(size_t index, size_t channel) const { return pick(aluInts, index, channel); }
  int32_t mul(size_t index, size_t channel) const { return pick(mulInts, index, channel); }
  float aluFloat(size_t index, size_t channel) const { return pick(aluFloats, index, channel); }
  float mulFloat(size_t index, size_t channel) const { return pick(mulFloats, index, channel); }

private:
  template <typename T>
  T pick(const std::vector<T> &values, size_t index, size_t channel) const {
    return values.size() == 1 ? values[0] : values[isPerElement ? index : channel];
  }
  void readAtom(const SdpStage &stage, const SdpJob &job, const Machine &machine, uint64_t address,
                size_t index, uint32_t count);

  std::vector<int32_t> aluInts, mulInts;
  std::vector<float> aluFloats, mulFloats;
  bool isPerElement = false;
};

} // namespace convoy::nvdla
