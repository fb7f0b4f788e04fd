// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the multiplies of 8-bit weights by inputs of 8 and of 16 bits.

#include "Kernels/Core/DotMultiply.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

/// Bytes per lane.
static constexpr int64_t kLaneBytes = 4;

DotMultiply::DotMultiply(KernelEmitter &elements, const ConvKernel &kernel, Value inputs,
                         Value weights, int64_t block, DotForm form)
    : Multiply(elements.b, block, VectorType::get({block}, elements.b.getI32Type())),
      elements(elements), kernel(kernel), x(inputs), w(weights), dot(elements.b, form, block),
      zero(kernel.integers->unsignedZero()) {
  depth = kLaneBytes;
  head = kLaneBytes;
  addsBias = true;
  ignoresPadding = zero == 0;
}

Value DotMultiply::loadInts(Value memory, Value offset, int64_t lanes) {
  auto bytes = VectorType::get({lanes * kLaneBytes}, b.getI8Type());
  Value loaded = b.create<vector::LoadOp>(bytes, memory, offset);
  return b.create<vector::BitCastOp>(VectorType::get({lanes}, b.getI32Type()), loaded);
}

Value DotMultiply::spread(Value lane) {
  return b.create<vector::BroadcastOp>(type, b.create<vector::ExtractOp>(lane, 0));
}

Value DotMultiply::flipped(Value lanes) {
  return b.create<arith::XOrIOp>(lanes, dot.splat(static_cast<int32_t>(0x80808080)));
}

Value DotMultiply::padding(int64_t byte) {
  return byte == 0 ? Value() : dot.splat(static_cast<int32_t>(byte * 0x01010101));
}

Multiply::Values DotMultiply::loadWeights(Value offset) { return {loadInts(w, offset, block)}; }

/// Loads four channels of a pixel and broadcasts them to every lane.
Multiply::Values DotMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  if (!offsets[0]) {
    return {padding(zero)};
  }
  Value four = spread(loadInts(x, offsets[0], 1));
  return {kernel.integers->isInputSigned ? flipped(four) : four};
}

Value DotMultiply::multiplyAdd(int64_t i, Value sum, ArrayRef<Value> inputs,
                               ArrayRef<Value> weights) {
  return inputs[i] ? dot.addBytes(sum, inputs[i], weights[0]) : sum;
}

Value DotMultiply::biasOf(const PanelBlock &panel) {
  Value bias = kernel.bias();
  if (!bias) {
    return {};
  }
  elements.width = block;
  Value own = elements.lanes().splat(elements.element(bias, {panel.channels}));
  elements.width = 1;
  return own;
}

Multiply::Values DotMultiply::start(const PanelBlock &panel) {
  Value sum = loadInts(w, panel.head, block);
  if (Value bias = biasOf(panel)) {
    sum = b.create<arith::AddIOp>(sum, bias);
  }
  return {sum};
}

WideDotMultiply::WideDotMultiply(KernelEmitter &elements, const ConvKernel &kernel, Value inputs,
                                 Value weights, int64_t block, DotForm form)
    : DotMultiply(elements, kernel, inputs, weights, block, form) {
  registers = 2;
}

/// The lower bytes and the upper bytes of the four channels of a pixel are separate vectors:
///
///     u3 l3 u2 l2 u1 l1 u0 l0    ->    l3 l2 l1 l0  and  u3 u2 u1 u0
Multiply::Values WideDotMultiply::loadInputs(ArrayRef<Value> offsets, int64_t /*steps*/) {
  if (!offsets[0]) {
    return {padding(zero & 255), padding(zero >> 8)};
  }
  auto words = VectorType::get({kLaneBytes}, b.getI16Type());
  auto bytes = VectorType::get({2 * kLaneBytes}, b.getI8Type());
  Value four = b.create<vector::BitCastOp>(bytes, b.create<vector::LoadOp>(words, x, offsets[0]));
  Values result;
  for (int64_t part = 0; part < registers; ++part) {
    SmallVector<int64_t> taken = {part, part + 2, part + 4, part + 6};
    Value own = b.create<vector::ShuffleOp>(four, four, taken);
    result.push_back(
        spread(b.create<vector::BitCastOp>(VectorType::get({1}, b.getI32Type()), own)));
  }
  if (kernel.integers->isInputSigned) {
    result.back() = flipped(result.back());
  }
  return result;
}

/// Returns bias - zero * sum(weights) of a block of channels, in the type of the sums.
Multiply::Values WideDotMultiply::corrections(const PanelBlock &panel) {
  Lanes l(b, block);
  Value weights = convert(l, loadInts(w, panel.head, block), ElementType::I32, sumType());
  Value factor = l.intOf(registerType(sumType(), b.getContext()), -zero);
  Value start = l.op<arith::MulIOp>(weights, factor);
  Value bias = biasOf(panel);
  return {bias ? b.create<arith::AddIOp>(start, bias).getResult() : start};
}

/// Returns correction + 256 * upper + lower.
Multiply::Values WideDotMultiply::finish(ArrayRef<Value> cell, ArrayRef<Value> corrections) {
  Lanes l(b, block);
  Value eight = l.intOf(registerType(sumType(), b.getContext()), 8);
  Value high = l.op<arith::ShLIOp>(convert(l, cell[1], ElementType::I32, sumType()), eight);
  Value lower = convert(l, cell[0], ElementType::I32, sumType());
  Value low = b.create<arith::AddIOp>(corrections[0], lower);
  return {b.create<arith::AddIOp>(low, high)};
}

std::unique_ptr<Multiply> dotMultiply(KernelEmitter &elements, const ConvKernel &kernel,
                                      Value inputs, Value weights, int64_t block, DotForm form) {
  if (kernel.integers->isInputWide) {
    return std::make_unique<WideDotMultiply>(elements, kernel, inputs, weights, block, form);
  }
  return std::make_unique<DotMultiply>(elements, kernel, inputs, weights, block, form);
}

} // namespace convoy::kernels
