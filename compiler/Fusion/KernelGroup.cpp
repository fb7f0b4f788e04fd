// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the ops of a group into a kernel. Asks the templates about the kernel before it is final,
// because a template decides about a kernel and not about a group of ops.

#include "Fusion/KernelGroup.h"
#include "Graph/NodeName.h"
#include "Graph/OpFacts.h"
#include "Kernels/KernelTemplate.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace convoy::fusion {
namespace {

using OpSet = llvm::SmallPtrSet<Operation *, 8>;

/// Returns whether the kernel contains a copy of the constant: single elements, and operands
/// that define what the op does.
bool belongsInside(OpOperand &operand) {
  auto constant = operand.get().getDefiningOp<graph::ConstantOp>();
  return constant && (graph::isStaticOperand(operand) || constant.getValue().getNumElements() == 1);
}

/// Returns the operands of an op and the operands in its regions that are defined outside it.
SmallVector<OpOperand *> readsOf(Operation *op) {
  SmallVector<OpOperand *> reads;
  op->walk<WalkOrder::PreOrder>([&](Operation *each) {
    for (OpOperand &operand : each->getOpOperands()) {
      Operation *home = operand.get().getParentRegion()->getParentOp();
      if (!op->isAncestor(home)) {
        reads.push_back(&operand);
      }
    }
  });
  return reads;
}

SmallVector<Value> inputsOf(ArrayRef<Operation *> ops, const OpSet &inside) {
  llvm::SetVector<Value> inputs;
  for (Operation *op : ops) {
    for (OpOperand *operand : readsOf(op)) {
      Operation *producer = operand->get().getDefiningOp();
      if (!(producer && inside.contains(producer)) && !belongsInside(*operand)) {
        inputs.insert(operand->get());
      }
    }
  }
  return inputs.takeVector();
}

SmallVector<Value> resultsOf(ArrayRef<Operation *> ops, const OpSet &inside) {
  SmallVector<Value> results;
  for (Operation *op : ops) {
    for (Value result : op->getResults()) {
      bool isRead =
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); });
      if (isRead) {
        results.push_back(result);
      }
    }
  }
  return results;
}

void fill(graph::KernelOp kernel, ArrayRef<Operation *> ops, ArrayRef<Value> results) {
  OpBuilder builder(kernel.getContext());
  Block *body = builder.createBlock(&kernel.getBody());
  IRMapping mapping;
  for (Value input : kernel.getInputs()) {
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  }
  builder.setInsertionPointToEnd(body);
  for (Operation *op : ops) {
    for (OpOperand *operand : readsOf(op)) {
      if (!mapping.contains(operand->get()) && belongsInside(*operand)) {
        builder.clone(*operand->get().getDefiningOp(), mapping);
      }
    }
    builder.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value result : results) {
    yielded.push_back(mapping.lookup(result));
  }
  builder.create<graph::YieldOp>(kernel.getLoc(), yielded);
}

} // namespace

graph::KernelOp createKernel(ArrayRef<Operation *> ops) {
  OpSet inside(ops.begin(), ops.end());
  SmallVector<Value> results = resultsOf(ops, inside);
  if (results.empty()) {
    return nullptr;
  }
  OpBuilder builder(ops.back());
  auto kernel = builder.create<graph::KernelOp>(
      graph::fusedLocation(ops), ValueRange(results).getTypes(), inputsOf(ops, inside));
  fill(kernel, ops, results);
  return kernel;
}

void replaceByKernel(ArrayRef<Operation *> ops, graph::KernelOp kernel) {
  SmallVector<Value> results = resultsOf(ops, OpSet(ops.begin(), ops.end()));
  for (auto [old, replacement] : llvm::zip_equal(results, kernel.getResults())) {
    old.replaceAllUsesWith(replacement);
  }
  for (Operation *op : llvm::reverse(ops)) {
    op->erase();
  }
}

bool isReplaceable(ArrayRef<Operation *> ops) {
  OpSet inside(ops.begin(), ops.end());
  Operation *last = ops.back();
  for (Operation *op : ops) {
    for (Operation *user : op->getUsers()) {
      Operation *own = last->getBlock()->findAncestorOpInBlock(*user);
      if (!inside.contains(user) && own && own->isBeforeInBlock(last)) {
        return false;
      }
    }
  }
  return true;
}

std::string whyNotFor(StringRef id, ArrayRef<Operation *> ops, bool isStrictMath) {
  const kernels::KernelTemplate *own = kernels::templateWithId(id);
  if (!own) {
    return "no template has the name " + id.str();
  }
  if (!isReplaceable(ops)) {
    return "an op inside the group has a reader before the last op";
  }
  graph::KernelOp kernel = createKernel(ops);
  if (!kernel) {
    return "nothing reads the result";
  }
  kernels::KernelFacts facts(kernel, isStrictMath);
  std::string reason = own->whyNoCandidate(facts, kernels::machineOf(kernel));
  kernel.erase();
  return reason;
}

KernelCycles cyclesOf(ArrayRef<Operation *> ops) {
  KernelCycles result;
  graph::KernelOp kernel = isReplaceable(ops) ? createKernel(ops) : graph::KernelOp();
  if (!kernel) {
    return result;
  }
  kernels::KernelFacts facts(kernel, /*isStrictMath=*/false);
  kernels::Machine machine = kernels::machineOf(kernel);
  auto add = [&](const kernels::KernelTemplate &known) {
    std::vector<kernels::Candidate> candidates = known.candidates(facts, machine);
    for (const kernels::Candidate &candidate : candidates) {
      result.cycles = std::min(result.cycles, candidate.cycles);
    }
    return !candidates.empty();
  };
  add(kernels::fallbackTemplate());
  for (const kernels::KernelTemplate *known : kernels::templates()) {
    result.hasTemplate |= add(*known);
  }
  kernel.erase();
  return result;
}

std::string fuseFor(StringRef id, ArrayRef<Operation *> ops, bool isStrictMath) {
  std::string reason = whyNotFor(id, ops, isStrictMath);
  if (reason.empty()) {
    replaceByKernel(ops, createKernel(ops));
  }
  return reason;
}

} // namespace convoy::fusion
