// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds nvdla ops from the plan of a layer, one overload per kind of plan. Register operands of
// float stages contain the bits of fp16 numbers.

#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

int64_t bitsOf(double value) {
  return static_cast<int16_t>(floatToHalf(static_cast<float>(value)));
}

StageAttr attrOf(const FloatStage &stage, MLIRContext *context) {
  int64_t bits = bitsOf(stage.operand);
  return StageAttr::get(context, stage.alu, stage.hasMul, stage.alu == Alu::None ? 0 : bits,
                        stage.hasMul ? bits : 0, /*shift=*/0, /*truncate=*/0, stage.hasRelu,
                        stage.from);
}

class JobBuilder {
public:
  JobBuilder(Operation *op, OpBuilder &builder)
      : op(op), builder(builder), loc(op->getLoc()), result(op->getResult(0).getType()) {}

  Value build(const CopyPlan &) { return buildCopy(builder, loc, op->getOperand(0), result); }

  Value build(const ConvPlan &plan) {
    auto sums = cast<RankedTensorType>(result).clone(builder.getI32Type());
    Value weight = graph::constant(builder, loc, plan.weight);
    Value conv = builder.create<ConvOp>(loc, sums, plan.input, weight, plan.strides, plan.pads,
                                        plan.dilations, plan.groups, plan.padValue);
    return buildSdp(builder, loc, conv, plan.rule, result);
  }

  Value build(const FloatConvPlan &plan) {
    auto conv = cast<convcore::ConvOp>(op);
    SmallVector<Value> operands = operandsOf(plan.stages);
    auto sums = cast<RankedTensorType>(result).clone(builder.getF32Type());
    Value source = builder.create<ConvOp>(loc, sums, conv.getInput(), conv.getWeight(),
                                          conv.getStrides(), conv.getPads(), conv.getDilations(),
                                          conv.getGroups(), /*padValue=*/0);
    return buildStages(source, plan.stages, operands);
  }

  Value build(const FloatStagesPlan &plan) {
    SmallVector<Value> operands = operandsOf(plan.stages);
    Value value = buildStages(op->getOperand(0), plan.stages, operands);
    if (plan.curve) {
      value.getDefiningOp<SdpOp>().setCurve(plan.curve);
    }
    return value;
  }

  Value build(const SumPlan &plan) {
    Value source = op->getOperand(plan.isSwapped ? 1 : 0);
    Value addend = op->getOperand(plan.isSwapped ? 0 : 1);
    return buildSum(builder, loc, {source, plan.factor, addend, plan.shift}, plan.rule, result);
  }

  Value build(const RequantizePlan &plan) {
    return buildSdp(builder, loc, op->getOperand(0), plan.rule, result);
  }

  Value build(const PoolPlan &plan) {
    auto pool = cast<convcore::PoolOp>(op);
    return builder.create<PdpOp>(loc, result, pool.getInput(), plan.method, pool.getKernel(),
                                 pool.getStrides(), pool.getPads(), /*padValue=*/0);
  }

  Value build(const LrnPlan &) {
    auto lrn = cast<convcore::LrnOp>(op);
    return builder.create<CdpOp>(loc, result, lrn.getInput(), lrn.getSizeAttr(), lrn.getAlphaAttr(),
                                 lrn.getBetaAttr(), lrn.getBiasAttr());
  }

  Value build(const IntegerLrnPlan &plan) {
    auto lrn = cast<convcore::IntegerLrnOp>(op);
    return builder.create<TableCdpOp>(
        loc, result, lrn.getInput(), lrn.getNear(), lrn.getFar(), lrn.getSizeAttr(),
        lrn.getNearShiftAttr(), lrn.getFarStartAttr(), lrn.getFarShiftAttr(),
        builder.getI64IntegerAttr(plan.inOffset), lrn.getBiasAttr(),
        builder.getI64IntegerAttr(plan.scale), builder.getI64IntegerAttr(plan.shift));
  }

  /// Entry i of the table is for the value i - 129.
  Value build(const LookupPlan &) {
    auto lookup = cast<convcore::LookupOp>(op);
    Tensor table = *graph::constantValue(lookup.getTable());
    Tensor entries(ElementType::I16, {257});
    for (int64_t i = 0; i < entries.size(); ++i) {
      entries.setInt(i, table.asInt(std::max<int64_t>(i - 1, 0)) - storedOffset(result));
    }
    return builder.create<SdpOp>(loc, result, lookup.getInput(), /*x1Data=*/Value(),
                                 /*x2Data=*/Value(), graph::constant(builder, loc, entries),
                                 StageAttr(), StageAttr(), /*offset=*/0, /*scale=*/1, /*shift=*/0,
                                 /*toPdp=*/false, CurveKindAttr());
  }

  Value build(const JoinPlan &) { return builder.create<JoinOp>(loc, result, op->getOperands()); }

  Value build(const ViewPlan &plan) {
    return builder.create<ViewOp>(loc, result, op->getOperand(0), plan.offsets);
  }

  Value build(const SelectPlan &plan) {
    Value plane = op->getOperand(0);
    auto type = cast<RankedTensorType>(plane.getType());
    if (plan.plane) {
      CubeSize to = *cubeOf(result);
      plane = builder.create<ViewOp>(loc, type.clone({1, type.getDimSize(1), to.height, to.width}),
                                     plane, plan.plane->offsets);
    }
    // The listing of a loadable names a selection of floats by the input.
    bool isOfFloats = isa<FloatType>(type.getElementType());
    return buildSelection(builder, isOfFloats ? plane.getLoc() : loc, plane, plan.first, result);
  }

  Value build(const ContractPlan &plan) {
    Value input = op->getOperand(0);
    bool isGrid = plan.strideY * plan.strideX > 1;
    if (!plan.order.empty()) {
      auto type = cast<RankedTensorType>(input.getType());
      CubeSize size = *cubeOf(type);
      input = buildSelection(
          builder, loc, input, plan.order,
          isGrid ? type.clone({1, int64_t(plan.order.size()), size.height, size.width}) : result);
    }
    const int64_t strides[] = {plan.strideY, plan.strideX};
    return isGrid ? builder.create<ContractOp>(loc, result, input, strides).getResult() : input;
  }

  Value build(const TurnPlan &plan) {
    return builder.create<TurnOp>(loc, result, op->getOperand(0), plan.isToLast);
  }

  Value build(const PlanesPlan &plan) {
    Type planes = cast<RankedTensorType>(result).clone({plan.elements});
    auto create = [&](auto tag, Type type, Value input, const PlaneJobs &jobs) -> Value {
      return builder.create<decltype(tag)>(loc, type, input, jobs.channels, jobs.offsets,
                                           jobs.planeStep, jobs.lineStep);
    };
    Value split = create(SplitOp(), planes, op->getOperand(0), plan.split);
    return create(MergeOp(), result, split, plan.merge);
  }

private:
  /// Returns the operand from memory of each stage, or null.
  SmallVector<Value> operandsOf(ArrayRef<FloatStage> stages) {
    SmallVector<Value> operands;
    for (const FloatStage &stage : stages) {
      const Tensor &kernels = stage.kernels;
      operands.push_back(stage.from == OperandSource::Kernel
                             ? graph::constant(builder, loc, kernels.reshaped({kernels.size(), 1}))
                             : stage.cube);
    }
    return operands;
  }

  /// Builds SDP ops with two stages each.
  Value buildStages(Value source, ArrayRef<FloatStage> stages, ArrayRef<Value> operands) {
    Value value = source;
    for (size_t i = 0; i == 0 || i < stages.size(); i += 2) {
      auto data = [&](size_t j) { return j < stages.size() ? operands[j] : Value(); };
      auto attr = [&](size_t j) {
        return j < stages.size() ? attrOf(stages[j], builder.getContext()) : StageAttr();
      };
      value = builder.create<SdpOp>(loc, result, value, data(i), data(i + 1), /*table=*/Value(),
                                    attr(i), attr(i + 1), /*offset=*/0, /*scale=*/1, /*shift=*/0,
                                    /*toPdp=*/false, CurveKindAttr());
    }
    return value;
  }

  Operation *op;
  OpBuilder &builder;
  Location loc;
  Type result;
};

} // namespace

Value buildJobs(Operation *op, const LayerPlan &plan, OpBuilder &builder) {
  return std::visit([&](const auto &jobs) { return JobBuilder(op, builder).build(jobs); },
                    plan.jobs);
}

Value buildSelection(OpBuilder &builder, Location loc, Value input, int64_t first, Type result) {
  SmallVector<int64_t> order;
  for (int64_t c = 0; c < int64_t(cubeOf(result)->channels); ++c) {
    order.push_back(first + c);
  }
  return buildSelection(builder, loc, input, order, result);
}

Value buildSelection(OpBuilder &builder, Location loc, Value input, ArrayRef<int64_t> order,
                     Type result) {
  bool isOfFloats = isa<FloatType>(cast<RankedTensorType>(result).getElementType());
  int64_t count = int64_t(order.size());
  int64_t inputs = cubeOf(input.getType())->channels;
  Tensor weight(isOfFloats ? ElementType::F16 : ElementType::I8, {count, inputs, 1, 1});
  for (auto [c, channel] : llvm::enumerate(order)) {
    if (channel >= 0) {
      weight.setDouble(int64_t(c) * inputs + channel, 1);
    }
  }
  const int64_t ones[] = {1, 1};
  const int64_t pads[] = {0, 0, 0, 0};
  Type sum = isOfFloats ? Type(builder.getF32Type()) : Type(builder.getI32Type());
  Value picked = builder.create<ConvOp>(loc, cast<RankedTensorType>(result).clone(sum), input,
                                        graph::constant(builder, loc, weight), ones, pads, ones,
                                        /*groups=*/1, /*padValue=*/0);
  return buildCopy(builder, loc, picked, result);
}

} // namespace convoy::nvdla
