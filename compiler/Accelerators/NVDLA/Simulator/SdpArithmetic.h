// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes one element in one stage of SDP. Integers are bit-exact; fp16 mode computes in fp32.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"

namespace convoy::nvdla {

/// Applies stage X1 or X2: ALU, MUL, shift, ReLU. Uses the low 16 bits of operands.
int32_t applyX(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand);
float applyX(const SdpStage &stage, float value, float aluOperand, float mulOperand);

/// Applies stage Y without its table: MUL, then ALU.
int32_t applyY(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand);
float applyY(const SdpStage &stage, float value, float aluOperand, float mulOperand);

/// Applies the output converter: saturates to 17 bits, then to the type. Sets `isSaturated` if the
/// type saturates.
int32_t convertOutput(const Converter &converter, int32_t value, Precision precision,
                      bool *isSaturated = nullptr);

} // namespace convoy::nvdla
