// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists what the CPU cannot run, all at once. The reasons come from the kernel
// templates themselves.

#include "Graph/Graph.h"
#include "Graph/OpClass.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "Place/Passes.h"

using namespace mlir;

namespace convoy::place {
#define GEN_PASS_DEF_CHECKCPUPASS
#include "Place/Passes.h.inc"

/// Why no memory holds values of this type, or empty.
static std::string whyNotHeld(Type type) {
  if (!isa<TensorType>(type)) {
    return "it uses sequences or optionals";
  }
  ElementType element = fromMlir(cast<TensorType>(type).getElementType());
  if (element == ElementType::String) {
    return "it works on strings";
  }
  if (!isFloat(element) && !isInteger(element) && element != ElementType::Bool) {
    return "it works on " + name(element).str();
  }
  return "";
}

/// Why a value of this type cannot live in the arena, or empty.
static std::string whyNotStored(Type type) {
  std::string reason = whyNotHeld(type);
  if (!reason.empty()) {
    return reason;
  }
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape()) {
    return "the size of its result depends on data";
  }
  return "";
}

/// Control flow, constants and views become no kernel of their own.
static bool needsNoKernel(Operation *op) {
  return isa<graph::ConstantOp, graph::ReshapeOp, graph::FailOp, graph::YieldOp, graph::IfOp,
             graph::LoopOp, graph::ScanOp, graph::KernelOp>(op);
}

static std::string whyNotOnCpu(Operation *op) {
  for (Type type : op->getResultTypes()) {
    std::string reason = whyNotStored(type);
    if (!reason.empty()) {
      return reason;
    }
  }
  if (needsNoKernel(op)) {
    return "";
  }
  for (Value operand : op->getOperands()) {
    std::string reason = whyNotStored(operand.getType());
    if (!reason.empty()) {
      return reason;
    }
  }
  const kernels::EmitterRow *row = kernels::emitterTable().find(op);
  if (!row) {
    return "no kernel template covers " + op->getName().getStringRef().str();
  }
  return row->limit ? row->limit(op) : "";
}

/// Inputs may pass through a model that has no op to name.
static std::string whyNotCalled(func::FuncOp function) {
  for (Type type : function.getFunctionType().getInputs()) {
    std::string reason = whyNotHeld(type);
    if (!reason.empty()) {
      return reason;
    }
  }
  return "";
}

namespace {
struct CheckCpu : impl::CheckCpuPassBase<CheckCpu> {
  void runOnOperation() override {
    bool hasProblem = false;
    auto check = [&](Operation *op, const std::string &reason) {
      if (!reason.empty()) {
        hasProblem = true;
        emitError(op->getLoc()) << "not supported on the CPU: " << reason
                                << "; --target=reference runs it";
      }
    };
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<graph::GraphDialect>(op->getDialect())) {
        check(op, whyNotOnCpu(op));
      }
    });
    // What an op has named needs no second word.
    if (!hasProblem) {
      getOperation().walk([&](func::FuncOp function) { check(function, whyNotCalled(function)); });
    }
    if (hasProblem) {
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace convoy::place
