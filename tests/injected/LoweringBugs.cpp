// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Injects bugs into loops, memory and LLVM code. No bug writes outside the memory of a tensor,
// because the test needs a wrong result, not a crash.

#include "Bug.h"
#include "Memory/Attributes.h"
#include "Task/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace convoy::injected {
namespace {

template <typename OpType>
void changeFirst(Operation *root, llvm::function_ref<bool(OpType)> change) {
  root->walk(
      [&](OpType op) { return change(op) ? WalkResult::interrupt() : WalkResult::advance(); });
}

template <typename From, typename To>
void replaceFirst(Operation *root) {
  changeFirst<From>(root, [](From op) {
    OpBuilder builder(op);
    Value other = builder.create<To>(op.getLoc(), op->getOperand(0), op->getOperand(1));
    op->getResult(0).replaceAllUsesWith(other);
    op->erase();
    return true;
  });
}

/// Stops a reduction loop one term early.
bool shorten(scf::ForOp loop) {
  APInt bound;
  if (loop.getInitArgs().empty() || !matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)) ||
      bound.sle(1)) {
    return false;
  }
  OpBuilder builder(loop);
  loop.setUpperBound(
      builder.create<arith::ConstantIndexOp>(loop.getLoc(), bound.getSExtValue() - 1));
  return true;
}

void shortenLoop(Operation *root) { changeFirst<scf::ForOp>(root, shorten); }

/// Stops a sum of a kernel with a product and a softmax one term early.
void shortenAttention(Operation *root) {
  changeFirst<scf::ForOp>(root, [](scf::ForOp loop) {
    for (Operation *op = loop; op; op = op->getParentOp()) {
      std::string nodes;
      llvm::raw_string_ostream(nodes) << op->getLoc();
      if (StringRef(nodes).contains("\"MatMul\"") && StringRef(nodes).contains("\"Softmax\"")) {
        return shorten(loop);
      }
    }
    return false;
  });
}

/// Multiplies without adding the accumulator.
void dropAccumulator(Operation *root) { replaceFirst<math::FmaOp, arith::MulFOp>(root); }

/// Stores every vector at the start of its tensor.
void storeAtStart(Operation *root) {
  changeFirst<vector::StoreOp>(root, [](vector::StoreOp store) {
    OpBuilder builder(store);
    Value zero = builder.create<arith::ConstantIndexOp>(store.getLoc(), 0);
    store->setOperand(2, zero);
    return true;
  });
}

/// Changes the coefficient of x^2 in exp, which is approximately 0.5.
void changeCoefficient(Operation *root) {
  changeFirst<arith::ConstantOp>(root, [](arith::ConstantOp constant) {
    auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    bool isMatch = elements && elements.isSplat() && elements.getElementType().isF32();
    float value = isMatch ? elements.getSplatValue<float>() : 0;
    if (value < 0.49F || value > 0.51F) {
      return false;
    }
    constant.setValueAttr(DenseElementsAttr::get(elements.getType(), 0.75F));
    return true;
  });
}

/// Lets LLVM reassociate a sum. Only the last bits of the result change, so only the contract of
/// the stage detects the bug.
void allowRegrouping(Operation *root) {
  changeFirst<LLVM::FAddOp>(root, [](LLVM::FAddOp sum) {
    sum.setFastmathFlags(LLVM::FastmathFlags::reassoc);
    return true;
  });
}

/// Returns whether `view` is in the arena, and its offset.
bool isArenaView(memref::ViewOp view, APInt &offset) {
  auto argument = dyn_cast<BlockArgument>(view.getSource());
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  // The plug-in does not link the compiler's libraries, so it reads the attribute itself.
  auto role =
      function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), memory::kRoleAttr)
               : StringAttr();
  return role && role.getValue() == "arena" &&
         matchPattern(view.getByteShift(), m_ConstantInt(&offset));
}

/// Moves a tensor in the arena to the offset of the first tensor of its type.
void overlapTensors(Operation *root) {
  SmallVector<std::pair<int64_t, Type>> places; // in order of first use
  std::optional<std::pair<int64_t, int64_t>> moved;
  root->walk([&](memref::ViewOp view) {
    APInt offset;
    if (!isArenaView(view, offset)) {
      return;
    }
    std::pair<int64_t, Type> place(offset.getSExtValue(), view.getType());
    for (const auto &[other, type] : places) {
      if (!moved && type == view.getType() && !llvm::is_contained(places, place)) {
        moved = {place.first, other};
      }
    }
    places.push_back(place);
    if (moved && moved->first == place.first) {
      OpBuilder builder(view);
      view.getByteShiftMutable().assign(
          builder.create<arith::ConstantIndexOp>(view.getLoc(), moved->second));
    }
  });
}

/// Removes a worker's first wait.
void dropWait(Operation *root) {
  Operation *first = nullptr;
  root->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "task.wait") {
      first = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (first) {
    first->erase();
  }
}

/// Removes a worker's first call.
void skipCall(Operation *root) {
  Operation *first = nullptr;
  root->walk([&](Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (op->getName().getStringRef() == "task.call" && function && task::isWorker(function)) {
      first = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (first) {
    first->erase();
  }
}

/// Leaves a sum whose result has another type than its operands.
void changeType(Operation *root) {
  changeFirst<arith::AddFOp>(root, [](arith::AddFOp op) {
    op.getResult().setType(VectorType::get({3}, OpBuilder(op).getF32Type()));
    return true;
  });
}

constexpr Bug kBugs[] = {
    {"injected-change-type", "Leaves a sum that its verifier rejects", changeType},
    {"injected-shorten-loop", "Stops a sum one term early", shortenLoop},
    {"injected-shorten-attention", "Stops a sum of an attention kernel one term early",
     shortenAttention},
    {"injected-drop-accumulator", "Replaces a multiply-add by a multiplication", dropAccumulator},
    {"injected-store-at-start", "Stores at the start of a tensor", storeAtStart},
    {"injected-change-coefficient", "Changes a coefficient of exp", changeCoefficient},
    {"injected-drop-wait", "Removes a worker's first wait", dropWait},
    {"injected-skip-call", "Removes a worker's first call", skipCall},
    {"injected-overlap-tensors", "Gives two tensors the same arena offset", overlapTensors},
    {"injected-mulf-to-addf", "Replaces a multiplication of a kernel by an addition",
     replaceFirst<arith::MulFOp, arith::AddFOp>},
    {"injected-fadd-to-fsub", "Replaces an LLVM addition by a subtraction",
     replaceFirst<LLVM::FAddOp, LLVM::FSubOp>},
    {"injected-fmul-to-fadd", "Replaces an LLVM multiplication by an addition",
     replaceFirst<LLVM::FMulOp, LLVM::FAddOp>},
    {"injected-allow-regrouping", "Sets a fast-math flag on a sum", allowRegrouping},
};

} // namespace

ArrayRef<Bug> loweringBugs() { return kBugs; }

} // namespace convoy::injected
