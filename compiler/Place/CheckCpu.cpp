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

/// Why a value of this type cannot live in the arena, or empty.
static std::string whyNotStored(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
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

namespace {
struct CheckCpu : impl::CheckCpuPassBase<CheckCpu> {
  void runOnOperation() override {
    bool hasProblem = false;
    getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<graph::GraphDialect>(op->getDialect())) {
        return;
      }
      std::string reason = whyNotOnCpu(op);
      if (!reason.empty()) {
        hasProblem = true;
        emitError(op->getLoc()) << "not supported on the CPU: " << reason
                                << "; --target=reference runs it";
      }
    });
    if (hasProblem) {
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace convoy::place
