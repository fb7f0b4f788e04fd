// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns a class to each op of the graph dialect.

#include "Graph/OpFacts.h"
#include "Graph/TableNormalization.h"

using namespace mlir;

namespace convoy::graph {

OpClass classify(Operation *op) {
  if (isa<UnaryOp, ActivationOp, BinaryOp, SelectOp, CastOp, BitcastOp, QuantizeLinearOp,
          DequantizeLinearOp, BatchNormOp, RequantizeOp, IntegerAddOp, IntegerMulOp, LookupOp>(
          op)) {
    return OpClass::Elementwise;
  }
  if (isa<ReshapeOp, ReorderOp, TransposeOp, SliceOp, ExpandOp, TileOp, PadOp, GatherOp,
          GatherElementsOp, GatherNDOp, RangeOp, OneHotOp, TriluOp, ReverseSequenceOp, ShapeOp>(
          op)) {
    return OpClass::Movement;
  }
  if (isa<ReduceOp, ArgReduceOp>(op)) {
    return OpClass::Reduction;
  }
  if (isa<ConvOp, ConvTransposeOp, DeformConvOp, MatMulOp, EinsumOp, MaxPoolOp, AveragePoolOp,
          LpPoolOp, LRNOp, GridSampleOp, RoiAlignOp, MaxRoiPoolOp, DFTOp, Col2ImOp, IntegerConvOp,
          IntegerMatMulOp, IntegerSumPoolOp, IntegerLRNOp>(op)) {
    return OpClass::Heavy;
  }
  if (isa<ConcatOp, ScatterElementsOp, ScatterNDOp, TopKOp, CumulativeOp, DetOp, MaxUnpoolOp>(op)) {
    return OpClass::Whole;
  }
  if (isa<IfOp, LoopOp, ScanOp, KernelOp>(op)) {
    return OpClass::Control;
  }
  return OpClass::None;
}

bool collapsesDimensions(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    return constant.getValue().getNumElements() == 1;
  }
  if (auto requantize = dyn_cast<RequantizeOp>(op)) {
    return cast<RankedTensorType>(requantize.getMultiplier().getType()).getRank() == 0;
  }
  return isa<UnaryOp, ActivationOp, BinaryOp, SelectOp, CastOp, BitcastOp, IntegerAddOp,
             IntegerMulOp>(op);
}

bool isStaticOperand(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (isa<ReshapeOp, ExpandOp, TileOp, ReduceOp, CumulativeOp, TopKOp>(op)) {
    return index == 1;
  }
  if (isa<SliceOp, Col2ImOp, DFTOp>(op)) {
    return index >= 1;
  }
  if (auto pad = dyn_cast<PadOp>(op)) {
    return index >= 1 && operand.get() != pad.getValue();
  }
  if (auto unpool = dyn_cast<MaxUnpoolOp>(op)) {
    return index == 2;
  }
  if (isa<OneHotOp>(op)) {
    return index == 1;
  }
  return false;
}

} // namespace convoy::graph
