// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of SDP's stages.

#include "Accelerators/NVDLA/Simulator/SdpArithmetic.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include <cmath>

namespace convoy::nvdla {
namespace {

template <typename T>
T applyAlu(AluOp op, T a, T b) {
  switch (op) {
  case AluOp::Max:
    return a > b ? a : b;
  case AluOp::Min:
    return a < b ? a : b;
  case AluOp::Sum:
    return a + b;
  case AluOp::Equal:
    return a == b ? T(0) : T(1);
  }
  return a;
}

/// Stage X has no comparison for equality: its fourth code is a sum.
AluOp xOp(AluOp op) { return op == AluOp::Equal ? AluOp::Sum : op; }

} // namespace

int32_t applyX(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand) {
  if (stage.isBypassed) {
    return value;
  }
  int64_t wide = value; // 33 bits after the ALU
  if (!stage.isAluBypassed) {
    int64_t operand = saturate(Wide(int16_t(aluOperand)) * (Wide(1) << (stage.aluShift & 63)), 32);
    wide = applyAlu<int64_t>(xOp(stage.alu), wide, operand);
  }
  int64_t result;
  if (!stage.isMulBypassed && stage.isPrelu && wide >= 0) {
    result = int32_t(uint32_t(wide)); // no multiplication and no shift; wraps around
  } else {
    Wide product = stage.isMulBypassed ? Wide(wide) : Wide(wide) * int16_t(mulOperand);
    // The shift applies even without the multiplication.
    result = saturate(roundShift(product, int(stage.mulShift & 63)), 32);
  }
  return int32_t(stage.isReluBypassed ? result : std::max<int64_t>(result, 0));
}

float applyX(const SdpStage &stage, float value, float aluOperand, float mulOperand) {
  if (stage.isBypassed) {
    return value;
  }
  if (!stage.isAluBypassed) {
    value = applyAlu(xOp(stage.alu), value, aluOperand);
  }
  if (!stage.isMulBypassed && !(stage.isPrelu && value >= 0)) {
    value *= mulOperand;
  }
  return stage.isReluBypassed || value > 0 ? value : 0.0F;
}

int32_t applyY(const SdpStage &stage, int32_t value, int32_t aluOperand, int32_t mulOperand) {
  if (stage.isBypassed) {
    return value;
  }
  int64_t wide = value;
  // Unlike in stage X, the shift applies only with the multiplication.
  if (!stage.isMulBypassed && !(stage.isPrelu && wide >= 0)) {
    wide = saturate(roundShift(Wide(wide) * mulOperand, int(stage.mulShift & 1023)), 32);
  }
  if (!stage.isAluBypassed) {
    wide = saturate(applyAlu<int64_t>(stage.alu, wide, aluOperand), 32);
  }
  return int32_t(wide);
}

float applyY(const SdpStage &stage, float value, float aluOperand, float mulOperand) {
  if (stage.isBypassed) {
    return value;
  }
  if (!stage.isMulBypassed && !(stage.isPrelu && value >= 0)) {
    value *= mulOperand;
  }
  return stage.isAluBypassed ? value : applyAlu(stage.alu, value, aluOperand);
}

int32_t convertOutput(const Converter &converter, int32_t value, Precision precision,
                      bool *isSaturated) {
  int64_t wide = saturate(
      convertValue(value, converter.offset, converter.scale, int(converter.shift & 63)), 17);
  if (precision == Precision::Fp16) {
    return int32_t(wide);
  }
  int64_t narrow = saturate(wide, bitsPerElement(precision));
  if (isSaturated) {
    *isSaturated = narrow != wide;
  }
  return int32_t(narrow);
}

} // namespace convoy::nvdla
