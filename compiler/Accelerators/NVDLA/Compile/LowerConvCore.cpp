// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers integer layers to CONV, SDP and PDP. CONV pads with the input's zero point, and the bias
// absorbs the contribution of the zero point to each sum (zero point times the sum of weights). A
// mean is a convolution with ones, because PDP would round twice. A layer that no unit supports is
// refused.

#include "Accelerators/NVDLA/Compile/LowerConvCore.h"
#include "Accelerators/ConvCore/ConvCore.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/FloatLayers.h"
#include "Accelerators/NVDLA/Compile/SumRule.h"
#include "Accelerators/NVDLA/Cycles/CycleModel.h"
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

/// A convolution with its constants and requantisation.
struct ConvLayer {
  Value input;
  Tensor weight; // signed, without zero point
  ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups = 1, padValue = 0;
  SumRule rule;
};

class LayerLowering {
public:
  LayerLowering(Operation *op, const NvdlaOptions &options, OpBuilder *builder = nullptr)
      : op(op), options(options), builder(builder) {}

  /// Lowers the layer. Without a builder, only checks whether the device supports it.
  Value run() {
    bool onlyMoves =
        isa<convcore::ConcatOp, convcore::SliceOp, convcore::ReshapeOp, convcore::CopyOp>(op);
    if (isFloatLayer(op) && !onlyMoves) {
      return runOnFloats();
    }
    for (Value operand : op->getOperands()) {
      bool isWeight = isa<convcore::ConvOp, convcore::IntegerLrnOp, convcore::LookupOp>(op) &&
                      operand != op->getOperand(0);
      if (!isWeight && !isActivation(operand)) {
        return {};
      }
    }
    if (!isActivation(op->getResult(0))) {
      return {};
    }
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](convcore::ConvOp conv) { return lowerConv(conv); })
        .Case([&](convcore::PoolOp pool) { return lowerPool(pool); })
        .Case([&](convcore::EltwiseOp eltwise) { return lowerEltwise(eltwise); })
        .Case([&](convcore::RequantizeOp requantize) { return lowerRequantize(requantize); })
        .Case([&](convcore::IntegerLrnOp lrn) { return lowerLrn(lrn); })
        .Case([&](convcore::LookupOp lookup) { return lowerLookup(lookup); })
        .Case([&](convcore::ConcatOp concat) { return lowerConcat(concat); })
        .Case([&](convcore::SliceOp slice) { return lowerSlice(slice); })
        .Case([&](convcore::ReshapeOp reshape) { return lowerReshape(reshape); })
        .Case([&](convcore::CopyOp copy) {
          return builder ? buildCopy(*builder, op->getLoc(), copy.getInput(), copy.getType())
                         : Value();
        })
        .Default(
            [&](Operation *) { return refuse("the device does not support this op on integers"); });
  }

  std::optional<Refusal> refusal;
  /// The shape of the last convolution that was checked.
  ConvShape shape;
  bool isConv = false;

private:
  Value runOnFloats() {
    FloatLayer layer = lowerFloatLayer(op, options, builder);
    refusal = std::move(layer.refusal);
    isConv = layer.conv.has_value();
    shape = layer.conv.value_or(ConvShape());
    return layer.value;
  }

  Value refuse(std::string reason, std::string remedy = "") {
    refusal = Refusal{std::move(reason), std::move(remedy), std::nullopt};
    return {};
  }

  bool isActivation(Value value) {
    Type element = typeOf(value).getElementType();
    if (!element.isInteger(8) && !isa<FloatType>(element)) {
      refuse(
          isa<convcore::ConvOp, convcore::PoolOp, convcore::EltwiseOp, convcore::IntegerLrnOp>(op)
              ? "the device does not write 32-bit sums; the result needs a requantisation"
              : "the device supports only 8-bit integers");
    } else if (!cubeOf(value.getType())) {
      refuse("the device supports only tensors 1 x C x H x W or 1 x C", "use a batch size of 1");
    } else if (graph::constantValue(value)) {
      refuse("an operand is constant; the device supports only computed operands");
    }
    return !refusal;
  }

  Value lowerConv(convcore::ConvOp conv) {
    std::optional<Tensor> weight = graph::constantValue(conv.getWeight());
    std::optional<Tensor> bias =
        conv.getBias() ? graph::constantValue(conv.getBias()) : std::nullopt;
    if (!weight || storageBytes(weight->type()) != 1 || (conv.getBias() && !bias)) {
      return refuse("the device supports only constant weights of 8 bits and constant biases");
    }
    ConvLayer layer;
    layer.input = conv.getInput();
    layer.strides = conv.getStrides();
    layer.pads = conv.getPads();
    layer.dilations = conv.getDilations();
    layer.groups = static_cast<int64_t>(conv.getGroups());
    layer.padValue =
        static_cast<int64_t>(conv.getInputZeroPoint()) - storedOffset(conv.getInput().getType());
    std::string why = makeRule(conv.getRequantAttr(), storedOffset(conv.getType()), layer.rule);
    if (!why.empty()) {
      return refuse(why, "quantise for this target");
    }
    if (!setWeights(*weight, static_cast<int64_t>(conv.getWeightZeroPoint()), layer) ||
        !setBias(layer, bias)) {
      return {};
    }
    return buildConv(layer, conv.getType());
  }

  /// Subtracts the zero point from the weights; refuses the layer if a weight then exceeds 8 bits.
  bool setWeights(const Tensor &weight, int64_t zero, ConvLayer &layer) {
    if (zero == 0 && weight.type() == ElementType::I8) {
      layer.weight = weight;
      return true;
    }
    layer.weight = Tensor(ElementType::I8, weight.shape());
    auto *to = layer.weight.mutableData<int8_t>();
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
  bool setBias(ConvLayer &layer, const std::optional<Tensor> &bias) {
    int64_t kernels = layer.weight.dim(0);
    int64_t taps = layer.weight.size() / kernels;
    if (!bias && layer.padValue == 0 && taps <= (1 << 15)) {
      return true;
    }
    const auto *weights = layer.weight.data<int8_t>();
    layer.rule.bias.assign(kernels, 0);
    for (int64_t k = 0; k < kernels; ++k) {
      int64_t sum = 0;
      int64_t magnitude = 0;
      for (int64_t i = 0; i < taps; ++i) {
        sum += weights[k * taps + i];
        magnitude += std::abs(int64_t(weights[k * taps + i]));
      }
      int64_t own = bias ? bias->asInt(k) : 0;
      int64_t whole = own - layer.padValue * sum;
      int64_t most = std::max(255 * magnitude + std::abs(own), 128 * magnitude + std::abs(whole));
      if (most + (1 << 16) > INT32_MAX) {
        refuse(llvm::formatv("sums of output channel {0} may reach {1}, which exceeds 32 bits", k,
                             most)
                   .str());
        return false;
      }
      layer.rule.bias[k] = whole;
    }
    bool isOne =
        llvm::all_of(layer.rule.bias, [&](int64_t value) { return value == layer.rule.bias[0]; });
    if (isOne) {
      layer.rule.bias.resize(1);
    }
    return true;
  }

  bool setShape(const ConvLayer &layer, Type result) {
    CubeSize in = *cubeOf(layer.input.getType());
    CubeSize out = *cubeOf(result);
    shape = ConvShape();
    shape.input = in;
    shape.kernels = layer.weight.dim(0);
    shape.groups = layer.groups;
    shape.groupInputs = layer.weight.dim(1);
    shape.kernelHeight = layer.weight.dim(2);
    shape.kernelWidth = layer.weight.dim(3);
    shape.strideY = layer.strides[0];
    shape.strideX = layer.strides[1];
    shape.dilationY = layer.dilations[0];
    shape.dilationX = layer.dilations[1];
    shape.padTop = layer.pads[0];
    shape.padLeft = layer.pads[1];
    shape.outWidth = out.width;
    shape.outHeight = out.height;
    shape.channels = identityMap(in.channels);
    isConv = true;
    if (std::optional<Refusal> why = whyNotShape(shape, layer.pads, options)) {
      refuse(why->reason, why->remedy);
      return false;
    }
    return true;
  }

  Value buildConv(const ConvLayer &layer, Type result) {
    if (!setShape(layer, result) || !builder) {
      return {};
    }
    Location loc = op->getLoc();
    auto sums = cast<RankedTensorType>(result).clone(builder->getI32Type());
    Value weight = graph::constant(*builder, loc, layer.weight);
    Value conv = builder->create<ConvOp>(loc, sums, layer.input, weight, layer.strides, layer.pads,
                                         layer.dilations, layer.groups, layer.padValue);
    return buildSdp(*builder, loc, conv, layer.rule, result);
  }

  Value lowerPool(convcore::PoolOp pool) {
    if (pool.getKind() == convcore::PoolKind::Average) {
      return lowerMean(pool);
    }
    bool isPadded =
        pool.getPads()[0] >= pool.getKernel()[0] || pool.getPads()[1] >= pool.getKernel()[1];
    if (isPadded) {
      return refuse("the padding is not smaller than the window, which the device requires");
    }
    if (!builder) {
      return {};
    }
    PoolMethod method =
        pool.getKind() == convcore::PoolKind::Max ? PoolMethod::Max : PoolMethod::Min;
    return builder->create<PdpOp>(op->getLoc(), pool.getType(), pool.getInput(), method,
                                  pool.getKernel(), pool.getStrides(), pool.getPads(),
                                  /*padValue=*/0);
  }

  Value lowerMean(convcore::PoolOp pool) {
    int64_t ones[] = {1, 1};
    int64_t channels = typeOf(pool.getInput()).getDimSize(1);
    ConvLayer layer;
    layer.input = pool.getInput();
    layer.weight = Tensor(ElementType::I8, {channels, 1, pool.getKernel()[0], pool.getKernel()[1]});
    std::fill_n(layer.weight.mutableData<int8_t>(), layer.weight.size(), int8_t(1));
    layer.strides = pool.getStrides();
    layer.pads = pool.getPads();
    layer.dilations = ones;
    layer.groups = channels;
    layer.padValue =
        static_cast<int64_t>(pool.getInputZeroPoint()) - storedOffset(pool.getInput().getType());
    if (llvm::any_of(layer.strides, [](int64_t stride) { return stride > 8; })) {
      return refuse("the device computes a mean as a convolution, whose stride is at most 8");
    }
    std::string why = makeRule(pool.getRequantAttr(), storedOffset(pool.getType()), layer.rule);
    if (!why.empty()) {
      return refuse(why, "quantise for this target");
    }
    return setBias(layer, std::nullopt) ? buildConv(layer, pool.getType()) : Value();
  }

  /// Lowers a * wa + b * wb, where wa and wb are the multipliers divided by their greatest common
  /// divisor. The divisor multiplies the sum. Uses SDP alone if one factor is 1 and the other is a
  /// power of two, otherwise CONV.
  Value lowerEltwise(convcore::EltwiseOp eltwise) {
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
    int64_t common = std::gcd(left, right);
    left /= common;
    right /= common;
    if (!llvm::isInt<8>(left) || !llvm::isInt<8>(right)) {
      return refuse(
          llvm::formatv(
              "multipliers {0} and {1} do not reduce to factors in [-128, 127], which the "
              "device requires",
              left * common, right * common)
              .str(),
          "quantise for this target");
    }
    SumRule rule;
    std::string why = makeRule(eltwise.getRequantAttr(), storedOffset(eltwise.getType()), rule);
    if (!why.empty()) {
      return refuse(why, "quantise for this target");
    }
    // A power of two in the multiplier can be moved to the shift.
    int64_t multiplier = rule.multipliers[0] * common;
    while (multiplier > INT16_MAX && multiplier % 2 == 0 && rule.shift > 1) {
      multiplier /= 2;
      --rule.shift;
    }
    if (multiplier > INT16_MAX) {
      return refuse(
          llvm::formatv("the multiplier {0} has more than the device's 15 bits", multiplier).str(),
          "quantise for this target");
    }
    rule.multipliers = {multiplier};
    int64_t offset = storedOffset(eltwise.getLhs().getType());
    rule.bias = {-(static_cast<int64_t>(eltwise.getLhsZeroPoint()) - offset) * left -
                 (static_cast<int64_t>(eltwise.getRhsZeroPoint()) - offset) * right};
    if (!builder) {
      return {};
    }
    for (bool isSwapped : {false, true}) {
      int64_t factor = isSwapped ? left : right;
      bool isShift = (isSwapped ? right : left) == 1 && llvm::isPowerOf2_64(uint64_t(factor)) &&
                     factor > 0 && isSimple(rule);
      if (isShift) {
        Value source = isSwapped ? eltwise.getRhs() : eltwise.getLhs();
        Value addend = isSwapped ? eltwise.getLhs() : eltwise.getRhs();
        return buildSum(*builder, op->getLoc(), source, addend, llvm::Log2_64(uint64_t(factor)),
                        rule, eltwise.getType());
      }
    }
    auto sums = typeOf(eltwise.getResult()).clone(builder->getI32Type());
    Value blend = builder->create<BlendOp>(op->getLoc(), sums, eltwise.getLhs(), eltwise.getRhs(),
                                           left, right);
    return buildSdp(*builder, op->getLoc(), blend, rule, eltwise.getType());
  }

  Value lowerRequantize(convcore::RequantizeOp requantize) {
    SumRule rule;
    std::string why = makeRule(requantize.getRequant(), storedOffset(requantize.getType()), rule);
    if (!why.empty() || rule.multipliers.size() != 1) {
      return refuse(why.empty() ? "the device supports requantize only with one multiplier" : why,
                    "quantise for this target");
    }
    rule.bias = {storedOffset(requantize.getInput().getType()) -
                 static_cast<int64_t>(requantize.getInputZeroPoint())};
    return builder
               ? buildSdp(*builder, op->getLoc(), requantize.getInput(), rule, requantize.getType())
               : Value();
  }

  /// Lowers a normalisation to CDP, whose output converter has no offset after the rounding and no
  /// bounds.
  Value lowerLrn(convcore::IntegerLrnOp lrn) {
    if (std::optional<Refusal> why = whyNotWindow(lrn.getSize())) {
      return refuse(why->reason, why->remedy);
    }
    std::optional<Tensor> near = graph::constantValue(lrn.getNear());
    std::optional<Tensor> far = graph::constantValue(lrn.getFar());
    bool hasTables = near && far && std::min(near->size(), far->size()) == 65 &&
                     std::max(near->size(), far->size()) == 257;
    if (!hasTables) {
      return refuse("the device supports only constant tables of 64 and of 256 intervals",
                    "quantise for this target");
    }
    SumRule rule;
    std::string why = makeRule(lrn.getRequantAttr(), storedOffset(lrn.getType()), rule);
    if (!why.empty()) {
      return refuse(why, "quantise for this target");
    }
    if (rule.zero != 0 || rule.low != -128 || rule.high != 127) {
      return refuse("the device supports neither bounds nor a zero point after the rounding of a "
                    "normalisation",
                    "quantise for this target");
    }
    auto bias = static_cast<int64_t>(lrn.getBias());
    if (!llvm::isInt<25>(bias) || !llvm::isInt<25>(-bias)) {
      return refuse(
          llvm::formatv("the bias {0} of the normalisation has more than the device's 25 bits",
                        bias)
              .str());
    }
    if (!builder) {
      return {};
    }
    int64_t zero =
        static_cast<int64_t>(lrn.getInputZeroPoint()) - storedOffset(lrn.getInput().getType());
    return builder->create<TableCdpOp>(
        op->getLoc(), lrn.getType(), lrn.getInput(), lrn.getNear(), lrn.getFar(), lrn.getSizeAttr(),
        lrn.getNearShiftAttr(), lrn.getFarStartAttr(), lrn.getFarShiftAttr(),
        builder->getI64IntegerAttr(zero), lrn.getBiasAttr(),
        builder->getI64IntegerAttr(rule.multipliers[0]), builder->getI64IntegerAttr(rule.shift));
  }

  Value lowerLookup(convcore::LookupOp lookup) {
    std::optional<Tensor> table = graph::constantValue(lookup.getTable());
    if (!table) {
      return refuse("the device supports only constant lookup tables");
    }
    if (!builder) {
      return {};
    }
    Tensor entries(ElementType::I16, {257});
    for (int64_t i = 0; i < entries.size(); ++i) {
      entries.setInt(i, table->asInt(std::max<int64_t>(i - 1, 0)) - storedOffset(lookup.getType()));
    }
    return builder->create<SdpOp>(
        op->getLoc(), lookup.getType(), lookup.getInput(), /*x1Data=*/Value(), /*x2Data=*/Value(),
        graph::constant(*builder, op->getLoc(), entries), StageAttr(), StageAttr(), /*offset=*/0,
        /*scale=*/1, /*shift=*/0, /*toPdp=*/false, CurveKindAttr());
  }

  Value lowerConcat(convcore::ConcatOp concat) {
    if (concat.getAxis() != 1) {
      return refuse("the device supports concat only along channels");
    }
    return builder ? builder->create<JoinOp>(op->getLoc(), concat.getType(), concat.getInputs())
                   : Value();
  }

  Value lowerReshape(convcore::ReshapeOp reshape) {
    CubeSize from = *cubeOf(reshape.getInput().getType());
    CubeSize to = *cubeOf(reshape.getType());
    if (from.width != to.width || from.height != to.height || from.channels != to.channels) {
      return refuse("the device supports only reshapes that keep channels, height and width");
    }
    return builder ? builder->create<ViewOp>(op->getLoc(), reshape.getType(), reshape.getInput(),
                                             ArrayRef<int64_t>{0, 0, 0})
                   : Value();
  }

  /// Lowers a slice to a view if its first channel is the first of an atom; otherwise a convolution
  /// selects the channels.
  Value lowerSlice(convcore::SliceOp slice) {
    CubeSize from = *cubeOf(slice.getInput().getType());
    CubeSize to = *cubeOf(slice.getType());
    int64_t offsets[3] = {slice.getOffsets()[1], 0, 0};
    for (size_t i = 2; i < slice.getOffsets().size(); ++i) {
      offsets[i - 1] = slice.getOffsets()[i];
    }
    bool isWholePlane = from.width == to.width && from.height == to.height;
    if (!isWholePlane && to.width == 1 && to.height == 1) {
      // The engines read a cube of one pixel as one contiguous run of atoms.
      return refuse("the device does not support a slice of one pixel from a larger plane");
    }
    bool isOfFloats = isFloatLayer(op);
    int64_t lanes = lanesOf(*options.config, isOfFloats ? Precision::Fp16 : Precision::Int8);
    ChannelMap map = builder ? channelMapOf(slice.getInput(), lanes) : identityMap(from.channels);
    if (map[offsets[0]] % lanes == 0) {
      return builder
                 ? builder->create<ViewOp>(op->getLoc(), slice.getType(), slice.getInput(), offsets)
                 : Value();
    }
    Value plane = slice.getInput();
    if (!isWholePlane && builder) {
      auto type = typeOf(plane).clone({1, from.channels, to.height, to.width},
                                      typeOf(plane).getElementType());
      int64_t first = std::exchange(offsets[0], 0);
      plane = builder->create<ViewOp>(op->getLoc(), type, plane, offsets);
      offsets[0] = first;
    }
    return selectChannels(plane, offsets[0], slice.getType());
  }

  Value selectChannels(Value input, int64_t first, Type result) {
    if (isFloatLayer(op)) {
      return builder ? pickFloatChannels(input, first, result, *builder) : Value();
    }
    int64_t ones[] = {1, 1};
    int64_t pads[] = {0, 0, 0, 0};
    int64_t count = cubeOf(result)->channels;
    ConvLayer layer;
    layer.input = input;
    layer.weight =
        Tensor(ElementType::I8, {count, int64_t(cubeOf(input.getType())->channels), 1, 1});
    for (int64_t c = 0; c < count; ++c) {
      layer.weight.setInt(c * layer.weight.dim(1) + first + c, 1);
    }
    layer.strides = layer.dilations = ones;
    layer.pads = pads;
    return buildConv(layer, result);
  }

  Operation *op;
  const NvdlaOptions &options;
  OpBuilder *builder;
};

struct LowerConvCorePass : PassWrapper<LowerConvCorePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerConvCorePass)

  explicit LowerConvCorePass(const NvdlaOptions &options) : options(options) {}

  StringRef getArgument() const override { return "convoy-nvdla-lower-layers"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NvdlaDialect>();
  }

  void runOnOperation() override {
    mlir::Block &block = getOperation().getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
      if (isa<graph::ConstantOp>(op)) {
        continue;
      }
      OpBuilder builder(&op);
      LayerLowering lowering(&op, options, &builder);
      Value value = lowering.run();
      if (!value) {
        op.emitOpError("not supported by '")
            << options.config->name
            << "': " << (lowering.refusal ? lowering.refusal->reason : "this is a bug in convoy");
        return signalPassFailure();
      }
      op.getResult(0).replaceAllUsesWith(value);
      op.erase();
    }
    joinFloatStages(block);
    chooseImages(block, options);
    splitPools(block, options);
    insertCopies(block, options);
    chooseWinograd(block, options);
    fuseUnits(block, options);
  }

  NvdlaOptions options;
};

} // namespace

std::optional<Refusal> whyNotLayer(Operation *op, const NvdlaOptions &options) {
  LayerLowering lowering(op, options);
  lowering.run();
  return lowering.refusal;
}

uint64_t estimateLayer(Operation *op, const NvdlaOptions &options) {
  LayerLowering lowering(op, options);
  lowering.run();
  bool runsJob = !isa<convcore::ConcatOp, convcore::ReshapeOp, graph::ConstantOp>(op);
  if (lowering.refusal || !runsJob) {
    return 0;
  }
  if (lowering.isConv) {
    return cyclesOf(lowering.shape, splitGroups(lowering.shape, options), options);
  }
  std::optional<CubeSize> out = cubeOf(op->getResult(0).getType());
  FusedJob fused;
  if (auto pool = dyn_cast<convcore::PoolOp>(op)) {
    fused.pdp = PdpJob();
    fused.pdp->input = *cubeOf(pool.getInput().getType());
    fused.pdp->outWidth = out->width;
    fused.pdp->outHeight = out->height;
  } else {
    fused.sdp = SdpJob();
    fused.sdp->size = *out;
    fused.sdp->x1.isBypassed = false;
  }
  return estimateCycles(fused, *options.config).totalCycles;
}

std::unique_ptr<Pass> createLowerConvCorePass(const NvdlaOptions &options) {
  return std::make_unique<LowerConvCorePass>(options);
}

} // namespace convoy::nvdla
