// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits kernels of global memory for ops. These kernels tile their tensors themselves.

#include "Accelerators/BM1880/Layers.h"
#include "Accelerators/BM1880/Timing.h"
#include "Graph/Constant.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace convoy::bm1880 {
namespace {

std::vector<int64_t> listOf(ArrayRef<int64_t> values) { return {values.begin(), values.end()}; }

std::optional<Tensor> biasOf(convcore::ConvOp op) {
  return op.getBias() ? graph::constantValue(op.getBias()) : std::nullopt;
}

/// Pads the kernel with zeros so that both sides of each dimension have the same padding:
///
///     pads 0 and 1, taps a b c   ->   pads 1 and 1, taps 0 a b c
Tensor evenKernel(convcore::ConvOp op, std::array<int64_t, 2> &pads) {
  Tensor kernel = *graph::constantValue(op.getWeight());
  int64_t before[2];
  int64_t size[2];
  for (size_t i = 0; i < 2; ++i) {
    int64_t extra = (op.getPads()[i + 2] - op.getPads()[i]) / op.getDilations()[i];
    before[i] = std::max<int64_t>(extra, 0);
    size[i] = kernel.dim(static_cast<int64_t>(i) + 2) + std::abs(extra);
    pads[i] = std::max(op.getPads()[i], op.getPads()[i + 2]);
  }
  if (size[0] == kernel.dim(2) && size[1] == kernel.dim(3)) {
    return kernel;
  }
  Tensor result(kernel.type(), {kernel.dim(0), kernel.dim(1), size[0], size[1]});
  for (int64_t i = 0; i < kernel.size(); ++i) {
    int64_t column = i % kernel.dim(3) + before[1];
    int64_t row = i / kernel.dim(3) % kernel.dim(2) + before[0];
    int64_t plane = i / kernel.dim(3) / kernel.dim(2);
    result.setInt((plane * size[0] + row) * size[1] + column, kernel.asInt(i));
  }
  return result;
}

/// Returns whether the window of a convolution covers the whole input.
bool isFullyConnected(convcore::ConvOp op) {
  auto in = cast<RankedTensorType>(op.getInput().getType()).getShape();
  auto weight = cast<RankedTensorType>(op.getWeight().getType()).getShape();
  return op.getGroups() == 1 && in.drop_front(2) == weight.drop_front(2) &&
         llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; }) &&
         (llvm::all_of(op.getDilations(), [](int64_t d) { return d == 1; }));
}

} // namespace

Instruction &LayerEmitter::add(StringRef name, Operation *op) {
  return list.emplace_back(name, nameOf(op));
}

void LayerEmitter::emitConv(convcore::ConvOp op) {
  std::array<int64_t, 2> pads = {};
  Tensor kernel = evenKernel(op, pads);
  std::optional<Tensor> bias = biasOf(op);
  Rescale rescale = *rescaleOf(op.getRequantAttr());
  Shape4 in = *shape4(op.getInput());
  int64_t weightAt = weights.addKernel(kernel);
  int64_t biasAt = weights.addBias(bias);
  add("conv_p", op)
      .setAll("ga_ifmap", {at(op.getInput()), at(op), weightAt, biasAt, kNoAddress, kNoAddress,
                           kNoAddress, kNoAddress})
      .setAll("input_n", in)
      .setAll("groups", {static_cast<int64_t>(op.getGroups()), kernel.dim(0), kernel.dim(2),
                         kernel.dim(3), op.getDilations()[0], op.getDilations()[1], pads[0],
                         pads[1], op.getStrides()[0], op.getStrides()[1]})
      .set("do_bias", bias ? 1 : 0)
      .set("do_activation", rescale.hasRelu)
      .set("activation_arg", 0)
      .set("right_shift_width", rescale.shift);
}

void LayerEmitter::emitFc(convcore::ConvOp op) {
  Tensor matrix = *graph::constantValue(op.getWeight());
  std::optional<Tensor> bias = biasOf(op);
  Rescale rescale = *rescaleOf(op.getRequantAttr());
  int64_t outputs = matrix.dim(0);
  int64_t weightAt = weights.addBytes(matrix);
  int64_t biasAt = weights.addBias(bias);
  add("fc", op)
      .setAll("bottom_data_gaddr", {at(op.getInput()), weightAt, biasAt, at(op)})
      .setAll("input_row_num",
              {(*shape4(op.getInput()))[0], matrix.size() / std::max<int64_t>(outputs, 1), outputs,
               bias ? 1 : 0, rescale.hasRelu})
      .set("activation_ga_slope", kNoAddress)
      .set("weight_transpose", 1)
      .set("right_shift_width", rescale.shift);
}

void LayerEmitter::emitPool(convcore::PoolOp op) {
  bool isMean = op.getKind() == convcore::PoolKind::Average;
  Rescale rescale = isMean ? *rescaleOf(op.getRequantAttr()) : Rescale();
  ArrayRef<int64_t> pads = op.getPads();
  add("pooling", op)
      .setAll("ifmap_gaddr", {at(op.getInput()), at(op), kNoAddress, kNoAddress})
      .setAll("n", *shape4(op.getInput()))
      .setAll("kh", {op.getKernel()[0], op.getKernel()[1], pads[0], pads[2], pads[1], pads[3],
                     op.getStrides()[0], op.getStrides()[1], isMean})
      .set("do_relu", rescale.hasRelu)
      .set("right_shift_width", rescale.shift)
      .set("threshold_x_quantized", rescale.multiplier);
}

void LayerEmitter::emitEltwise(convcore::EltwiseOp op) {
  EltwiseTerms terms = *termsOf(op);
  add("eltwise", op)
      .setList("ga_input", {at(op.getLhs()), at(op.getRhs())})
      .setAll("ga_output", {at(op), 2, op.getKind() == convcore::EltwiseKind::Mul ? 0 : 1})
      .setAll("input_n", *shape4(op))
      .set("do_relu", terms.rescale.hasRelu)
      .set("right_shift_width", terms.rescale.shift)
      .setList("threshold_x_quantized", {terms.lhs, terms.rhs});
}

/// The multiplier of the requantization is not in lowest terms, so that it has the bits of
/// published programs. The kernel has no relu.
void LayerEmitter::emitLrn(convcore::ByteLrnOp op) {
  convcore::RequantAttr requant = op.getRequant();
  int64_t squares = weights.addTable(*graph::constantValue(op.getSquares()));
  int64_t factors = weights.addTable(*graph::constantValue(op.getFactors()));
  add("lrn", op)
      .setAll("bottom_gaddr", {at(op.getInput()), at(op), squares, factors})
      .setAll("input_n", *shape4(op))
      .setAll("size", {static_cast<int64_t>(op.getSize()), static_cast<int64_t>(op.getSumShift()),
                       requant.getShifts()[0]})
      .setList("threshold_x_quantized",
               {static_cast<int64_t>(op.getSumMultiplier()), requant.getMultipliers()[0]});
  if (requant.getLow() == 0) {
    add("relu", op).setAll("bottom_gaddr", {at(op), at(op)}).setAll("input_n", *shape4(op));
  }
}

/// Emits a relu, or a sum of one term for any other requantization.
void LayerEmitter::emitRescale(Operation *op, const Rescale &rescale) {
  int64_t from = at(op->getOperand(0));
  int64_t to = at(op->getResult(0));
  Shape4 shape = *shape4(op->getResult(0));
  if (rescale.hasRelu && rescale.multiplier == 1 && rescale.shift == 0) {
    add("relu", op).setAll("bottom_gaddr", {from, to}).setAll("input_n", shape);
    return;
  }
  add("eltwise", op)
      .setList("ga_input", {from})
      .setAll("ga_output", {to, 1, 1})
      .setAll("input_n", shape)
      .set("do_relu", rescale.hasRelu)
      .set("right_shift_width", rescale.shift)
      .setList("threshold_x_quantized", {rescale.multiplier});
}

void LayerEmitter::emitConcat(convcore::ConcatOp op) {
  std::vector<int64_t> addresses, dims, shifts, multipliers;
  int64_t rescaled = 0;
  for (Value input : op.getInputs()) {
    Rescale rescale;
    dims.push_back(cast<RankedTensorType>(input.getType()).getDimSize(op.getAxis()));
    if (convcore::RequantizeOp folded = foldedRescale(input)) {
      rescale = *rescaleOf(folded.getRequant());
      input = folded.getInput();
      ++rescaled;
    }
    addresses.push_back(at(input));
    shifts.push_back(rescale.shift);
    multipliers.push_back(rescale.multiplier);
  }
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  add("concat", op)
      .setList("input_gaddrs", addresses)
      .set("output_gaddr", at(op))
      .setList("input_dims", dims)
      .setAll("input_num", {static_cast<int64_t>(dims.size()), static_cast<int64_t>(op.getAxis()),
                            static_cast<int64_t>(shape.size())})
      .setList("output_dim", listOf(shape))
      .set("need_quantize_num", rescaled)
      .setList("right_shift_width", shifts)
      .setList("threshold_x_quantized", multipliers);
}

void LayerEmitter::emitPermute(convcore::TransposeOp op) {
  Shape4 order = {0, 1, 2, 3};
  std::copy(op.getPermutation().begin(), op.getPermutation().end(), order.begin());
  bool isVector = op.getPermutation().size() == 1;
  add("permute", op)
      .setAll("input_gaddr", {at(op.getInput()), at(op)})
      .setAll("input_n", *shape4(op.getInput()))
      .setAll("output_n", *shape4(op))
      .setAll("order_n", isVector ? Shape4{0, 1, 2, 3} : order)
      .set("need_permute", 1);
}

/// Copies boxes through local memory, with as many channels at a time as the lanes hold.
void LayerEmitter::emitSlice(convcore::SliceOp op) {
  Shape4 from = *shape4(op.getInput());
  Shape4 size = *shape4(op);
  Shape4 offset = {0, 0, 0, 0};
  bool isVector = op.getOffsets().size() == 1;
  std::copy(op.getOffsets().begin(), op.getOffsets().end(), offset.begin() + (isVector ? 1 : 0));
  int64_t plane = laneBytes(1, kLanes, size[2] * size[3], /*isAligned=*/true);
  int64_t most = kLaneBytes / std::max<int64_t>(plane, 1) * kLanes;
  for (int64_t n = 0; n < size[0]; ++n) {
    for (int64_t c = 0; c < size[1]; c += most) {
      int64_t channels = std::min(most, size[1] - c);
      int64_t source =
          (((n + offset[0]) * from[1] + c + offset[1]) * from[2] + offset[2]) * from[3];
      int64_t target = (n * size[1] + c) * size[2] * size[3];
      auto box = [&](StringRef name, StringRef first, int64_t address, Shape4 global) {
        add(name, op)
            .set(first, address)
            .setAll("Local_N",
                    {1, channels, size[2], size[3], global[1], global[2], global[3], 0, 1, 1});
      };
      box("tl_layer_load_stride", "ga_src", at(op.getInput()) + source + offset[3], from);
      box("tl_layer_store_stride", "ga_dst", at(op) + target, size);
    }
  }
}

std::vector<Instruction> LayerEmitter::emit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](convcore::ConvOp conv) { isFullyConnected(conv) ? emitFc(conv) : emitConv(conv); })
      .Case([&](convcore::PoolOp pool) { emitPool(pool); })
      .Case([&](convcore::EltwiseOp eltwise) { emitEltwise(eltwise); })
      .Case([&](convcore::ByteLrnOp lrn) { emitLrn(lrn); })
      .Case([&](convcore::RequantizeOp rescale) {
        if (!foldedRescale(rescale)) {
          emitRescale(rescale, *rescaleOf(rescale.getRequant()));
        }
      })
      .Case([&](convcore::CopyOp copy) { emitRescale(copy, Rescale()); })
      .Case([&](convcore::ConcatOp concat) { emitConcat(concat); })
      .Case([&](convcore::TransposeOp transpose) { emitPermute(transpose); })
      .Case([&](convcore::SliceOp slice) { emitSlice(slice); });
  return std::move(list);
}

} // namespace convoy::bm1880
