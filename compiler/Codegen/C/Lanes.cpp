// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints loops over lanes: groups of ops in plain C, and single ops that have no operator for
// vector types.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/Expressions.h"
#include "Codegen/C/FunctionPrinter.h"

using namespace mlir;

namespace convoy::codegen {

void FunctionPrinter::openLanes(int64_t lanes, bool isParallel) {
  if (isParallel) {
    line("CONVOY_SIMD");
  }
  line("for (ptrdiff_t l = 0; l < " + llvm::Twine(lanes) + "; ++l) {");
  ++depth;
}

void FunctionPrinter::closeLanes() {
  --depth;
  line("}");
}

/// Returns the result of the op in lane `l`.
std::string FunctionPrinter::valueInLane(Operation *op) {
  auto masked = [&](Value mask, const std::string &element, Value other) {
    std::string condition = lane(mask);
    return condition == "true" ? element : condition + " ? " + element + " : " + lane(other);
  };
  auto at = [&](Value memory, ValueRange indices, const std::string &offset) {
    std::string start = indices.empty() ? "" : text(indices[0]) + " + ";
    return text(memory) + "[" + (start == "0 + " ? "" : start) + offset + "]";
  };
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    return at(load.getBase(), load.getIndices(), "l");
  }
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op)) {
    return masked(load.getMask(), at(load.getBase(), load.getIndices(), "l"), load.getPassThru());
  }
  if (auto gather = dyn_cast<vector::GatherOp>(op)) {
    return masked(gather.getMask(),
                  at(gather.getBase(), gather.getIndices(), lane(gather.getIndexVec())),
                  gather.getPassThru());
  }
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isa<VectorType>(operand.getType()) ? lane(operand) : text(operand));
  }
  return scalarExpression(op, operands, helpers);
}

void FunctionPrinter::printInLane(Operation *op, bool isLocal) {
  auto storeTo = [&](Value memory, ValueRange indices, const std::string &offset, Value value) {
    std::string start = indices.empty() ? "" : text(indices[0]) + " + ";
    line(text(memory) + "[" + (start == "0 + " ? "" : start) + offset + "] = " + lane(value) + ";");
  };
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    storeTo(store.getBase(), store.getIndices(), "l", store.getValueToStore());
    return;
  }
  if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
    line("if (" + lane(store.getMask()) + ") {");
    ++depth;
    storeTo(store.getBase(), store.getIndices(), "l", store.getValueToStore());
    closeLanes();
    return;
  }
  if (auto scatter = dyn_cast<vector::ScatterOp>(op)) {
    line("if (" + lane(scatter.getMask()) + ") {");
    ++depth;
    storeTo(scatter.getBase(), scatter.getIndices(), lane(scatter.getIndexVec()),
            scatter.getValueToStore());
    closeLanes();
    return;
  }
  std::string value = valueInLane(op);
  Value result = op->getResult(0);
  if (isLocal) {
    std::string key = scalarKey(getElementTypeOrSelf(result.getType()));
    std::string name = fresh(key == "index" ? 'n' : key == "bool" ? 'b' : key[0]);
    line("const " + scalarType(key) + " " + name + " = " + value + ";");
    places[result] = {Place::Kind::Lane, name};
    return;
  }
  bool isMask = getElementTypeOrSelf(result.getType()).isInteger(1);
  bool isWide = isMask && flavor == Flavor::Vectors;
  line(places[result].text + "[l] = " + (isWide ? "(" + value + ") ? -1 : 0" : value) + ";");
}

void FunctionPrinter::printGroup(const LaneGroup &group) {
  llvm::SmallPtrSet<Operation *, 32> members(group.ops.begin(), group.ops.end());
  llvm::SmallPtrSet<Operation *, 32> locals;
  for (Operation *op : group.ops) {
    if (op->getNumResults() == 0) {
      continue;
    }
    if (BlockArgument argument = inlining.replaced(op->getOpResult(0))) {
      Place taken = place(argument);
      places[op->getResult(0)] = taken;
    } else if (llvm::all_of(op->getUsers(), [&](Operation *u) { return members.contains(u); })) {
      locals.insert(op);
    } else {
      declare(op->getResult(0));
    }
  }
  bool scatters = llvm::any_of(group.ops, [](Operation *op) { return isa<vector::ScatterOp>(op); });
  openLanes(group.lanes, !scatters);
  for (Operation *op : group.ops) {
    printInLane(op, locals.contains(op));
  }
  closeLanes();
}

/// Prints an op that has no operator for vector types as a loop over lanes.
void FunctionPrinter::printLoopOverLanes(Operation *op) {
  int64_t lanes = 0;
  if (op->getNumResults() == 0) {
    auto store = dyn_cast<vector::MaskedStoreOp>(op);
    lanes = store ? store.getVectorType().getNumElements()
                  : cast<vector::ScatterOp>(op).getVectorType().getNumElements();
  } else {
    Value result = op->getResult(0);
    lanes = cast<VectorType>(result.getType()).getNumElements();
    if (BlockArgument argument = inlining.replaced(op->getOpResult(0))) {
      Place taken = place(argument);
      places[result] = taken;
    } else {
      std::string name = nameFor(result.getType());
      line(typeOf(result) + " " + name + " = {0};");
      places[result] = {Place::Kind::Variable, name};
    }
  }
  openLanes(lanes, /*isParallel=*/false);
  printInLane(op, /*isLocal=*/false);
  closeLanes();
}

} // namespace convoy::codegen
