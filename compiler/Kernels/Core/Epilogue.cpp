// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the epilogues of convolution templates. KernelEmitter emits the epilogue ops; this file
// provides the sums as elements of the convolution's result.

#include "Kernels/Core/Epilogue.h"
#include "Kernels/OpCycles.h"

using namespace mlir;

namespace convoy::kernels {

SmallVector<Index> resultAt(const ConvKernel &kernel, const Index &batch, const Index &channels,
                            const Index &row, const Index &column) {
  SmallVector<Index> at = {batch, channels};
  if (cast<RankedTensorType>(kernel.op->getResult(0).getType()).getRank() == 4) {
    at.push_back(row);
  }
  at.push_back(column);
  return at;
}

Value finishElement(KernelEmitter &elements, const ConvKernel &kernel, ArrayRef<Index> at,
                    Value sum, int64_t block) {
  elements.width = block;
  if (Value operand = kernel.bias()) {
    // If lanes are pixels, the bias is the same in all lanes.
    Value bias = elements.lanes().splat(elements.element(operand, {at[1]}));
    sum = kernel.integers ? elements.b.create<arith::AddIOp>(sum, bias).getResult()
                          : elements.b.create<arith::AddFOp>(sum, bias).getResult();
  }
  return finishSum(elements, kernel, at, sum, block);
}

Value finishSum(KernelEmitter &elements, const ConvKernel &kernel, ArrayRef<Index> at, Value sum,
                int64_t block) {
  elements.width = block;
  elements.provide(kernel.op->getResult(0), at, sum);
  Operation *end = kernel.op->getBlock()->getTerminator();
  Value element = elements.lanes().splat(elements.element(end->getOperand(0), at));
  elements.width = 1;
  return element;
}

Value channelElements(KernelEmitter &elements, Value operand, const Index &channels,
                      int64_t block) {
  elements.width = block;
  Value own = elements.lanes().splat(elements.element(operand, {channels}));
  elements.width = 1;
  return own;
}

Value weightZeros(KernelEmitter &elements, const ConvKernel &kernel, const Index &channels,
                  int64_t block) {
  Lanes l(elements.b, block);
  const IntegerOperands &integers = *kernel.integers;
  int64_t stored = integers.weightZeroPoint - (integers.isWeightSigned ? 0 : 128);
  auto type = VectorType::get({block}, elements.b.getI32Type());
  Value zeros = elements.b.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, static_cast<int32_t>(stored)));
  Value own = kernel.weightZeroPoints();
  if (!own) {
    return zeros;
  }
  own = channelElements(elements, own, channels, block);
  return stored == 0 ? own : l.op<arith::AddIOp>(own, zeros);
}

Value correctedSums(ImplicitLocOpBuilder &b, Value sums, Value zeros, Value inputSum) {
  Lanes l(b, cast<VectorType>(sums.getType()).getNumElements());
  if (getElementTypeOrSelf(inputSum.getType()).isInteger(64)) {
    zeros = convert(l, zeros, ElementType::I32, ElementType::I64);
  }
  return l.op<arith::SubIOp>(sums, l.op<arith::MulIOp>(zeros, inputSum));
}

double epilogueCycles(const ConvKernel &kernel) {
  double cycles = 0;
  for (Operation &op : kernel.op->getBlock()->without_terminator()) {
    cycles += &op == kernel.op ? 0 : cyclesPerVector(&op);
  }
  return cycles;
}

void setProducts(KernelEmitter &elements, DotForm form) {
  elements.widensProducts = isOfArm(form);
  elements.pairsProducts = form != DotForm::None && !elements.widensProducts;
}

} // namespace convoy::kernels
