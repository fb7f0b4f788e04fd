// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns each stored value of a step to the first phase in which all its operands are stored, and
// consecutive cache lines to the values.

#include "Kernels/Recurrent/StepPhases.h"
#include "Kernels/Core/CeilDiv.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

class PhaseFinder {
public:
  explicit PhaseFinder(const ScanKernel &kernel) : kernel(kernel) {
    for (BlockArgument argument : kernel.body().getArguments()) {
      bool isState = argument.getArgNumber() < kernel.states();
      stored[argument] = first[argument] = isState ? 0 : 1;
    }
  }

  std::vector<StepPhase> run() {
    for (Operation &op : kernel.body().without_terminator()) {
      if (auto product = dyn_cast<graph::MatMulOp>(op)) {
        add(product);
      } else {
        for (Value result : op.getResults()) {
          first[result] = firstOf(op.getOperands());
        }
      }
    }
    at(firstOf(kernel.body().getTerminator()->getOperands()));
    return std::move(phases);
  }

private:
  /// Returns the first phase that can read all values. Operands of the kernel are always readable.
  unsigned firstOf(ValueRange values) const {
    unsigned phase = 0;
    for (Value value : values) {
      phase = std::max(phase, first.lookup(value));
    }
    return phase;
  }

  void add(graph::MatMulOp product) {
    Value operand = product.getLhs();
    if (!stored.count(operand)) {
      at(first.lookup(operand)).operands.push_back(operand);
      stored[operand] = first.lookup(operand) + 1;
    }
    unsigned phase = stored.lookup(operand);
    at(phase).products.push_back(product);
    stored[product.getResult()] = first[product.getResult()] = phase + 1;
  }

  StepPhase &at(unsigned phase) {
    phases.resize(std::max<size_t>(phases.size(), phase + 1));
    return phases[phase];
  }

  const ScanKernel &kernel;
  llvm::DenseMap<Value, unsigned> first;  // the first phase that can compute or read a value
  llvm::DenseMap<Value, unsigned> stored; // the first phase that can read a value in memory
  std::vector<StepPhase> phases;
};

} // namespace

std::vector<StepPhase> phasesOf(const ScanKernel &kernel) { return PhaseFinder(kernel).run(); }

StepMemory::StepMemory(const ScanKernel &kernel, int64_t lanes) {
  for (BlockArgument argument : kernel.body().getArguments()) {
    place(argument, 0);
    if (argument.getArgNumber() < kernel.states()) {
      stateBytes.push_back(bytes - first[argument]);
      bytes += stateBytes.back();
    }
  }
  for (graph::MatMulOp product : kernel.products) {
    place(product.getLhs(), 0);
    place(product.getResult(), lanes);
  }
}

void StepMemory::place(Value value, int64_t slack) {
  constexpr int64_t kLineBytes = 64;
  if (first.try_emplace(value, bytes).second) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t element = storageBytes(fromMlir(type.getElementType()));
    bytes += ceilDiv((type.getNumElements() + slack) * element, kLineBytes) * kLineBytes;
  }
}

} // namespace convoy::kernels
