// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the kernels of the template `recurrent`.

#include "Kernels/Recurrent/ScanKernel.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "Kernels/Loops/KernelEmitter.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isF32Matrix(Value value) {
  return typeOf(value).getRank() == 2 && typeOf(value).getElementType().isF32();
}

/// Returns the only op of the block besides constants, if it is a scan whose results the block
/// returns.
graph::ScanOp onlyScan(Block &body) {
  graph::ScanOp scan;
  for (Operation &op : body.without_terminator()) {
    if (isa<graph::ConstantOp>(op)) {
      continue;
    }
    if (scan || !isa<graph::ScanOp>(op)) {
      return nullptr;
    }
    scan = cast<graph::ScanOp>(op);
  }
  bool isReturned = scan && llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
                      return value.getDefiningOp() == scan;
                    });
  return isReturned ? scan : graph::ScanOp();
}

bool isAlongFirst(graph::ScanOp scan) {
  auto isFirst = [](int64_t axis) { return axis == 0; };
  return llvm::all_of(scan.getInputAxes(), isFirst) && llvm::all_of(scan.getOutputAxes(), isFirst);
}

std::string whyNotProduct(graph::MatMulOp op, const ScanKernel &kernel) {
  auto weight = dyn_cast<BlockArgument>(op.getRhs());
  bool isOperand = weight && weight.getOwner() == kernel.scan->getBlock();
  bool isOnlyWeight = isOperand && llvm::all_of(weight.getUses(), [](OpOperand &use) {
                        return isa<graph::MatMulOp>(use.getOwner()) && use.getOperandNumber() == 1;
                      });
  if (!isOnlyWeight || !isF32Matrix(op.getLhs()) || !isF32Matrix(op.getRhs())) {
    return "a product in the scan is not of an f32 matrix and an f32 operand of the scan";
  }
  return "";
}

/// Returns whether the slice keeps all rows, in order.
bool keepsRows(graph::SliceOp op) {
  std::optional<Tensor> axes = op.getAxes() ? graph::constantValue(op.getAxes()) : std::nullopt;
  return axes && typeOf(op.getInput()).getRank() == 2 &&
         llvm::all_of(axes->ints(), [](int64_t axis) { return axis == 1 || axis == -1; });
}

/// Returns whether the generic emitters compute elements of the op on demand, each from the same
/// row of the operands.
bool isRowwise(Operation &op) {
  auto slice = dyn_cast<graph::SliceOp>(op);
  bool isKnown = slice ? keepsRows(slice) : graph::classify(&op) == graph::OpClass::Elementwise;
  const EmitterRow *row = isKnown ? emitterTable().find(&op) : nullptr;
  return row && row->element && (!row->limit || row->limit(&op).empty()) &&
         typeOf(op.getResult(0)).getRank() <= 2;
}

std::string whyNotOps(ScanKernel &kernel) {
  for (Operation &op : kernel.body().without_terminator()) {
    if (auto product = dyn_cast<graph::MatMulOp>(op)) {
      std::string reason = whyNotProduct(product, kernel);
      if (!reason.empty()) {
        return reason;
      }
      kernel.products.push_back(product);
    } else if (!isa<graph::ConstantOp>(op) && !isRowwise(op)) {
      return "the scan contains " + op.getName().getStringRef().str() +
             ", which does not compute each row from the same row";
    }
  }
  return kernel.products.empty() ? "the scan contains no product" : "";
}

/// Checks that every argument of the body is a matrix with a row per entry of the batch, and that
/// all yielded values have the same type.
std::string whyNotShapes(ScanKernel &kernel) {
  Block &body = kernel.body();
  bool areMatrices = llvm::all_of(body.getArguments(), [&](BlockArgument argument) {
    return typeOf(argument).getRank() == 2 && typeOf(argument).getDimSize(0) == kernel.batch &&
           typeOf(argument).getNumElements() > 0;
  });
  Operation *yield = body.getTerminator();
  bool areEqual = llvm::all_of(yield->getOperands(), [&](Value value) {
    return isF32Matrix(value) && value.getType() == yield->getOperand(0).getType();
  });
  return areMatrices && areEqual && kernel.steps > 0
             ? ""
             : "the states and slices of the scan are not f32 matrices with a row per batch entry";
}

/// Finds the mask of sequences of different lengths: each yielded value is a select on the same
/// scanned rows of i1 between a new value and the state, or a constant.
void findMask(ScanKernel &kernel) {
  Value condition;
  SmallVector<Value> inactive;
  for (auto [i, value] : llvm::enumerate(kernel.body().getTerminator()->getOperands())) {
    auto select = value.getDefiningOp<graph::SelectOp>();
    if (!select || (condition && select.getCondition() != condition)) {
      return;
    }
    condition = select.getCondition();
    Value other = select.getFalseValue();
    bool isState = i < kernel.states() && other == kernel.body().getArgument(i);
    if (!isState && !other.getDefiningOp<graph::ConstantOp>()) {
      return;
    }
    inactive.push_back(other);
  }
  auto argument = dyn_cast_or_null<BlockArgument>(condition);
  if (!argument || argument.getOwner() != &kernel.body() ||
      argument.getArgNumber() < kernel.states() ||
      typeOf(argument).getNumElements() != kernel.batch) {
    return;
  }
  kernel.mask = argument.getArgNumber() - kernel.states();
  kernel.inactive = std::move(inactive);
}

} // namespace

ArrayRef<int64_t> ScanKernel::yieldShape() const {
  return typeOf(body().getTerminator()->getOperand(0)).getShape();
}

std::optional<ScanKernel> matchScanKernel(Block &body, std::string &reason) {
  ScanKernel kernel;
  kernel.scan = onlyScan(body);
  if (!kernel.scan || !isAlongFirst(kernel.scan) || kernel.scan.getStates().empty() ||
      kernel.scan.getScanned().empty()) {
    reason = "the kernel is not a single scan along the first axis";
    return std::nullopt;
  }
  // A constant of one element is inside the kernel and not in memory.
  if (!llvm::all_of(kernel.scan->getOperands(),
                    [](Value value) { return isa<BlockArgument>(value); })) {
    reason = "a state or a scanned tensor of the scan is a constant of one element";
    return std::nullopt;
  }
  RankedTensorType state = typeOf(kernel.scan.getStates()[0]);
  kernel.steps = typeOf(kernel.scan.getScanned()[0]).getDimSize(0);
  kernel.batch = state.getRank() == 2 ? state.getDimSize(0) : 0;
  reason = whyNotShapes(kernel);
  reason = reason.empty() ? whyNotOps(kernel) : reason;
  findMask(kernel);
  return reason.empty() ? std::optional(kernel) : std::nullopt;
}

} // namespace convoy::kernels
