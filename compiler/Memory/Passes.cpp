// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the passes of the memory stage in order.

#include "Memory/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::memory {

void addMemoryPasses(mlir::OpPassManager &passes, const MemoryOptions &options) {
  passes.addPass(createInsertFetchesPass());
  if (options.rows) {
    passes.addPass(createChooseRowGroupsPass({options.alignment}));
  }
  PlanArenaPassOptions settings;
  settings.reuse = options.reuse;
  settings.alignment = options.alignment;
  settings.copiesWeights = options.copiesWeights;
  settings.rows = options.rows;
  std::vector<std::string> memories;
  for (const DataMemory &memory : options.memories) {
    memories.push_back(memory.name + ":" + std::to_string(memory.bytes));
  }
  settings.memories = memories;
  passes.addPass(createPlanArenaPass(settings));
  passes.addPass(createLowerRowGroupsPass());
  passes.addPass(createLowerRowViewsPass());
}

} // namespace convoy::memory
