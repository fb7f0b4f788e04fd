// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers float layers. CONV sums in fp32 and passes the sums to SDP, whose stages compute in fp32
// and round once to fp16. Bias, scale and bounds become SDP stages. CDP normalises over channels
// with a table. Register operands contain the bits of fp16 numbers.

#include "Accelerators/NVDLA/Compile/FloatLayers.h"
#include "Accelerators/ConvCore/ConvCore.h"
#include "Accelerators/NVDLA/Compile/SumRule.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Graph/Constant.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;

namespace convoy::nvdla {
namespace {

using accelerators::Refusal;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t bitsOf(double value) {
  return static_cast<int16_t>(floatToHalf(static_cast<float>(value)));
}

/// An SDP stage under construction.
struct Stage {
  Alu alu = Alu::None;
  bool hasMul = false;
  double operand = 0; // register operand of the ALU or the multiplier
  Value data;         // operand from memory, or null
  OperandSource from = OperandSource::Register;
  bool hasRelu = false;

  StageAttr attr(MLIRContext *context) const {
    int64_t bits = bitsOf(operand);
    return StageAttr::get(context, alu, hasMul, alu == Alu::None ? 0 : bits, hasMul ? bits : 0,
                          /*shift=*/0, /*truncate=*/0, hasRelu, from);
  }
};

class FloatLowering {
public:
  FloatLowering(Operation *op, const NvdlaOptions &options, OpBuilder *builder)
      : op(op), options(options), builder(builder) {}

  FloatLayer run() {
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
      if (!cubeOf(type)) {
        refuse("the device supports only tensors 1 x C x H x W or 1 x C", "use a batch size of 1");
        return layer;
      }
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](convcore::ConvOp conv) { lowerConv(conv); })
        .Case([&](convcore::EltwiseOp eltwise) { lowerEltwise(eltwise); })
        .Case([&](convcore::ScaleOp scale) { lowerScale(scale); })
        .Case([&](convcore::ActivationOp activation) { lowerActivation(activation); })
        .Case([&](convcore::PoolOp pool) { lowerPool(pool); })
        .Case([&](convcore::LrnOp lrn) { lowerLrn(lrn); })
        .Default([&](Operation *) { refuse("the device does not support this op on floats"); });
    return layer;
  }

private:
  void refuse(std::string reason, std::string remedy = "") {
    layer.refusal = Refusal{std::move(reason), std::move(remedy), std::nullopt};
  }

  Location loc() const { return op->getLoc(); }

  /// Creates a constant C x 1 with one number per kernel.
  Value perKernel(const Tensor &values) {
    return graph::constant(*builder, loc(), values.reshaped({values.size(), 1}));
  }

  /// Adds the stages of an activation; returns false if the device does not support it.
  bool addActivation(std::optional<convcore::ActAttr> activation, std::vector<Stage> &stages) {
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
      stages.push_back({Alu::Max, false, low, {}, OperandSource::Register, false});
    }
    if (std::isfinite(high)) {
      stages.push_back({Alu::Min, false, high, {}, OperandSource::Register, false});
    }
    return true;
  }

  /// Emits SDP jobs with two stages each.
  void emitStages(Value source, const std::vector<Stage> &stages) {
    Value value = source;
    for (size_t i = 0; i == 0 || i < stages.size(); i += 2) {
      auto at = [&](size_t j) { return j < stages.size() ? stages[j] : Stage(); };
      auto attr = [&](size_t j) {
        return j < stages.size() ? stages[j].attr(op->getContext()) : StageAttr();
      };
      value = builder->create<SdpOp>(loc(), op->getResult(0).getType(), value, at(i).data,
                                     at(i + 1).data, /*table=*/Value(), attr(i), attr(i + 1),
                                     /*offset=*/0, /*scale=*/1, /*shift=*/0, /*toPdp=*/false,
                                     CurveKindAttr());
    }
    layer.value = value;
  }

  void lowerConv(convcore::ConvOp conv) {
    std::optional<Tensor> weight = graph::constantValue(conv.getWeight());
    std::optional<Tensor> bias =
        conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt;
    if (!weight || (conv.getBias() && !bias)) {
      return refuse("the device supports only constant weights and biases");
    }
    std::vector<Stage> stages;
    if (bias) {
      stages.push_back({Alu::Sum, false, 0, {}, OperandSource::Kernel, false});
    }
    if (!addActivation(conv.getActivation(), stages) || !setShape(conv, *weight) || !builder) {
      return;
    }
    if (bias) {
      stages[0].data = perKernel(*bias);
    }
    auto sums = typeOf(conv.getResult()).clone(builder->getF32Type());
    Value result = builder->create<ConvOp>(loc(), sums, conv.getInput(), conv.getWeight(),
                                           conv.getStrides(), conv.getPads(), conv.getDilations(),
                                           conv.getGroups(), /*padValue=*/0);
    emitStages(result, stages);
  }

  bool setShape(convcore::ConvOp conv, const Tensor &weight) {
    CubeSize in = *cubeOf(conv.getInput().getType());
    CubeSize out = *cubeOf(conv.getType());
    ConvShape shape;
    shape.precision = Precision::Fp16;
    shape.input = in;
    shape.kernels = weight.dim(0);
    shape.groups = static_cast<int64_t>(conv.getGroups());
    shape.groupInputs = weight.dim(1);
    shape.kernelHeight = weight.dim(2);
    shape.kernelWidth = weight.dim(3);
    shape.strideY = conv.getStrides()[0];
    shape.strideX = conv.getStrides()[1];
    shape.dilationY = conv.getDilations()[0];
    shape.dilationX = conv.getDilations()[1];
    shape.padTop = conv.getPads()[0];
    shape.padLeft = conv.getPads()[1];
    shape.outWidth = out.width;
    shape.outHeight = out.height;
    shape.channels = identityMap(in.channels);
    layer.conv = shape;
    layer.refusal = whyNotShape(shape, conv.getPads(), options);
    return !layer.refusal;
  }

  void lowerEltwise(convcore::EltwiseOp eltwise) {
    if (typeOf(eltwise.getLhs()) != typeOf(eltwise.getRhs())) {
      return refuse("the device supports eltwise only of two tensors of the same shape");
    }
    for (Value operand : {eltwise.getLhs(), eltwise.getRhs()}) {
      if (graph::constantValue(operand)) {
        return refuse("an operand is constant; the device supports only computed operands");
      }
    }
    std::vector<Stage> stages(1);
    stages[0].from = OperandSource::Element;
    stages[0].data = eltwise.getRhs();
    switch (eltwise.getKind()) {
    case convcore::EltwiseKind::Add:
      stages[0].alu = Alu::Sum;
      break;
    case convcore::EltwiseKind::Max:
      stages[0].alu = Alu::Max;
      break;
    case convcore::EltwiseKind::Min:
      stages[0].alu = Alu::Min;
      break;
    case convcore::EltwiseKind::Mul:
      stages[0].hasMul = true;
      break;
    case convcore::EltwiseKind::Sub:
      return refuse("the device does not support sub on floats");
    }
    if (addActivation(eltwise.getActivation(), stages) && builder) {
      emitStages(eltwise.getLhs(), stages);
    }
  }

  /// Lowers x * scale + bias to a multiplication in the first stage and a sum in the second.
  void lowerScale(convcore::ScaleOp scale) {
    std::optional<Tensor> factor = graph::constantValue(scale.getScale());
    std::optional<Tensor> bias =
        scale.getBias() ? graph::constantValue(scale.getBias()) : std::nullopt;
    if (!factor || (scale.getBias() && !bias)) {
      return refuse("the device supports only constant scales and biases");
    }
    std::vector<Stage> stages(1);
    stages[0].hasMul = true;
    stages[0].from = OperandSource::Kernel;
    if (bias) {
      stages.push_back({Alu::Sum, false, 0, {}, OperandSource::Kernel, false});
    }
    if (!addActivation(scale.getActivation(), stages) || !builder) {
      return;
    }
    stages[0].data = perKernel(*factor);
    if (bias) {
      stages[1].data = perKernel(*bias);
    }
    emitStages(scale.getInput(), stages);
  }

  void lowerActivation(convcore::ActivationOp activation) {
    convcore::ActKind kind = activation.getActivation().getKind();
    bool isSigmoid = kind == convcore::ActKind::Sigmoid;
    if ((isSigmoid || kind == convcore::ActKind::Tanh) && options.config->sdpEwElems > 0) {
      if (builder) {
        emitStages(activation.getInput(), {});
        layer.value.getDefiningOp<SdpOp>().setCurve(isSigmoid ? CurveKind::Sigmoid
                                                              : CurveKind::Tanh);
      }
      return;
    }
    std::vector<Stage> stages;
    if (addActivation(activation.getActivation(), stages) && builder) {
      emitStages(activation.getInput(), stages);
    }
  }

  void lowerPool(convcore::PoolOp pool) {
    bool isMean = pool.getKind() == convcore::PoolKind::Average;
    ArrayRef<int64_t> pads = pool.getPads();
    bool hasPads = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
    if (isMean && hasPads && !pool.getCountIncludePad()) {
      return refuse("the device counts padding in a mean, and this mean does not");
    }
    if (pads[0] >= pool.getKernel()[0] || pads[1] >= pool.getKernel()[1]) {
      return refuse("the padding is not smaller than the window, which the device requires");
    }
    if (!builder) {
      return;
    }
    PoolMethod method = isMean                                      ? PoolMethod::Average
                        : pool.getKind() == convcore::PoolKind::Max ? PoolMethod::Max
                                                                    : PoolMethod::Min;
    layer.value = builder->create<PdpOp>(loc(), pool.getType(), pool.getInput(), method,
                                         pool.getKernel(), pool.getStrides(), pads,
                                         /*padValue=*/0);
  }

  void lowerLrn(convcore::LrnOp lrn) {
    if ((layer.refusal = whyNotWindow(lrn.getSize()))) {
      return;
    }
    bool isFalling = lrn.getBias().convertToDouble() > 0 && lrn.getAlpha().convertToDouble() > 0 &&
                     lrn.getBeta().convertToDouble() > 0;
    if (!isFalling) {
      return refuse("the device supports lrn only with positive bias, alpha and beta");
    }
    if (builder) {
      layer.value =
          builder->create<CdpOp>(loc(), lrn.getType(), lrn.getInput(), lrn.getSizeAttr(),
                                 lrn.getAlphaAttr(), lrn.getBetaAttr(), lrn.getBiasAttr());
    }
  }

  Operation *op;
  const NvdlaOptions &options;
  OpBuilder *builder;
  FloatLayer layer;
};

/// Returns the stages of a job with their operands.
SmallVector<std::pair<StageAttr, Value>, 4> stagesOf(SdpOp sdp) {
  SmallVector<std::pair<StageAttr, Value>, 4> stages;
  if (sdp.getX1Attr()) {
    stages.push_back({sdp.getX1Attr(), sdp.getX1Data()});
  }
  if (sdp.getX2Attr()) {
    stages.push_back({sdp.getX2Attr(), sdp.getX2Data()});
  }
  return stages;
}

/// Returns whether `second` is the only user of `first` and the stages of both fit in one job.
bool canJoin(SdpOp first, SdpOp second) {
  return first && first->hasOneUse() && !first.getToPdp() && !first.getCurve() &&
         stagesOf(first).size() + stagesOf(second).size() <= 2;
}

SdpOp join(SdpOp first, SdpOp second) {
  auto stages = stagesOf(first);
  llvm::append_range(stages, stagesOf(second));
  OpBuilder builder(second);
  stages.resize(2);
  // The convolution must run with the joined job, so its inputs must be computed before that.
  Operation *conv = first.getSource().getDefiningOp();
  if (isa_and_nonnull<ConvOp>(conv)) {
    conv->moveBefore(second);
  }
  auto joined =
      builder.create<SdpOp>(FusedLoc::get(first->getContext(), {first.getLoc(), second.getLoc()}),
                            second.getType(), first.getSource(), stages[0].second, stages[1].second,
                            /*table=*/Value(), stages[0].first, stages[1].first, /*offset=*/0,
                            /*scale=*/1, /*shift=*/0, /*toPdp=*/false, second.getCurveAttr());
  second.getResult().replaceAllUsesWith(joined.getResult());
  second.erase();
  first.erase();
  return joined;
}

/// Swaps the operands of a sum or product if the second one comes from a convolution, so that the
/// convolution becomes the source. If both do, the later convolution becomes the source, because
/// the earlier result is available before it.
void swapForConv(SdpOp sdp) {
  std::optional<StageAttr> stage = sdp.getX1();
  if (!stage || stage->getFrom() != OperandSource::Element) {
    return;
  }
  auto convOf = [&](Value value) -> Operation * {
    auto first = value.getDefiningOp<SdpOp>();
    bool isConv = canJoin(first, sdp) && first.getSource().getDefiningOp<ConvOp>();
    return isConv ? first.getOperation() : nullptr;
  };
  Operation *left = convOf(sdp.getSource());
  Operation *right = convOf(sdp.getX1Data());
  if (right && (!left || left->isBeforeInBlock(right))) {
    Value source = sdp.getSource();
    sdp.getSourceMutable().assign(sdp.getX1Data());
    sdp.getX1DataMutable().assign(source);
  }
}

} // namespace

std::optional<Refusal> whyNotWindow(uint64_t size) {
  if (size >= 3 && size <= 9 && size % 2 == 1) {
    return std::nullopt;
  }
  return Refusal{
      llvm::formatv("the device normalises over 3, 5, 7 or 9 channels, and the op over {0}", size)
          .str(),
      "", std::nullopt};
}

bool isFloatLayer(Operation *op) {
  auto tensor = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return tensor && isa<FloatType>(tensor.getElementType());
}

FloatLayer lowerFloatLayer(Operation *op, const NvdlaOptions &options, OpBuilder *builder) {
  return FloatLowering(op, options, builder).run();
}

Value pickFloatChannels(Value input, int64_t first, Type result, OpBuilder &builder) {
  int64_t ones[] = {1, 1};
  int64_t pads[] = {0, 0, 0, 0};
  int64_t count = cubeOf(result)->channels;
  int64_t inputs = cubeOf(input.getType())->channels;
  Tensor weight(ElementType::F16, {count, inputs, 1, 1});
  for (int64_t c = 0; c < count; ++c) {
    weight.setDouble(c * inputs + first + c, 1);
  }
  Location loc = input.getLoc();
  auto sums = cast<RankedTensorType>(result).clone(builder.getF32Type());
  Value picked = builder.create<ConvOp>(loc, sums, input, graph::constant(builder, loc, weight),
                                        ones, pads, ones, /*groups=*/1, /*padValue=*/0);
  return buildCopy(builder, loc, picked, result);
}

void joinFloatStages(mlir::Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto sdp = dyn_cast<SdpOp>(op);
    if (!sdp || !isa<FloatType>(typeOf(sdp.getResult()).getElementType())) {
      continue;
    }
    swapForConv(sdp);
    auto first = sdp.getSource().getDefiningOp<SdpOp>();
    if (canJoin(first, sdp)) {
      join(first, sdp);
    }
  }
}

} // namespace convoy::nvdla
