// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements SameConditions.h.

#include "Schedule/SameConditions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace convoy::schedule {

/// Returns whether the same ops have the same value in two evaluations, if both are executed.
bool SameConditions::haveSameValue(const Evaluation &a, const Evaluation &b) {
  auto seen = [](const Evaluation &of, const Evaluation &with) {
    std::set<std::pair<unsigned, int64_t>> writes;
    for (const auto &[write, sides] : of.writes) {
      if (!areImpossible(joinSides(sides, with.sides))) {
        writes.insert(write);
      }
    }
    return writes;
  };
  return seen(a, b) == seen(b, a);
}

const void *SameConditions::conditionOf(Value value, const EvaluationPoint &point) {
  Evaluation now{point.sides, {}};
  std::string text = textOf(value, point, now);
  std::vector<std::unique_ptr<Condition>> &ofText = conditions[text];
  auto isSame = [&](const std::unique_ptr<Condition> &condition) {
    return llvm::all_of(condition->evaluations,
                        [&](const Evaluation &other) { return haveSameValue(now, other); });
  };
  auto it = llvm::find_if(ofText, isSame);
  if (it == ofText.end()) {
    ofText.push_back(std::make_unique<Condition>());
    it = std::prev(ofText.end());
  }
  std::vector<Evaluation> &evaluations = (*it)->evaluations;
  if (llvm::none_of(evaluations, [&](const Evaluation &other) {
        return other.sides == now.sides && other.writes == now.writes;
      })) {
    evaluations.push_back(std::move(now));
  }
  return it->get();
}

/// Returns the ops that compute a value as text. Adds the writes that their loads see.
std::string SameConditions::textOf(Value value, const EvaluationPoint &point,
                                   Evaluation &now) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    int depth = 0;
    for (Operation *op = argument.getOwner()->getParentOp(); op; op = op->getParentOp()) {
      ++depth;
    }
    stream << depth << "." << argument.getArgNumber();
    if (argument.getOwner() == point.loopBody) {
      stream << "." << point.iteration; // the loop carries another value
    }
    return text;
  }
  Operation *op = value.getDefiningOp();
  stream << op->getName() << op->getAttrDictionary() << "(";
  for (Value operand : op->getOperands()) {
    stream << textOf(operand, point, now) << ",";
  }
  stream << ")";
  if (isa<memref::LoadOp>(op)) {
    addWrites(op, point, now);
  }
  return text;
}

/// Adds the writes of the bytes that a load reads.
void SameConditions::addWrites(Operation *load, const EvaluationPoint &point,
                               Evaluation &now) const {
  FailureOr<SmallVector<Access>> reads =
      accessesOf(load, point.function, kernels, /*withScratch=*/false);
  for (const Access &read : succeeded(reads) ? *reads : SmallVector<Access>()) {
    bytes.visitWrites(read, [&](const Touch &touch) {
      if (!areImpossible(joinSides(*touch.sides, now.sides))) {
        now.writes[{touch.worker, touch.time}] = *touch.sides;
      }
    });
  }
}

} // namespace convoy::schedule
