// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convoy-memory-plan-arena: plans the storages (Storage.h), then lowers @main
// (LowerMain.h).

#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Memory/DescribePlan.h"
#include "Memory/LowerMain.h"
#include "Memory/Passes.h"
#include "Memory/RowKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::memory {
#define GEN_PASS_DEF_PLANARENAPASS
#include "Memory/Passes.h.inc"

namespace {
struct PlanArena : impl::PlanArenaPassBase<PlanArena> {
  using PlanArenaPassBase::PlanArenaPassBase;

  std::optional<std::vector<DataMemory>> readMemories() {
    std::vector<DataMemory> list;
    for (StringRef text : memories) {
      auto [name, digits] = text.rsplit(':');
      int64_t bytes = 0;
      if (digits.getAsInteger(10, bytes) || bytes < 0) {
        getOperation().emitOpError("expects memories as NAME:BYTES, got '") << text << "'";
        return std::nullopt;
      }
      list.push_back({name.str(), bytes});
    }
    return list;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      module.emitOpError("has no function @main; expected the result of the tasks stage");
      return signalPassFailure();
    }
    if (!llvm::isPowerOf2_64(static_cast<uint64_t>(alignment.getValue())) ||
        alignment < kWordBytes || alignment > kAlignment) {
      module.emitOpError("expects an alignment of tensors that is a power of two from ")
          << kWordBytes << " to " << kAlignment << ", got " << alignment.getValue()
          << "; correct alignmentBytes of the memories in the target's description";
      return signalPassFailure();
    }
    std::optional<std::vector<DataMemory>> list = readMemories();
    if (!list) {
      return signalPassFailure();
    }
    std::optional<RowKernels> kernels;
    if (rows) {
      kernels.emplace(module);
    }
    StorageMap storages(main, {reuse, alignment, std::move(*list), copiesWeights, rows},
                        kernels ? &*kernels : nullptr);
    storages.plan(main);
    Builder builder(&getContext());
    setArenaBytes(module, storages.arenaBytes());
    if (storages.arenas().size() > 1) {
      setArenas(module, storages.arenas());
    }
    if (!storages.copiedWeights().empty()) {
      module->setAttr(kCopiedWeightsAttr, builder.getDenseI64ArrayAttr(storages.copiedWeights()));
    }
    if (Operation *op = storages.peakOp()) {
      std::string node = graph::nodeText(op->getLoc());
      setPeak(module,
              {node.empty() ? op->getName().getStringRef().str() : node, storages.peakBytes()});
    }
    if (alignment != kAlignment) {
      module->setAttr(kAlignmentAttr, builder.getI64IntegerAttr(alignment));
    }
    module->setAttr(kWeightsAttr, storages.weights(&getContext()));
    module->setAttr(kWeightOffsetsAttr, builder.getDenseI64ArrayAttr(storages.weightOffsets()));
    module->setAttr(kWeightsBytesAttr, builder.getI64IntegerAttr(storages.weightsBytes()));
    setPlan(module, describePlan(main, storages));
    if (failed(lowerMain(main, storages))) {
      signalPassFailure();
    }
  }
};
} // namespace
} // namespace convoy::memory
