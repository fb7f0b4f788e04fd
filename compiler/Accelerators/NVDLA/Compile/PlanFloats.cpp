// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans float layers for configurations that compute in fp16. CONV sums in fp32 and passes the sums
// to SDP, whose stages compute in fp32 and round once to fp16. Bias, scale and bounds become SDP
// stages. CDP normalizes over channels with a table.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace convoy::nvdla {
namespace {

using accelerators::Refusal;
using Stages = std::vector<FloatStage>;

/// Returns a stage that compares each value with a bound.
FloatStage boundStage(Alu alu, double bound) {
  FloatStage stage;
  stage.alu = alu;
  stage.operand = bound;
  return stage;
}

/// Returns a stage that adds one number per kernel.
FloatStage biasStage(const Tensor &bias) {
  FloatStage stage;
  stage.alu = Alu::Sum;
  stage.from = OperandSource::Kernel;
  stage.kernels = bias;
  return stage;
}

class FloatPlanner {
public:
  FloatPlanner(Operation *op, const NvdlaOptions &options) : op(op), options(options) {}

  PlannedLayer run() {
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
      if (!cubeOf(type)) {
        return Refusal{"the device supports only tensors 1 x C x H x W or 1 x C",
                       "use a batch size of 1", std::nullopt};
      }
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](convcore::ConvOp conv) { planConv(conv); })
        .Case([&](convcore::EltwiseOp eltwise) { planEltwise(eltwise); })
        .Case([&](convcore::ScaleOp scale) { planScale(scale); })
        .Case([&](convcore::ActivationOp activation) { planActivation(activation); })
        .Case([&](convcore::PoolOp pool) { planPool(pool); })
        .Case([&](convcore::LrnOp lrn) { planLrn(lrn); })
        .Default([&](Operation *) { refuse("the device does not support this op on floats"); });
    return refusal ? PlannedLayer(std::move(*refusal)) : PlannedLayer(std::move(layer));
  }

private:
  void refuse(std::string reason) { refusal = Refusal{std::move(reason), "", std::nullopt}; }

  /// Adds the stages of an activation; refuses the layer if the device does not support it.
  bool addActivation(std::optional<convcore::ActAttr> activation, Stages &stages) {
    if (!activation) {
      return true;
    }
    bool isRelu = activation->getKind() == convcore::ActKind::Relu;
    if (!isRelu && activation->getKind() != convcore::ActKind::Clip) {
      refuse("the device supports only the float activations relu, clip, sigmoid and tanh");
      return false;
    }
    double low = activation->lowValue();
    double high = isRelu ? std::numeric_limits<double>::infinity() : activation->highValue();
    if (low == 0) {
      stages.resize(std::max<size_t>(stages.size(), 1));
      stages.back().hasRelu = true;
    } else if (std::isfinite(low)) {
      stages.push_back(boundStage(Alu::Max, low));
    }
    if (std::isfinite(high)) {
      stages.push_back(boundStage(Alu::Min, high));
    }
    return true;
  }

  void planConv(convcore::ConvOp conv) {
    std::optional<Tensor> weight = graph::constantValue(conv.getWeight());
    std::optional<Tensor> bias =
        conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt;
    if (!weight || (conv.getBias() && !bias)) {
      return refuse("the device supports only constant weights and biases");
    }
    Stages stages;
    if (bias) {
      stages.push_back(biasStage(*bias));
    }
    if (addActivation(conv.getActivation(), stages) && setShape(conv)) {
      layer.jobs = FloatConvPlan{std::move(stages)};
    }
  }

  bool setShape(convcore::ConvOp conv) {
    ConvGeometry geometry = geometryOf(conv, Precision::Fp16);
    layer.conv = shapeOf(geometry);
    refusal = whyNotShape(*layer.conv, geometry.pads, options);
    return !refusal;
  }

  void planEltwise(convcore::EltwiseOp eltwise) {
    if (eltwise.getLhs().getType() != eltwise.getRhs().getType()) {
      return refuse("the device supports eltwise only of two tensors of the same shape");
    }
    for (Value operand : {eltwise.getLhs(), eltwise.getRhs()}) {
      if (graph::constantValue(operand)) {
        return refuse("an operand is constant; the device supports only computed operands");
      }
    }
    if (eltwise.getKind() == convcore::EltwiseKind::Sub) {
      return refuse("the device does not support sub on floats");
    }
    FloatStage stage;
    stage.from = OperandSource::Element;
    stage.cube = eltwise.getRhs();
    stage.alu = aluOf(eltwise.getKind());
    stage.hasMul = eltwise.getKind() == convcore::EltwiseKind::Mul;
    Stages stages = {stage};
    if (addActivation(eltwise.getActivation(), stages)) {
      layer.jobs = FloatStagesPlan{std::move(stages), std::nullopt};
    }
  }

  static Alu aluOf(convcore::EltwiseKind kind) {
    switch (kind) {
    case convcore::EltwiseKind::Add:
      return Alu::Sum;
    case convcore::EltwiseKind::Max:
      return Alu::Max;
    case convcore::EltwiseKind::Min:
      return Alu::Min;
    case convcore::EltwiseKind::Mul:
    case convcore::EltwiseKind::Sub:
      break;
    }
    return Alu::None;
  }

  /// Plans x * scale + bias as a multiplication in the first stage and a sum in the second.
  void planScale(convcore::ScaleOp scale) {
    std::optional<Tensor> factor = graph::constantValue(scale.getScale());
    std::optional<Tensor> bias =
        scale.getBias() ? graph::constantValue(scale.getBias()) : std::nullopt;
    if (!factor || (scale.getBias() && !bias)) {
      return refuse("the device supports only constant scales and biases");
    }
    FloatStage product;
    product.hasMul = true;
    product.from = OperandSource::Kernel;
    product.kernels = *factor;
    Stages stages = {product};
    if (bias) {
      stages.push_back(biasStage(*bias));
    }
    if (addActivation(scale.getActivation(), stages)) {
      layer.jobs = FloatStagesPlan{std::move(stages), std::nullopt};
    }
  }

  void planActivation(convcore::ActivationOp activation) {
    convcore::ActKind kind = activation.getActivation().getKind();
    bool isSigmoid = kind == convcore::ActKind::Sigmoid;
    if ((isSigmoid || kind == convcore::ActKind::Tanh) && options.config->sdpEwElems > 0) {
      layer.jobs = FloatStagesPlan{{}, isSigmoid ? CurveKind::Sigmoid : CurveKind::Tanh};
      return;
    }
    Stages stages;
    if (addActivation(activation.getActivation(), stages)) {
      layer.jobs = FloatStagesPlan{std::move(stages), std::nullopt};
    }
  }

  void planPool(convcore::PoolOp pool) {
    bool isMean = pool.getKind() == convcore::PoolKind::Average;
    ArrayRef<int64_t> pads = pool.getPads();
    bool hasPads = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
    if (isMean && hasPads && !pool.getCountIncludePad()) {
      return refuse("the device counts padding in a mean, and this mean does not");
    }
    if (pads[0] >= pool.getKernel()[0] || pads[1] >= pool.getKernel()[1]) {
      return refuse("the padding is not smaller than the window, which the device requires");
    }
    layer.jobs = PoolPlan{isMean                                      ? PoolMethod::Average
                          : pool.getKind() == convcore::PoolKind::Max ? PoolMethod::Max
                                                                      : PoolMethod::Min};
  }

  void planLrn(convcore::LrnOp lrn) {
    refusal = whyNotWindow(lrn.getSize());
    if (refusal) {
      return;
    }
    bool isFalling = lrn.getBias().convertToDouble() > 0 && lrn.getAlpha().convertToDouble() > 0 &&
                     lrn.getBeta().convertToDouble() > 0;
    if (!isFalling) {
      return refuse("the device supports lrn only with positive bias, alpha and beta");
    }
    layer.jobs = LrnPlan();
  }

  Operation *op;
  const NvdlaOptions &options;
  LayerPlan layer;
  std::optional<Refusal> refusal;
};

} // namespace

PlannedLayer planFloatLayer(Operation *op, const NvdlaOptions &options) {
  return FloatPlanner(op, options).run();
}

} // namespace convoy::nvdla
