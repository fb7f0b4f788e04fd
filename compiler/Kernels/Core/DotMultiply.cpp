// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the multiplies of 8-bit weights by inputs of 8 and of 16 bits.

#include "Kernels/Core/DotMultiply.h"
#include "Kernels/Core/Epilogue.h"
#include "Kernels/Core/LaneDotMultiply.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/MatmulMultiply.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

/// Bytes per lane.
static constexpr int64_t kLaneBytes = 4;

DotMultiply::DotMultiply(ImplicitLocOpBuilder &builder, Value inputs, Value weights, int64_t block,
                         DotForm form, DotInputs numbers, BiasOf bias)
    : Multiply(builder, block, VectorType::get({block}, builder.getI32Type())), x(inputs),
      w(weights), dot(builder, form, block), numbers(numbers), bias(std::move(bias)) {
  depth = kLaneBytes;
  head = kLaneBytes;
  addsBias = true;
  ignoresPadding = padByte(0) == 0;
}

int64_t DotMultiply::padByte(int64_t part) const {
  return ((numbers.zero >> (8 * part)) & 255) ^ (dot.takesSigned() ? 128 : 0);
}

Value DotMultiply::spread(Value lane) {
  return b.create<vector::BroadcastOp>(type, b.create<vector::ExtractOp>(lane, 0));
}

Value DotMultiply::asFactor(Value lanes, bool isSigned) {
  if (isSigned == dot.takesSigned()) {
    return lanes;
  }
  auto flips =
      DenseElementsAttr::get(cast<VectorType>(lanes.getType()), static_cast<int32_t>(0x80808080));
  return b.create<arith::XOrIOp>(lanes, b.create<arith::ConstantOp>(flips));
}

Value DotMultiply::padding(int64_t byte) {
  return byte == 0 ? Value() : dot.splat(static_cast<int32_t>(byte * 0x01010101));
}

Multiply::Values DotMultiply::loadWeights(Value offset) { return {loadInts(b, w, offset, block)}; }

/// Loads four channels of a pixel and broadcasts them to every lane.
Multiply::Values DotMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  if (!offsets[0]) {
    return {padding(padByte(0))};
  }
  return {asFactor(spread(loadInts(b, x, offsets[0], 1)), numbers.isSigned)};
}

Value DotMultiply::multiplyAdd(int64_t i, Value sum, ArrayRef<Value> inputs,
                               ArrayRef<Value> weights) {
  return inputs[i] ? dot.addBytes(sum, inputs[i], weights[0]) : sum;
}

Value DotMultiply::withBias(Value sum, const PanelBlock &panel) {
  Value added = bias && panel.hasBias ? bias(panel.channels) : Value();
  return added ? b.create<arith::AddIOp>(sum, added).getResult() : sum;
}

Multiply::Values DotMultiply::start(const PanelBlock &panel) {
  return {withBias(loadInts(b, w, panel.head, block), panel)};
}

WideDotMultiply::WideDotMultiply(ImplicitLocOpBuilder &builder, Value inputs, Value weights,
                                 int64_t block, DotForm form, DotInputs numbers, BiasOf bias,
                                 ElementType sums)
    : DotMultiply(builder, inputs, weights, block, form, numbers, std::move(bias)), sums(sums) {
  registers = 2;
  ignoresPadding = padByte(0) == 0 && padByte(1) == 0;
}

/// The lower bytes and the upper bytes of the four channels of a pixel are separate vectors:
///
///     u3 l3 u2 l2 u1 l1 u0 l0    ->    l3 l2 l1 l0  and  u3 u2 u1 u0
Multiply::Values WideDotMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  if (!offsets[0]) {
    return {padding(padByte(0)), padding(padByte(1))};
  }
  auto words = VectorType::get({kLaneBytes}, b.getI16Type());
  auto bytes = VectorType::get({2 * kLaneBytes}, b.getI8Type());
  Value four = b.create<vector::BitCastOp>(bytes, b.create<vector::LoadOp>(words, x, offsets[0]));
  Values result;
  for (int64_t part = 0; part < registers; ++part) {
    SmallVector<int64_t> taken = {part, part + 2, part + 4, part + 6};
    Value own = b.create<vector::ShuffleOp>(four, four, taken);
    Value lane = b.create<vector::BitCastOp>(VectorType::get({1}, b.getI32Type()), own);
    bool isSigned = numbers.isSigned && part == registers - 1;
    result.push_back(asFactor(spread(lane), isSigned));
  }
  return result;
}

/// Returns bias - zero * sum(weights) of a block of channels, in the type of the sums.
Multiply::Values WideDotMultiply::corrections(const PanelBlock &panel) {
  Lanes l(b, block);
  Value weights = convert(l, loadInts(b, w, panel.head, block), ElementType::I32, sums);
  Value factor = l.intOf(registerType(sums, b.getContext()), -numbers.zeroOfSums);
  return {withBias(l.op<arith::MulIOp>(weights, factor), panel)};
}

/// Returns correction + 256 * upper + lower.
Multiply::Values WideDotMultiply::finish(ArrayRef<Value> cell, ArrayRef<Value> corrections) {
  Lanes l(b, block);
  Value eight = l.intOf(registerType(sums, b.getContext()), 8);
  Value high = l.op<arith::ShLIOp>(convert(l, cell[1], ElementType::I32, sums), eight);
  Value lower = convert(l, cell[0], ElementType::I32, sums);
  Value low = b.create<arith::AddIOp>(corrections[0], lower);
  return {b.create<arith::AddIOp>(low, high)};
}

int64_t zeroOfSums(const IntegerOperands &integers, DotForm form) {
  int64_t lowest = integers.isInputWide ? 128 * 256 + 128 : 128; // each byte minus 128
  return integers.unsignedZero() - (signsOf(form) == Signs::SignedSigned ? lowest : 0);
}

int64_t dotDepth(const ConvKernel &kernel, DotForm form, int64_t channels) {
  const ConvProblem &p = kernel.problem;
  bool isWhole =
      channels % kMatmulDepth == 0 && (!p.isMatrix || p.inputChannels % kMatmulDepth == 0);
  return form == DotForm::Usdot && isWhole && !kernel.integers->isInputWide ? kMatmulDepth
                                                                            : kLaneBytes;
}

std::unique_ptr<Multiply> dotMultiply(KernelEmitter &elements, const ConvKernel &kernel,
                                      Value inputs, Value weights, int64_t block, DotForm form,
                                      int64_t depth) {
  const IntegerOperands &integers = *kernel.integers;
  DotInputs numbers{integers.isInputSigned, integers.unsignedZero(), zeroOfSums(integers, form)};
  DotMultiply::BiasOf bias = [&, block](const Index &channels) {
    return kernel.bias() ? channelElements(elements, kernel.bias(), channels, block) : Value();
  };
  if (integers.isInputWide) {
    return std::make_unique<WideDotMultiply>(elements.b, inputs, weights, block, form, numbers,
                                             bias, elements.type(kernel.op->getResult(0)));
  }
  if (depth == kMatmulDepth) {
    return std::make_unique<MatmulMultiply>(elements.b, inputs, weights, block, form, numbers,
                                            bias);
  }
  if (isOfArm(form)) {
    return std::make_unique<LaneDotMultiply>(elements.b, inputs, weights, block, form, numbers,
                                             bias);
  }
  return std::make_unique<DotMultiply>(elements.b, inputs, weights, block, form, numbers, bias);
}

} // namespace convoy::kernels
