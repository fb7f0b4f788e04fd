// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element through one stage of SDP. Integers follow the hardware bit by bit; fp16 mode
// computes in fp32.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// Stages X1 and X2: ALU, MUL, shift, ReLU. Operands count with their low 16 bits.
int32_t applyX(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand);
float applyX(const SdpStage &stage, float value, float aluOperand, float mulOperand);

/// Stage Y without its table: MUL, then ALU.
int32_t applyY(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand);
float applyY(const SdpStage &stage, float value, float aluOperand, float mulOperand);

/// The output converter: 17 bits, then those of the type. `isSaturated` is set when the type cut.
int32_t convertOutput(const Converter &converter, int32_t value, Precision precision,
                      bool *isSaturated = nullptr);

} // namespace convoy::nvdla
