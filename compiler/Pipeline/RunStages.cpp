// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the only loop over the stage table.

#include "Pipeline/RunStages.h"
#include "Support/ResourceBudget.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace convoy {
namespace {

LogicalResult checkContract(ModuleOp module, const Stage &stage, const StageOptions &options) {
  PassManager contract(module.getContext());
  stage.addContract(contract, options);
  if (succeeded(contract.run(module))) {
    return success();
  }
  return emitBug(UnknownLoc::get(module.getContext()))
         << "this is a bug in convoy: the " << stage.name
         << " stage broke its contract with the next stage";
}

/// Returns the location of most ops of the module.
Location mostFrequentLocation(ModuleOp module) {
  llvm::DenseMap<Location, int64_t> counts;
  std::pair<int64_t, Location> most(0, module.getLoc());
  module.walk([&](Operation *op) {
    int64_t count = ++counts[op->getLoc()];
    if (count > most.first) {
      most = {count, op->getLoc()};
    }
  });
  return most.second;
}

/// Checks the number of ops after a stage.
LogicalResult checkOps(ModuleOp module, const Stage &stage, const ResourceBudget &budget) {
  int64_t count = 0;
  module.walk([&](Operation *) { ++count; });
  if (count <= budget.ops()) {
    return success();
  }
  return emitUnsupported(mostFrequentLocation(module))
         << "not supported: the program has " << count << " operations after the " << stage.name
         << " stage, expected at most " << budget.ops()
         << "; this node needs more of them than each other one; split the model";
}

/// Returns whether the verifier runs after each pass of a stage. The stages after the layout have a
/// hundred times as many ops, and the verifier would take a third of their time. Unless stages are
/// checked, it then runs once, after the last pass.
bool verifiesEachPass(const Stage &stage, const StageOptions &options) {
  return options.verifyPasses && (stage.isExecutable || options.verifyStages);
}

LogicalResult checkIr(ModuleOp module, const Stage &stage) {
  if (succeeded(verify(module))) {
    return success();
  }
  return emitBug(UnknownLoc::get(module.getContext()))
         << "this is a bug in convoy: the " << stage.name << " stage left invalid IR";
}

LogicalResult runStage(ModuleOp module, const Stage &stage, const StageOptions &options,
                       StageObserver &observer) {
  PassManager passes(module.getContext());
  bool verifiesEach = verifiesEachPass(stage, options);
  passes.enableVerifier(verifiesEach);
  stage.addPasses(passes, options);
  observer.instrument(passes);
  if (failed(passes.run(module)) || failed(checkOps(module, stage, {}))) {
    return failure();
  }
  if (options.verifyPasses && !verifiesEach && failed(checkIr(module, stage))) {
    return failure();
  }
  return options.verifyStages ? checkContract(module, stage, options) : success();
}

} // namespace

ObserverList::ObserverList(std::initializer_list<StageObserver *> list) {
  for (StageObserver *observer : list) {
    if (observer) {
      observers.push_back(observer);
    }
  }
}

void ObserverList::beginStage(const Stage &stage) {
  for (StageObserver *observer : observers) {
    observer->beginStage(stage);
  }
}

void ObserverList::instrument(PassManager &passes) {
  for (StageObserver *observer : observers) {
    observer->instrument(passes);
  }
}

bool ObserverList::endStage(ModuleOp module, const Stage &stage) {
  bool goesOn = true;
  for (StageObserver *observer : observers) {
    goesOn &= observer->endStage(module, stage);
  }
  return goesOn;
}

void ObserverList::describe(std::string &pipeline, std::vector<std::string> &flags) const {
  for (const StageObserver *observer : observers) {
    observer->describe(pipeline, flags);
  }
}

LogicalResult runStages(ModuleOp module, const StageOptions &options, StringRef first,
                        StringRef last, StageObserver *observer) {
  StageObserver nobody;
  StageObserver &watcher = observer ? *observer : nobody;
  bool hasBegun = first.empty();
  for (const Stage &stage : stages()) {
    hasBegun |= stage.name == first;
    if (!hasBegun) {
      continue;
    }
    watcher.beginStage(stage);
    if (failed(runStage(module, stage, options, watcher))) {
      return failure();
    }
    if (!watcher.endStage(module, stage) || stage.name == last) {
      break;
    }
  }
  return success();
}

} // namespace convoy
