// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completes the lowering of a snapshot: a PassSkipper skips the passes that the snapshot has
// already run.

#include "check/locate/HostLowering.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Driver/LoadedProgram.h"
#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"
#include "Pipeline/TargetOptions.h"
#include "Support/TypedDiagnostic.h"
#include "check/locate/PassSkipper.h"
#include "check/locate/PassWatcher.h"

using namespace mlir;

namespace convoy::check {
HostLowering::HostLowering() : stages(optionsFor(targets::detectHost(), /*threads=*/1)) {}

LogicalResult HostLowering::lower(ModuleOp module, StageObserver *observer) const {
  // The fusion stage did not run, or ran for another machine. It loads the dialect.
  module.getContext()->getOrLoadDialect<kernels::KernelDialect>();
  kernels::setMachine(module, stages.machine);
  return runStages(module, stages, "tasks", "codegen", observer);
}

HostLowering::Outputs HostLowering::load(ModuleOp module, ArrayRef<Datum> inputs) const {
  auto model = codegen::LoadedModel::load(module, stages.codegen);
  if (!model) {
    return emitError(module.getLoc(), model.takeError());
  }
  llvm::Expected<std::vector<Tensor>> results = (*model)->run(driver::tensorsOf(inputs));
  if (!results) {
    return emitError(module.getLoc(), results.takeError());
  }
  return std::vector<Datum>(results->begin(), results->end());
}

HostLowering::Outputs HostLowering::run(ModuleOp module, ArrayRef<Datum> inputs,
                                        StageObserver *observer) const {
  OwningOpRef<ModuleOp> copy = module.clone();
  return failed(lower(*copy, observer)) ? Outputs(failure()) : load(*copy, inputs);
}

std::vector<Snapshot> HostLowering::snapshots(ModuleOp module, StageObserver *observer) const {
  std::vector<Snapshot> list;
  list.push_back({"", module.clone()});
  OwningOpRef<ModuleOp> copy = module.clone();
  // A pass over functions runs once per function. Only the copy after its last run remains.
  PassWatcher recorder([&](StringRef pass, Operation *) {
    if (list.back().pass != pass) {
      list.push_back({pass.str(), nullptr});
    }
    list.back().module = copy->clone();
  });
  ObserverList observers({&recorder, observer});
  (void)lower(*copy, &observers); // a failed pass is not recorded
  return list;
}

HostLowering::Outputs HostLowering::complete(ArrayRef<Snapshot> list, size_t index,
                                             ArrayRef<Datum> inputs) const {
  OwningOpRef<ModuleOp> copy = ModuleOp(*list[index].module).clone();
  llvm::StringSet<> done;
  for (const Snapshot &snapshot : list.take_front(index + 1)) {
    done.insert(snapshot.pass);
  }
  {
    PassSkipper skipper(copy->getContext(), std::move(done));
    if (failed(lower(*copy, nullptr))) {
      return failure();
    }
  }
  return load(*copy, inputs);
}

} // namespace convoy::check
