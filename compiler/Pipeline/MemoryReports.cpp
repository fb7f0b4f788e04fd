// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the memory plan, the sizes of arenas and weights, and the operations of the kernels in
// planned memory. The encoding on the type of a weight determines how it is stored; the elements of
// the type are those before packing.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Kernels/Passes.h"
#include "Memory/Attributes.h"
#include "Memory/MemoryPlan.h"
#include "Pipeline/KernelWork.h"
#include "Pipeline/StageReports.h"
#include "Task/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

using namespace mlir;

namespace convoy {
namespace {

int64_t byteCount(MemRefType type) {
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return type.hasStaticShape() ? type.getNumElements() * elementBytes : 0;
}

/// Explains the bytes of the weights.
void countWeights(ModuleOp module, WeightsSummary &summary) {
  ArrayAttr weights = memory::weightsOf(module);
  std::optional<int64_t> total = memory::weightsBytesOf(module);
  if (!weights || !total) {
    return;
  }
  int64_t plainBytes = 0, storedBytes = 0;
  for (auto elements : weights.getAsRange<ElementsAttr>()) {
    auto type = cast<RankedTensorType>(elements.getType());
    int64_t width = storageBytes(fromMlir(type.getElementType()));
    int64_t plain = type.getNumElements() * width;
    int64_t stored = graph::physicalElements(type) * width;
    bool isWinograd = isa_and_nonnull<kernels::WinogradWeightsAttr>(type.getEncoding());
    (isWinograd ? summary.winogradBytes : summary.paddingBytes) += stored - plain;
    plainBytes += plain;
    storedBytes += stored;
  }
  summary.foldingBytes = plainBytes - summary.modelBytes;
  summary.alignmentBytes = *total - storedBytes;
}

/// Adds the bytes of inputs and outputs that the caller provides memory for.
void addCallerBytes(func::FuncOp main, MemoryReport &report) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto type = dyn_cast<MemRefType>(main.getArgument(i).getType());
    bool isOutside = !memory::arenaOffsetOf(main, i) && !memory::inputRowsOf(main, i);
    int64_t bytes = type && isOutside ? byteCount(type) : 0;
    std::optional<memory::Role> role = memory::roleOf(main, i);
    report.inputBytes.most += role == memory::Role::Input ? bytes : 0;
    report.outputBytes.most += role == memory::Role::Output ? bytes : 0;
  }
}

void addPlan(ModuleOp module, MemoryReport &report) {
  std::optional<memory::MemoryPlan> plan = memory::planOf(module);
  if (!plan) {
    return;
  }
  SymbolTable symbols(module);
  std::map<std::string, KernelWork> works; // by kernel
  for (const memory::PlannedCall &call : plan->calls) {
    auto kernel = symbols.lookup<task::KernelOp>(call.kernel);
    auto [work, isNew] = works.try_emplace(call.kernel);
    if (isNew && kernel) {
      work->second = workOf(kernel);
    }
    report.calls.push_back({call.kernel, call.nodes, call.weightsBytes, work->second});
  }
  for (const memory::PlannedTensor &tensor : plan->tensors) {
    report.tensors.push_back({tensor.call,
                              tensor.isScratch,
                              tensor.arena,
                              tensor.offset,
                              {tensor.bytes},
                              tensor.first,
                              tensor.last,
                              tensor.ringRows});
  }
}

} // namespace

void reportMemory(ModuleOp module, const StageOptions &, CompileReport &report) {
  MemoryReport &memory = report.memory;
  countWeights(module, memory.weights);
  for (const memory::Arena &arena : memory::arenasOf(module)) {
    memory.arenas.push_back({arena.memory, {arena.bytes}});
  }
  if (memory.arenas.empty()) {
    memory.arenas.push_back({"", {memory::arenaBytesOf(module).value_or(0)}});
  }
  if (std::optional<memory::Peak> peak = memory::peakOf(module)) {
    memory.peakNode = peak->node;
    memory.peakBytes.most = peak->bytes;
  }
  if (auto main = module.lookupSymbol<func::FuncOp>("main")) {
    addCallerBytes(main, memory);
  }
  addPlan(module, memory);
}

} // namespace convoy
