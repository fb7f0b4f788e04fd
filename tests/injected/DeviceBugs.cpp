// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injects bugs into the jobs of a device, after the passes that the device adds.

#include "Bug.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace convoy::injected {
namespace {

/// Calls `change` for ops named `name` until it returns true.
void changeFirst(Operation *root, StringRef name, llvm::function_ref<bool(Operation *)> change) {
  root->walk([&](Operation *op) {
    bool isChanged = op->getName().getStringRef() == name && change(op);
    return isChanged ? WalkResult::interrupt() : WalkResult::advance();
  });
}

/// Moves the padding of a convolution from top and left to bottom and right.
void shiftPads(Operation *root) {
  changeFirst(root, "nvdla.conv", [](Operation *conv) {
    auto pads = conv->getAttrOfType<DenseI64ArrayAttr>("pads");
    if (pads[0] == 0 || pads[1] == 0) {
      return false;
    }
    int64_t shifted[] = {0, 0, pads[0] + pads[2], pads[1] + pads[3]};
    conv->setAttr("pads", DenseI64ArrayAttr::get(conv->getContext(), shifted));
    return true;
  });
}

/// Replaces a sum of a stage by a maximum.
void sumToMax(Operation *root) {
  changeFirst(root, "nvdla.sdp", [](Operation *sdp) {
    for (StringRef stage : {"x1", "x2"}) {
      std::string text;
      if (Attribute attribute = sdp->getAttr(stage)) {
        llvm::raw_string_ostream(text) << attribute;
      }
      size_t at = text.find("alu = sum");
      if (at != std::string::npos) {
        text.replace(at, 9, "alu = max");
        sdp->setAttr(stage, parseAttribute(text, sdp->getContext()));
        return true;
      }
    }
    return false;
  });
}

/// Makes a copy compute the maximum of each element and 1.
void changeCopy(Operation *root) {
  changeFirst(root, "nvdla.sdp", [](Operation *sdp) {
    if (sdp->getNumOperands() != 1 || sdp->hasAttr("x1")) {
      return false;
    }
    // 15360 are the bits of 1 in fp16.
    sdp->setAttr("x1",
                 parseAttribute("#nvdla.stage<alu = max, aluOperand = 15360>", sdp->getContext()));
    return true;
  });
}

/// Exchanges two inputs of the same type.
void swapJoin(Operation *root) {
  changeFirst(root, "nvdla.join", [](Operation *join) {
    Value first = join->getOperand(0);
    Value second = join->getOperand(1);
    bool isMatch = first != second && first.getType() == second.getType();
    if (isMatch) {
      join->setOperand(0, second);
      join->setOperand(1, first);
    }
    return isMatch;
  });
}

/// Exchanges the inputs of two pools in a row.
void swapPools(Operation *root) {
  changeFirst(root, "nvdla.pdp", [](Operation *pool) {
    Operation *next = pool->getNextNode();
    bool isMatch = next->getName() == pool->getName() &&
                   next->getOperand(0).getType() == pool->getOperand(0).getType();
    if (isMatch) {
      Value input = pool->getOperand(0);
      pool->setOperand(0, next->getOperand(0));
      next->setOperand(0, input);
    }
    return isMatch;
  });
}

/// Replaces a maximum pool by a minimum pool.
void maxToMin(Operation *root) {
  constexpr int64_t kMax = 1, kMin = 2; // values of the attribute `method`
  changeFirst(root, "nvdla.pdp", [](Operation *pool) {
    auto method = pool->getAttrOfType<IntegerAttr>("method");
    bool isMatch = method && method.getInt() == kMax;
    if (isMatch) {
      pool->setAttr("method", IntegerAttr::get(method.getType(), kMin));
    }
    return isMatch;
  });
}

constexpr Bug kBugs[] = {
    {"injected-shift-pads", "Moves the padding of a convolution", shiftPads},
    {"injected-sum-to-max", "Replaces the sum of a stage by a maximum", sumToMax},
    {"injected-change-copy", "Makes a copy change its elements", changeCopy},
    {"injected-swap-join", "Exchanges two inputs of a join", swapJoin},
    {"injected-swap-pools", "Exchanges the inputs of two pools", swapPools},
    {"injected-max-to-min", "Replaces a maximum pool by a minimum pool", maxToMin},
};

} // namespace

ArrayRef<Bug> deviceBugs() { return kBugs; }

} // namespace convoy::injected
