// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands that BRDMA, NRDMA and ERDMA read for one stage of SDP.

#pragma once

#include "Accelerators/NVDLA/Simulator/Engines.h"

namespace convoy::nvdla {

/// The operands of one stage, in the order of a stream, or of one pixel if they are per kernel.
class StageOperands {
public:
  /// Reads the operands from memory if the stage uses memory operands.
  static llvm::Expected<StageOperands> fetch(const SdpStage &stage, const SdpJob &job,
                                             const Machine &machine);

  /// Return the operand of element `index` of the stream, whose channel is `channel`.
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
