// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the function after each of the device's passes. A recorded function runs through the
// passes that remain, without the injected fault.

#include "check/locate/DeviceLowering.h"
#include "Driver/Backends/Device/RunLayers.h"
#include "check/locate/PassSkipper.h"
#include "check/locate/PassWatcher.h"

using namespace mlir;

namespace convoy::check {
namespace {

func::FuncOp onlyFunction(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

/// Returns a module of its own for a copy of the function.
OwningOpRef<ModuleOp> copyOf(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  module->push_back(function.clone());
  return module;
}

} // namespace

LogicalResult DeviceLowering::lower(ModuleOp module, StageObserver *observer) const {
  PassManager passes(module.getContext());
  device.addPasses(passes.nest<func::FuncOp>());
  if (observer) {
    observer->instrument(passes);
  }
  return passes.run(module);
}

DeviceLowering::Outputs DeviceLowering::run(func::FuncOp layers, ArrayRef<Datum> inputs) const {
  OwningOpRef<ModuleOp> module = copyOf(layers);
  return failed(lower(*module, injected))
             ? Outputs(failure())
             : driver::runLayers(onlyFunction(*module), device, inputs);
}

std::vector<DeviceLowering::Snapshot> DeviceLowering::snapshots(func::FuncOp layers) const {
  std::vector<Snapshot> list;
  list.push_back({"", copyOf(layers)});
  PassWatcher recorder([&](StringRef pass, Operation *op) {
    list.push_back({pass.str(), copyOf(cast<func::FuncOp>(op))});
  });
  ObserverList observers({&recorder, injected});
  OwningOpRef<ModuleOp> module = copyOf(layers);
  (void)lower(*module, &observers); // a failed pass is not recorded
  return list;
}

DeviceLowering::Outputs DeviceLowering::complete(ModuleOp module, llvm::StringSet<> skipped,
                                                 ArrayRef<Datum> inputs) const {
  OwningOpRef<ModuleOp> copy = module.clone();
  {
    PassSkipper skipper(copy->getContext(), std::move(skipped));
    if (failed(lower(*copy, nullptr))) {
      return failure();
    }
  }
  return driver::runLayers(onlyFunction(*copy), device, inputs);
}

FirstWrongPass DeviceLowering::firstWrongPass(func::FuncOp layers, ArrayRef<Datum> inputs,
                                              IsWrong isWrong) const {
  auto isBad = [&](const Outputs &outputs) { return failed(outputs) || isWrong(*outputs); };
  std::vector<Snapshot> list = snapshots(layers);
  if (!isBad(complete(*list[0].module, {}, inputs))) {
    llvm::StringSet<> done;
    for (const Snapshot &snapshot : list) {
      done.insert(snapshot.pass);
      if (isBad(complete(*snapshot.module, done, inputs))) {
        return {snapshot.pass, ""};
      }
    }
    return {"", ""};
  }
  for (const Snapshot &snapshot : ArrayRef(list).drop_front()) {
    llvm::StringSet<> only;
    only.insert(snapshot.pass);
    if (!isBad(complete(*list[0].module, only, inputs))) {
      return {snapshot.pass, "the outputs are right without this pass"};
    }
  }
  return {"", ""};
}

} // namespace convoy::check
