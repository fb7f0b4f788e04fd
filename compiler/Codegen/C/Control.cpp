// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints loops and branches. Values that a loop carries are variables declared before the
// loop:
//
//     %r = scf.for %i = %a to %b step %c iter_args(%x = %init) { ... scf.yield %y }
//
//     float x = init;
//     for (ptrdiff_t i = a; i < b; i += c) { ... x = y; }       // r is x
//
// If init has no other use, x takes its variable. If y is computed after the last use of x, it
// takes the variable of x (Inlining::replaced). Most loops then need no copies.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/FunctionPrinter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::codegen {

bool FunctionPrinter::canTakeVariable(OpOperand &init) {
  Value value = init.get();
  Operation *op = value.getDefiningOp();
  if (!value.hasOneUse() || value.getParentBlock() != init.getOwner()->getBlock()) {
    return false;
  }
  if (op) {
    // Results of other ops are declared const.
    return isa<scf::ForOp, scf::IfOp, scf::IndexSwitchOp>(op);
  }
  return isa<scf::ForOp>(value.getParentBlock()->getParentOp()) &&
         cast<BlockArgument>(value).getArgNumber() > 0;
}

void FunctionPrinter::declare(Value value, Value first) {
  bool isVector = isa<VectorType>(value.getType());
  std::string name = nameFor(value.getType());
  std::string type = typeOf(value);
  bool isArray = isVector && flavor == Flavor::Plain;
  std::string size =
      isArray ? "[" + std::to_string(cast<VectorType>(value.getType()).getNumElements()) + "]" : "";
  StringRef space = StringRef(type).ends_with("*") ? "" : " ";
  std::string start = first ? " = " + (isVector ? whole(first) : bare(first)) : "";
  line(type + space + name + size + start + ";");
  places[value] = {isVector ? Place::Kind::Variable : Place::Kind::Text, name};
}

void FunctionPrinter::assign(ArrayRef<Move> moves) {
  std::map<int64_t, SmallVector<Move>> byLanes;
  for (const Move &step : moves) {
    auto type = dyn_cast<VectorType>(step.source.getType());
    if (type && flavor == Flavor::Plain) {
      byLanes[type.getNumElements()].push_back(step);
    } else {
      line(step.target + " = " + (type ? whole(step.source) : bare(step.source)) + ";");
    }
  }
  for (const auto &[lanes, steps] : byLanes) {
    openLanes(lanes, /*isParallel=*/true);
    for (const Move &step : steps) {
      line(step.target + "[l] = " + lane(step.source) + ";");
    }
    closeLanes();
  }
}

void FunctionPrinter::move(ArrayRef<Move> moves) {
  SmallVector<Move> needed;
  for (const Move &step : moves) {
    if (text(step.source) != step.target) {
      needed.push_back(step);
    }
  }
  // A variable that one move overwrites and another move reads is copied first.
  SmallVector<std::pair<Value, Place>> saved;
  SmallVector<Move> copies;
  for (const Move &step : needed) {
    bool isClobbered =
        llvm::any_of(needed, [&](const Move &other) { return other.target == text(step.source); });
    if (isClobbered && !llvm::any_of(saved, [&](auto &s) { return s.first == step.source; })) {
      Place before = place(step.source);
      saved.push_back({step.source, before});
      declare(step.source);
      std::string copy = places[step.source].text;
      places[step.source] = before;
      copies.push_back({copy, step.source});
    }
  }
  assign(copies);
  for (const Move &copy : copies) {
    places[copy.source].text = copy.target;
  }
  assign(needed);
  for (const auto &[value, before] : saved) {
    places[value] = before;
  }
}

void FunctionPrinter::printFor(scf::ForOp loop) {
  SmallVector<Move> starts;
  for (auto [init, argument, result] :
       llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs(), loop.getResults())) {
    if (canTakeVariable(init)) {
      Place taken = place(init.get());
      places[argument] = taken;
    } else if (isa<VectorType>(argument.getType()) && flavor == Flavor::Plain) {
      declare(argument);
      starts.push_back({places[argument].text, init.get()});
    } else {
      declare(argument, init.get());
    }
    Place shared = places[argument];
    places[result] = shared;
  }
  assign(starts);
  std::string i = "i" + std::to_string(loops++);
  places[loop.getInductionVar()] = {Place::Kind::Text, i};
  std::string begin = bare(loop.getLowerBound());
  std::string end = text(loop.getUpperBound());
  std::string step = text(loop.getStep());
  line("for (ptrdiff_t " + i + " = " + begin + "; " + i + " < " + end + "; " +
       (step == "1" ? "++" + i : i + " += " + step) + ") {");
  ++depth;
  printBlock(*loop.getBody());
  SmallVector<Move> nexts;
  for (auto [value, argument] :
       llvm::zip(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs())) {
    nexts.push_back({places[argument].text, value});
  }
  move(nexts);
  --depth;
  --loops;
  line("}");
}

void FunctionPrinter::printBranch(Block &block, ValueRange results) {
  ++depth;
  printBlock(block);
  SmallVector<Move> moves;
  for (auto [value, result] : llvm::zip(block.getTerminator()->getOperands(), results)) {
    moves.push_back({places[result].text, value});
  }
  move(moves);
  --depth;
}

void FunctionPrinter::printSwitch(scf::IndexSwitchOp choice) {
  for (Value result : choice.getResults()) {
    declare(result);
  }
  line("switch (" + bare(choice.getArg()) + ") {");
  for (auto [number, region] : llvm::zip(choice.getCases(), choice.getCaseRegions())) {
    line("case " + llvm::Twine(number) + ": {");
    printBranch(region.front(), choice.getResults());
    line("} break;");
  }
  line("default: {");
  printBranch(choice.getDefaultRegion().front(), choice.getResults());
  line("} break;");
  line("}");
}

void FunctionPrinter::printIf(scf::IfOp branch) {
  for (Value result : branch.getResults()) {
    declare(result);
  }
  line("if (" + bare(branch.getCondition()) + ") {");
  printBranch(branch.getThenRegion().front(), branch.getResults());
  if (!branch.getElseRegion().empty() &&
      (!branch.getElseRegion().front().without_terminator().empty() ||
       branch.getNumResults() > 0)) {
    line("} else {");
    printBranch(branch.getElseRegion().front(), branch.getResults());
  }
  line("}");
}

void FunctionPrinter::printWhile(scf::WhileOp loop) {
  SmallVector<Move> starts;
  for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments())) {
    declare(argument);
    starts.push_back({places[argument].text, init});
  }
  assign(starts);
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments())) {
    declare(result);
    Place shared = places[result];
    places[argument] = shared;
  }
  line("for (;;) {");
  ++depth;
  printBlock(*loop.getBeforeBody());
  SmallVector<Move> forwards;
  for (auto [value, result] : llvm::zip(loop.getConditionOp().getArgs(), loop.getResults())) {
    forwards.push_back({places[result].text, value});
  }
  move(forwards);
  line("if (!" + text(loop.getConditionOp().getCondition()) + ") {");
  line("  break;");
  line("}");
  printBlock(*loop.getAfterBody());
  SmallVector<Move> nexts;
  for (auto [value, argument] :
       llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments())) {
    nexts.push_back({places[argument].text, value});
  }
  move(nexts);
  --depth;
  line("}");
}

} // namespace convoy::codegen
