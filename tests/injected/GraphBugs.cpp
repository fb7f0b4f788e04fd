// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injects bugs into ops of the graph dialect and into task.run.

#include "Bug.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdlib>

using namespace mlir;

namespace convoy::injected {
namespace {

// Values of the attribute `kind` of graph.binary.
constexpr int64_t kAdd = 0, kSub = 1;

/// Calls `change` for ops named `name` until it returns true.
void changeFirst(Operation *root, StringRef name, llvm::function_ref<bool(Operation *)> change) {
  root->walk([&](Operation *op) {
    bool isChanged = op->getName().getStringRef() == name && change(op);
    return isChanged ? WalkResult::interrupt() : WalkResult::advance();
  });
}

bool hasKind(Operation *op, int64_t kind) {
  auto attribute = op->getAttrOfType<IntegerAttr>("kind");
  return attribute && attribute.getInt() == kind;
}

/// Multiplies the elements of a float constant.
bool scaleConstant(Operation *constant, float factor) {
  auto elements = constant->getAttrOfType<DenseFPElementsAttr>("value");
  if (!elements || elements.getNumElements() < 2 || constant->use_empty()) {
    return false;
  }
  SmallVector<APFloat> scaled;
  for (APFloat value : elements.getValues<APFloat>()) {
    scaled.push_back(value * APFloat(factor));
  }
  constant->setAttr("value", DenseElementsAttr::get(elements.getType(), scaled));
  return true;
}

void scaleFirstConstant(Operation *root) {
  changeFirst(root, "graph.constant", [](Operation *op) { return scaleConstant(op, 1.5F); });
}

void scaleBias(Operation *root) {
  changeFirst(root, "graph.conv", [](Operation *op) {
    Operation *bias = op->getNumOperands() > 2 ? op->getOperand(2).getDefiningOp() : nullptr;
    return bias && scaleConstant(bias, 1.5F);
  });
}

/// As scaleConstant, also for a constant in a resource, where larger constants are.
bool scaleAnyConstant(Operation *constant, float factor) {
  auto blob = constant->getAttrOfType<DenseF32ResourceElementsAttr>("value");
  std::optional<ArrayRef<float>> elements = blob ? blob.tryGetAsArrayRef() : std::nullopt;
  if (!elements) {
    return scaleConstant(constant, factor);
  }
  SmallVector<float> scaled;
  for (float value : *elements) {
    scaled.push_back(value * factor);
  }
  constant->setAttr("value", DenseElementsAttr::get(blob.getType(), ArrayRef<float>(scaled)));
  return true;
}

/// Scales the bias of a convolution that a pass merged with a batch norm.
void scaleMergedBias(Operation *root) {
  changeFirst(root, "graph.conv", [](Operation *op) {
    std::string nodes;
    llvm::raw_string_ostream(nodes) << op->getLoc();
    bool isMerged = StringRef(nodes).contains("\"BatchNormalization\"");
    Operation *bias =
        isMerged && op->getNumOperands() > 2 ? op->getOperand(2).getDefiningOp() : nullptr;
    return bias && scaleAnyConstant(bias, 1.5F);
  });
}

void swapSubOperands(Operation *root) {
  changeFirst(root, "graph.binary", [](Operation *op) {
    if (!hasKind(op, kSub)) {
      return false;
    }
    op->setOperands({op->getOperand(1), op->getOperand(0)});
    return true;
  });
}

void subtractInsteadOfAdd(Operation *root) {
  changeFirst(root, "graph.binary", [](Operation *op) {
    if (!hasKind(op, kAdd)) {
      return false;
    }
    auto kind = op->getAttrOfType<IntegerAttr>("kind");
    op->setAttr("kind", IntegerAttr::get(kind.getType(), kSub));
    return true;
  });
}

/// Replaces a unary op by its operand.
void forwardUnary(Operation *root) {
  changeFirst(root, "graph.unary", [](Operation *op) {
    if (op->getOperand(0).getType() != op->getResult(0).getType()) {
      return false;
    }
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    return true;
  });
}

/// Makes a kernel yield the operand of its last op.
void dropEpilogue(Operation *root) {
  changeFirst(root, "graph.kernel", [](Operation *kernel) {
    Operation *yield = kernel->getRegion(0).front().getTerminator();
    Operation *last = yield->getOperand(0).getDefiningOp();
    bool hasProducer = last && last->getNumOperands() > 0 && last->getOperand(0).getDefiningOp();
    if (!hasProducer || last->getOperand(0).getType() != last->getResult(0).getType()) {
      return false;
    }
    yield->setOperand(0, last->getOperand(0));
    return true;
  });
}

/// Swaps the pads of a convolution.
void swapPads(Operation *root) {
  changeFirst(root, "graph.conv", [](Operation *op) {
    auto pads = op->getAttrOfType<DenseI64ArrayAttr>("pads");
    if (!pads || pads.empty()) {
      return false;
    }
    SmallVector<int64_t> swapped(pads.asArrayRef());
    std::rotate(swapped.begin(), swapped.begin() + swapped.size() / 2, swapped.end());
    op->setAttr("pads", DenseI64ArrayAttr::get(op->getContext(), swapped));
    return swapped != SmallVector<int64_t>(pads.asArrayRef());
  });
}

void swapTaskOperands(Operation *root) {
  changeFirst(root, "task.run", [](Operation *op) {
    for (unsigned i = 1; i < op->getNumOperands(); ++i) {
      Value first = op->getOperand(i - 1), second = op->getOperand(i);
      if (first != second && first.getType() == second.getType()) {
        op->setOperand(i - 1, second);
        op->setOperand(i, first);
        return true;
      }
    }
    return false;
  });
}

void removeKind(Operation *root) {
  changeFirst(root, "graph.binary",
              [](Operation *op) { return op->removeAttr("kind") != nullptr; });
}

void endProgram(Operation *) { std::abort(); }

constexpr Bug kBugs[] = {
    {"injected-scale-constant", "Scales the first constant", scaleFirstConstant},
    {"injected-scale-bias", "Scales the bias of a convolution", scaleBias},
    {"injected-scale-merged-bias", "Scales the bias of a convolution with a batch norm",
     scaleMergedBias},
    {"injected-swap-sub", "Swaps the operands of a subtraction", swapSubOperands},
    {"injected-add-to-sub", "Subtracts where the model adds", subtractInsteadOfAdd},
    {"injected-forward-unary", "Removes a unary op", forwardUnary},
    {"injected-drop-epilogue", "Removes the last op of a kernel", dropEpilogue},
    {"injected-swap-pads", "Swaps the pads of a convolution", swapPads},
    {"injected-remove-kind", "Leaves a binary op that its verifier rejects", removeKind},
    {"injected-abort", "Ends the program", endProgram},
    {"injected-swap-task-operands", "Swaps two operands of a task", swapTaskOperands},
};

} // namespace

ArrayRef<Bug> graphBugs() { return kBugs; }

} // namespace convoy::injected
