// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans integer layers on CONV, SDP, PDP and CDP. CONV pads with the input's zero point, and the
// bias absorbs the contribution of the zero point to each sum (zero point times the sum of
// weights). A mean is a convolution with ones, because PDP would round twice. A layer that no unit
// supports is refused.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace convoy::nvdla {
namespace {

using accelerators::Refusal;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t greatest(int64_t padValue, int64_t own, int64_t sum, int64_t magnitude) {
  int64_t whole = own - padValue * sum;
  return std::max(255 * magnitude + std::abs(own), 128 * magnitude + std::abs(whole));
}

class IntegerPlanner {
public:
  IntegerPlanner(Operation *op, const NvdlaOptions &options) : op(op), options(options) {}

  PlannedLayer run() {
    bool isSupported = llvm::all_of(op->getOperands(), [&](Value operand) {
      return isWeight(operand) || checkActivation(operand);
    });
    if (isSupported && checkActivation(op->getResult(0))) {
      plan();
    }
    return refusal ? PlannedLayer(std::move(*refusal)) : PlannedLayer(std::move(layer));
  }

private:
  void plan() {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](convcore::ConvOp conv) { planConv(conv); })
        .Case([&](convcore::PoolOp pool) { planPool(pool); })
        .Case([&](convcore::EltwiseOp eltwise) { planEltwise(eltwise); })
        .Case([&](convcore::RequantizeOp requantize) { planRequantize(requantize); })
        .Case([&](convcore::IntegerLrnOp lrn) { planLrn(lrn); })
        .Case([&](convcore::LookupOp lookup) { planLookup(lookup); })
        .Default([&](Operation *) { refuse("the device does not support this op on integers"); });
  }

  void refuse(std::string reason, std::string remedy = "") {
    refusal = Refusal{std::move(reason), std::move(remedy), std::nullopt};
  }

  /// Refuses a layer that another quantization would make valid.
  void refuseNumbers(std::string reason) { refuse(std::move(reason), "quantize for this target"); }

  bool isWeight(Value operand) const {
    return isa<convcore::ConvOp, convcore::IntegerLrnOp, convcore::LookupOp>(op) &&
           operand != op->getOperand(0);
  }

  /// Refuses the layer if the units cannot read or write the value as a cube.
  bool checkActivation(Value value) {
    refusal = whyNotCube(op, value);
    return !refusal;
  }

  /// Returns whether the device supports the requantization; otherwise refuses the layer.
  bool readRule(convcore::RequantAttr requant, SumRule &rule) {
    std::string why = makeRule(requant, storedOffset(op->getResult(0).getType()), rule);
    if (!why.empty()) {
      refuseNumbers(why);
    }
    return why.empty();
  }

  void planConv(convcore::ConvOp conv) {
    std::optional<Tensor> weight = graph::constantValue(conv.getWeight());
    std::optional<Tensor> bias =
        conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt;
    if (!weight || storageBytes(weight->type()) != 1 || (conv.getBias() && !bias)) {
      return refuse("the device supports only constant weights of 8 bits and constant biases");
    }
    ConvPlan jobs;
    jobs.input = conv.getInput();
    jobs.strides.assign(conv.getStrides().begin(), conv.getStrides().end());
    jobs.pads.assign(conv.getPads().begin(), conv.getPads().end());
    jobs.dilations.assign(conv.getDilations().begin(), conv.getDilations().end());
    jobs.groups = static_cast<int64_t>(conv.getGroups());
    jobs.padValue =
        static_cast<int64_t>(conv.getInputZeroPoint()) - storedOffset(conv.getInput().getType());
    if (readRule(conv.getRequantAttr(), jobs.rule) &&
        setWeights(*weight, static_cast<int64_t>(conv.getWeightZeroPoint()), jobs) &&
        setBias(jobs, bias)) {
      finishConv(std::move(jobs));
    }
  }

  /// Subtracts the zero point from the weights; refuses the layer if a weight then exceeds 8 bits.
  bool setWeights(const Tensor &weight, int64_t zero, ConvPlan &jobs) {
    if (zero == 0 && weight.type() == ElementType::I8) {
      jobs.weight = weight;
      return true;
    }
    jobs.weight = Tensor(ElementType::I8, weight.shape());
    auto *to = jobs.weight.mutableData<int8_t>();
    for (int64_t i = 0; i < weight.size(); ++i) {
      int64_t value = weight.asInt(i) - zero;
      if (!llvm::isInt<8>(value)) {
        refuse(llvm::formatv("a weight is {0} without its zero point of {1}; the device supports "
                             "weights in [-128, 127]",
                             value, zero)
                   .str(),
               "use weights without a zero point");
        return false;
      }
      to[i] = static_cast<int8_t>(value);
    }
    return true;
  }

  /// Computes the bias including the contribution of the input's zero point. Sums must fit in 32
  /// bits, because the device saturates where the graph's integers wrap around.
  bool setBias(ConvPlan &jobs, const std::optional<Tensor> &bias) {
    int64_t kernels = jobs.weight.dim(0);
    int64_t taps = jobs.weight.size() / kernels;
    if (!bias && jobs.padValue == 0 && taps <= (1 << 15)) {
      return true;
    }
    const auto *weights = jobs.weight.data<int8_t>();
    jobs.rule.bias.assign(kernels, 0);
    for (int64_t k = 0; k < kernels; ++k) {
      int64_t sum = 0;
      int64_t magnitude = 0;
      for (int64_t i = 0; i < taps; ++i) {
        sum += weights[k * taps + i];
        magnitude += std::abs(int64_t(weights[k * taps + i]));
      }
      int64_t own = bias ? bias->asInt(k) : 0;
      int64_t most = greatest(jobs.padValue, own, sum, magnitude);
      if (most + (1 << 16) > INT32_MAX) {
        refuse(llvm::formatv("sums of output channel {0} may reach {1}, which exceeds 32 bits", k,
                             most)
                   .str());
        return false;
      }
      jobs.rule.bias[k] = own - jobs.padValue * sum;
    }
    if (llvm::all_equal(jobs.rule.bias)) {
      jobs.rule.bias.resize(1);
    }
    return true;
  }

  void finishConv(ConvPlan jobs) {
    ConvGeometry geometry;
    geometry.input = *cubeOf(jobs.input.getType());
    geometry.weight = jobs.weight.shape();
    geometry.strides = jobs.strides;
    geometry.pads = jobs.pads;
    geometry.dilations = jobs.dilations;
    geometry.groups = jobs.groups;
    geometry.output = *cubeOf(op->getResult(0).getType());
    layer.conv = shapeOf(geometry);
    refusal = whyNotShape(*layer.conv, geometry.pads, options);
    layer.jobs = std::move(jobs);
  }

  void planPool(convcore::PoolOp pool) {
    if (pool.getKind() == convcore::PoolKind::Average && !pool.getByAxis()) {
      return planMean(pool);
    }
    int64_t origin =
        static_cast<int64_t>(pool.getInputZeroPoint()) - storedOffset(pool.getInput().getType());
    if (pool.getByAxis() && origin != 0) {
      return refuseNumbers("the device rounds the mean of the stored numbers, and the mean is "
                           "relative to another number");
    }
    bool isPadded =
        pool.getPads()[0] >= pool.getKernel()[0] || pool.getPads()[1] >= pool.getKernel()[1];
    if (isPadded) {
      return refuse("the padding is not smaller than the window, which the device requires");
    }
    layer.jobs = PoolPlan{pool.getByAxis()                            ? PoolMethod::Average
                          : pool.getKind() == convcore::PoolKind::Max ? PoolMethod::Max
                                                                      : PoolMethod::Min};
  }

  void planMean(convcore::PoolOp pool) {
    int64_t channels = typeOf(pool.getInput()).getDimSize(1);
    ConvPlan jobs;
    jobs.input = pool.getInput();
    jobs.weight = Tensor(ElementType::I8, {channels, 1, pool.getKernel()[0], pool.getKernel()[1]});
    std::fill_n(jobs.weight.mutableData<int8_t>(), jobs.weight.size(), int8_t(1));
    jobs.strides.assign(pool.getStrides().begin(), pool.getStrides().end());
    jobs.pads.assign(pool.getPads().begin(), pool.getPads().end());
    jobs.dilations = {1, 1};
    jobs.groups = channels;
    jobs.padValue =
        static_cast<int64_t>(pool.getInputZeroPoint()) - storedOffset(pool.getInput().getType());
    if (llvm::any_of(jobs.strides, [](int64_t stride) { return stride > 8; })) {
      return refuse("the device computes a mean as a convolution, whose stride is at most 8");
    }
    if (readRule(pool.getRequantAttr(), jobs.rule) && setBias(jobs, std::nullopt)) {
      finishConv(std::move(jobs));
    }
  }

  /// Plans a * left + b * right + bias, where left and right are the multipliers divided by their
  /// greatest common divisor. The divisor multiplies the sum.
  void planEltwise(convcore::EltwiseOp eltwise) {
    bool isAdd = eltwise.getKind() == convcore::EltwiseKind::Add;
    if (!isAdd && eltwise.getKind() != convcore::EltwiseKind::Sub) {
      return refuse("the device supports integer eltwise only as add and sub");
    }
    if (typeOf(eltwise.getLhs()) != typeOf(eltwise.getRhs()) ||
        eltwise.getLhs() == eltwise.getRhs()) {
      return refuse("the device supports eltwise only of two different tensors of the same type");
    }
    auto left = static_cast<int64_t>(eltwise.getLhsMultiplier());
    auto right = static_cast<int64_t>(eltwise.getRhsMultiplier()) * (isAdd ? 1 : -1);
    auto bias = static_cast<int64_t>(eltwise.getBias());
    int64_t common = std::gcd(std::gcd(left, right), bias);
    SumRule rule;
    if (!readRule(eltwise.getRequantAttr(), rule) || !scaleRule(rule, common)) {
      return;
    }
    int64_t offset = storedOffset(eltwise.getLhs().getType());
    rule.bias = {(bias - (static_cast<int64_t>(eltwise.getLhsZeroPoint()) - offset) * left -
                  (static_cast<int64_t>(eltwise.getRhsZeroPoint()) - offset) * right) /
                 common};
    planSum(left / common, right / common, rule);
  }

  /// Multiplies the multiplier of the rule. A power of two in the product can move to the shift.
  bool scaleRule(SumRule &rule, int64_t factor) {
    int64_t multiplier = rule.multipliers[0] * factor;
    while (multiplier > INT16_MAX && multiplier % 2 == 0 && rule.shift > 1) {
      multiplier /= 2;
      --rule.shift;
    }
    rule.multipliers = {multiplier};
    if (multiplier > INT16_MAX) {
      refuseNumbers(
          llvm::formatv("the multiplier {0} has more than the device's 15 bits", multiplier).str());
      return false;
    }
    return true;
  }

  /// SDP shifts one operand. With a factor for the other one, the output converter applies the
  /// rule, so no zero point can follow the rounding.
  void planSum(int64_t left, int64_t right, const SumRule &rule) {
    constexpr int64_t kMostShift = 22; // a shifted byte and a product then fit in 32 bits
    bool canScale = rule.zero == 0 && llvm::isInt<31>(rule.bias[0]);
    auto plan = [&](bool isSwapped, bool hasFactor) {
      int64_t factor = isSwapped ? right : left;
      int64_t power = isSwapped ? left : right;
      bool isShift = power > 0 && llvm::isPowerOf2_64(uint64_t(power)) &&
                     power <= int64_t(1) << kMostShift && llvm::isInt<16>(factor);
      if (!isShift || !(hasFactor ? canScale : factor == 1 && isSimple(rule))) {
        return false;
      }
      layer.jobs = SumPlan{isSwapped, factor, llvm::Log2_64(uint64_t(power)), rule};
      return true;
    };
    if (plan(false, false) || plan(true, false) || plan(false, true) || plan(true, true)) {
      return;
    }
    refuseNumbers(
        llvm::formatv("the multipliers reduce to {0} and {1}; the device requires a power "
                      "of two and 15 bits, and a zero point inside the sum",
                      left, right)
            .str());
  }

  void planRequantize(convcore::RequantizeOp requantize) {
    SumRule rule;
    if (!readRule(requantize.getRequant(), rule)) {
      return;
    }
    if (rule.multipliers.size() != 1) {
      return refuseNumbers("the device supports requantize only with one multiplier");
    }
    rule.bias = {storedOffset(requantize.getInput().getType()) -
                 static_cast<int64_t>(requantize.getInputZeroPoint())};
    layer.jobs = RequantizePlan{rule};
  }

  static bool hasTables(convcore::IntegerLrnOp lrn) {
    std::optional<Tensor> near = graph::constantValue(lrn.getNear());
    std::optional<Tensor> far = graph::constantValue(lrn.getFar());
    return near && far && std::min(near->size(), far->size()) == 65 &&
           std::max(near->size(), far->size()) == 257;
  }

  /// Plans a normalization on CDP, whose output converter has no offset after the rounding and no
  /// bounds.
  void planLrn(convcore::IntegerLrnOp lrn) {
    refusal = whyNotWindow(lrn.getSize());
    if (refusal) {
      return;
    }
    if (!hasTables(lrn)) {
      return refuseNumbers("the device supports only constant tables of 64 and of 256 intervals");
    }
    SumRule rule;
    if (!readRule(lrn.getRequantAttr(), rule)) {
      return;
    }
    if (rule.zero != 0 || rule.low != -128 || rule.high != 127) {
      return refuseNumbers("the device supports neither bounds nor a zero point after the rounding "
                           "of a normalization");
    }
    auto bias = static_cast<int64_t>(lrn.getBias());
    if (!llvm::isInt<25>(bias) || !llvm::isInt<25>(-bias)) {
      return refuse(
          llvm::formatv("the bias {0} of the normalization has more than the device's 25 bits",
                        bias)
              .str());
    }
    int64_t zero =
        static_cast<int64_t>(lrn.getInputZeroPoint()) - storedOffset(lrn.getInput().getType());
    layer.jobs = IntegerLrnPlan{zero, rule.multipliers[0], rule.shift};
  }

  void planLookup(convcore::LookupOp lookup) {
    if (!graph::constantValue(lookup.getTable())) {
      return refuse("the device supports only constant lookup tables");
    }
    layer.jobs = LookupPlan();
  }

  Operation *op;
  const NvdlaOptions &options;
  LayerPlan layer;
  std::optional<Refusal> refusal;
};

} // namespace

PlannedLayer planIntegerLayer(Operation *op, const NvdlaOptions &options) {
  return IntegerPlanner(op, options).run();
}

} // namespace convoy::nvdla
