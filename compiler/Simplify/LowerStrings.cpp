// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-graph-lower-strings. A classifier whose labels are strings looks them up in a
// constant table. If no string comes from an input, each string is known when the model is
// compiled, and its index in a table of all strings replaces it. The attribute graph.labels of a
// result has the table, so that callers can look up the strings of an output.

#include "Graph/Attributes.h"
#include "Graph/OpFacts.h"
#include "Graph/TypedBuilder.h"
#include "Simplify/Passes.h"
#include "mlir/IR/IRMapping.h"
#include <map>

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
#define GEN_PASS_DEF_LOWERSTRINGSPASS
#include "Simplify/Passes.h.inc"

namespace {

bool holdsStrings(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<StringType>(tensor.getElementType());
}

bool touchesStrings(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), holdsStrings) ||
         llvm::any_of(op->getResultTypes(), holdsStrings);
}

/// Returns whether the op gives the same result for indices of strings as for the strings.
bool acceptsIndices(Operation *op) {
  // The default value of pad depends on the type.
  return isa<ConstantOp, LabelEncodeOp, SelectOp, func::ReturnOp>(op) ||
         (classify(op) == OpClass::Movement && !isa<PadOp>(op));
}

class StringLowering {
public:
  explicit StringLowering(func::FuncOp function) : function(function) {}

  /// Returns whether every string of the function is that of a constant.
  bool isPossible() {
    auto isBlockArgument = [](Operation *op) {
      return llvm::any_of(op->getRegions(), [](Region &region) {
        return llvm::any_of(region.getArgumentTypes(), holdsStrings);
      });
    };
    WalkResult result = function.walk([&](Operation *op) {
      if (isBlockArgument(op) || (touchesStrings(op) && !acceptsIndices(op)) ||
          (touchesStrings(op) && op->getParentOp() != function)) {
        return WalkResult::interrupt();
      }
      found |= touchesStrings(op);
      return WalkResult::advance();
    });
    return found && !result.wasInterrupted();
  }

  LogicalResult run() {
    SmallVector<Operation *> ops;
    for (Operation &op : function.getBody().front().without_terminator()) {
      if (touchesStrings(&op)) {
        ops.push_back(&op);
      }
    }
    for (Operation *op : ops) {
      lower(op);
    }
    setResults();
    for (Operation *op : llvm::reverse(ops)) {
      op->erase();
    }
    return failure(hasFailed);
  }

private:
  void lower(Operation *op) {
    OpBuilder builder(op);
    TypedBuilder b(builder, op->getLoc());
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      indices.map(constant.getResult(), b.constant(indicesOf(toTensor(constant.getValue()))));
      return;
    }
    Operation *copy = builder.clone(*op, indices);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      if (holdsStrings(from.getType())) {
        to.setType(b.placeholder());
      }
    }
    b.infer(copy);
    hasFailed |= b.hasFailed;
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      if (!holdsStrings(from.getType())) {
        from.replaceAllUsesWith(to);
      }
    }
  }

  Tensor indicesOf(const Tensor &strings) {
    Tensor result(ElementType::I64, strings.shape());
    for (auto [i, text] : llvm::enumerate(strings.strings())) {
      auto [entry, isNew] = table.try_emplace(text, static_cast<int64_t>(labels.size()));
      if (isNew) {
        labels.push_back(text);
      }
      result.setInt(static_cast<int64_t>(i), entry->second);
    }
    return result;
  }

  void setResults() {
    Operation *terminator = function.getBody().front().getTerminator();
    OpBuilder builder(function.getContext());
    for (OpOperand &operand : terminator->getOpOperands()) {
      if (holdsStrings(operand.get().getType())) {
        operand.set(indices.lookup(operand.get()));
        SmallVector<StringRef> texts(labels.begin(), labels.end());
        function.setResultAttr(operand.getOperandNumber(), kLabelsAttr,
                               builder.getStrArrayAttr(texts));
      }
    }
    function.setType(
        builder.getFunctionType(function.getArgumentTypes(), terminator->getOperandTypes()));
  }

  func::FuncOp function;
  IRMapping indices; // of values that hold strings
  std::map<std::string, int64_t> table;
  std::vector<std::string> labels; // by index
  bool found = false, hasFailed = false;
};

struct LowerStrings : impl::LowerStringsPassBase<LowerStrings> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration()) {
      return;
    }
    StringLowering lowering(function);
    if (!lowering.isPossible()) {
      return;
    }
    ++loweredFunctions;
    if (failed(lowering.run())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace convoy::simplify
