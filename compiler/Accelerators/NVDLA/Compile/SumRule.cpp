// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a requantization to SDP stages. Operands have 16 bits, so a 32-bit bias takes two
// stages: X1 adds its high half, shifted, and X2 adds its low half and multiplies. The offset of
// the output converter adds the zero point after all rounding. A lower bound that equals the zero
// point is a relu.

#include "Accelerators/NVDLA/Compile/SumRule.h"
#include "Graph/Constant.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

constexpr int64_t kHalfBits = 16;

/// A stage and its operands.
struct Stage {
  Alu alu = Alu::None;
  bool hasMul = false;
  int64_t shift = 0, truncate = 0;
  bool hasRelu = false;
  /// One entry for a register operand, or one entry per kernel.
  std::vector<int64_t> aluOperands = {0}, mulOperands = {0};

  bool isPerKernel() const { return aluOperands.size() > 1 || mulOperands.size() > 1; }
};

int64_t lowHalf(int64_t value) { return static_cast<int16_t>(value); }

/// Returns whether the lower bound is a relu before the zero point is added.
bool isRelu(const SumRule &rule) { return rule.low == rule.zero && rule.low > -128; }

std::vector<Stage> makeStages(const SumRule &rule) {
  bool isWide = llvm::any_of(rule.bias, [](int64_t b) { return !llvm::isInt<16>(b); });
  bool hasBias = llvm::any_of(rule.bias, [](int64_t b) { return b != 0; });
  std::vector<Stage> stages;
  Stage last;
  last.alu = hasBias ? Alu::Sum : Alu::None;
  last.aluOperands = hasBias ? rule.bias : std::vector<int64_t>{0};
  if (isWide) {
    Stage high;
    high.alu = Alu::Sum;
    high.shift = kHalfBits;
    high.aluOperands.clear();
    for (int64_t &bias : last.aluOperands) {
      high.aluOperands.push_back((bias - lowHalf(bias)) >> kHalfBits);
      bias = lowHalf(bias);
    }
    stages.push_back(high);
  }
  bool isScaled = rule.multipliers.size() > 1 || rule.multipliers[0] != 1;
  last.hasMul = isScaled;
  last.mulOperands = isScaled ? rule.multipliers : std::vector<int64_t>{0};
  last.truncate = rule.shift;
  last.hasRelu = isRelu(rule);
  bool isNothing = !hasBias && !isScaled && rule.shift == 0 && !last.hasRelu;
  if (!isNothing) {
    stages.push_back(last);
  }
  return stages;
}

/// Returns stages for the bounds that neither a relu before them nor saturation enforces. `zero`
/// has been subtracted from the numbers.
std::vector<Stage> makeClamps(const SumRule &rule, int64_t zero, bool hasRelu) {
  std::vector<Stage> stages;
  auto add = [&](Alu alu, int64_t bound) {
    Stage stage;
    stage.alu = alu;
    stage.aluOperands = {bound - zero};
    stages.push_back(stage);
  };
  if (rule.low > -128 && !hasRelu) {
    add(Alu::Max, rule.low);
  }
  if (rule.high < 127) {
    add(Alu::Min, rule.high);
  }
  return stages;
}

/// Returns the operands as a tensor C x 1 or C x 2 of 16 bits, ALU operand first.
Value operandsOf(OpBuilder &builder, Location loc, const Stage &stage) {
  bool hasBoth = stage.alu != Alu::None && stage.hasMul;
  size_t count = std::max(stage.aluOperands.size(), stage.mulOperands.size());
  Tensor tensor(ElementType::I16, {static_cast<int64_t>(count), hasBoth ? 2 : 1});
  int64_t next = 0;
  for (size_t c = 0; c < count; ++c) {
    auto put = [&](const std::vector<int64_t> &values) {
      tensor.setInt(next++, values[values.size() == 1 ? 0 : c]);
    };
    if (stage.alu != Alu::None) {
      put(stage.aluOperands);
    }
    if (stage.hasMul) {
      put(stage.mulOperands);
    }
  }
  return graph::constant(builder, loc, tensor);
}

StageAttr attrOf(MLIRContext *context, const Stage &stage) {
  bool isPerKernel = stage.isPerKernel();
  return StageAttr::get(context, stage.alu, stage.hasMul, isPerKernel ? 0 : stage.aluOperands[0],
                        isPerKernel ? 0 : stage.mulOperands[0], stage.shift, stage.truncate,
                        stage.hasRelu,
                        isPerKernel ? OperandSource::Kernel : OperandSource::Register);
}

Value emitSdp(OpBuilder &builder, Location loc, Value source, ArrayRef<Stage> stages,
              int64_t offset, Type result) {
  Value data[2];
  StageAttr attrs[2];
  for (auto [i, stage] : llvm::enumerate(stages)) {
    data[i] = stage.isPerKernel() ? operandsOf(builder, loc, stage) : Value();
    attrs[i] = attrOf(builder.getContext(), stage);
  }
  return builder.create<SdpOp>(loc, result, source, data[0], data[1], /*table=*/Value(), attrs[0],
                               attrs[1], offset, /*scale=*/1, /*shift=*/0, /*toPdp=*/false,
                               CurveKindAttr());
}

/// Applies bounds to stored numbers.
Value emitClamps(OpBuilder &builder, Location loc, Value source, const SumRule &rule,
                 bool hasRelu) {
  std::vector<Stage> clamps = makeClamps(rule, /*zero=*/0, hasRelu);
  return clamps.empty() ? source
                        : emitSdp(builder, loc, source, clamps, /*offset=*/0, source.getType());
}

} // namespace

std::string makeRule(convcore::RequantAttr requant, int64_t storedBy, SumRule &rule) {
  if (!requant || !requant.getType().isInteger(8)) {
    return "the device does not write 32-bit sums; the result needs a requantization";
  }
  if (requant.getRounding() != convcore::Rounding::HalfAway) {
    return "the device supports only round half away from zero";
  }
  rule.shift = *std::max_element(requant.getShifts().begin(), requant.getShifts().end());
  rule.multipliers.clear();
  for (auto [multiplier, shift] : llvm::zip(requant.getMultipliers(), requant.getShifts())) {
    int64_t spread = rule.shift - shift;
    int64_t scaled = spread > 15 ? INT64_MAX : multiplier << spread;
    if (!llvm::isInt<16>(multiplier == 0 ? 0 : scaled)) {
      return llvm::formatv("the device supports one shift for all channels and 15-bit multipliers; "
                           "{0} / 2^{1} needs the multiplier {2} at shift {3}",
                           multiplier, shift, scaled, rule.shift)
          .str();
    }
    rule.multipliers.push_back(multiplier == 0 ? 0 : scaled);
  }
  rule.zero = requant.getZeroPoint() - storedBy;
  rule.low = requant.getLow() - storedBy;
  rule.high = requant.getHigh() - storedBy;
  return "";
}

Value buildSdp(OpBuilder &builder, Location loc, Value source, const SumRule &rule, Type result) {
  std::vector<Stage> stages = makeStages(rule);
  std::vector<Stage> clamps = makeClamps(rule, rule.zero, isRelu(rule));
  bool isOne = stages.size() + clamps.size() <= 2;
  if (isOne) {
    stages.insert(stages.end(), clamps.begin(), clamps.end());
  }
  Value value = emitSdp(builder, loc, source, stages, -rule.zero, result);
  return isOne ? value : emitClamps(builder, loc, value, rule, isRelu(rule));
}

bool isSimple(const SumRule &rule) {
  return makeStages(rule).size() <= 1 && rule.bias.size() == 1 && rule.multipliers.size() == 1;
}

/// Builds the SDP op for source + addend * 2^shift: X2 applies the rule.
static Value buildShiftedSum(OpBuilder &builder, Location loc, const ScaledTerms &terms,
                             StageAttr element, const SumRule &rule, Type result) {
  std::vector<Stage> stages = makeStages(rule);
  StageAttr scale = stages.empty() ? StageAttr() : attrOf(builder.getContext(), stages[0]);
  return builder.create<SdpOp>(loc, result, terms.source, terms.addend, /*x2Data=*/Value(),
                               /*table=*/Value(), element, scale, -rule.zero, /*scale=*/1,
                               /*shift=*/0, /*toPdp=*/false, CurveKindAttr());
}

Value buildSum(OpBuilder &builder, Location loc, const ScaledTerms &terms, const SumRule &rule,
               Type result) {
  MLIRContext *context = builder.getContext();
  auto elementStage = [&](bool hasRelu) {
    return StageAttr::get(context, Alu::Sum, /*mul=*/0, /*aluOperand=*/0, /*mulOperand=*/0,
                          terms.shift, /*truncate=*/0, hasRelu, OperandSource::Element);
  };
  if (terms.factor == 1 && isSimple(rule)) {
    Value sum = buildShiftedSum(builder, loc, terms, elementStage(/*hasRelu=*/false), rule, result);
    return emitClamps(builder, loc, sum, rule, isRelu(rule));
  }
  Stage factor;
  factor.hasMul = true;
  factor.mulOperands = {terms.factor};
  // The output converter adds the bias behind the stages.
  bool hasRelu = isRelu(rule) && rule.bias[0] == 0;
  Value sum = builder.create<SdpOp>(
      loc, result, terms.source, /*x1Data=*/Value(), terms.addend, /*table=*/Value(),
      attrOf(context, factor), elementStage(hasRelu), /*offset=*/-rule.bias[0],
      /*scale=*/rule.multipliers[0], rule.shift, /*toPdp=*/false, CurveKindAttr());
  return emitClamps(builder, loc, sum, rule, hasRelu);
}

Value buildCopy(OpBuilder &builder, Location loc, Value source, Type result) {
  return emitSdp(builder, loc, source, {}, /*offset=*/0, result);
}

} // namespace convoy::nvdla
