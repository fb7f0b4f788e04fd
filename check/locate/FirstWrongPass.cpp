// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the first wrong pass of the lowering. HostLowering records the module after each pass.
// Each recorded module then runs through the remaining passes, without plug-ins; the first
// module with wrong outputs names the pass. If a built-in pass is wrong, every recorded module
// gives wrong outputs. In that case, the search changes one setting at a time; a setting with
// right outputs names the pass.

#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "check/locate/KernelFault.h"

using namespace mlir;

namespace convoy::check {
namespace {

struct Setting {
  llvm::StringLiteral pass, text;
  void (*apply)(HostLowering &);
};

constexpr Setting kSettings[] = {
    {"convoy-memory-plan-arena", "the outputs are right if no tensors share memory",
     [](HostLowering &lowering) { lowering.stages.memory.reuse = false; }},
    {"LLVM's optimizer", "the outputs are right without LLVM's optimizations",
     [](HostLowering &lowering) { lowering.stages.codegen.optLevel = 0; }},
    {"convoy-kernels-lower-loops", "the outputs are right with scalar code",
     [](HostLowering &lowering) { lowering.stages.machine.vectorBytes = 4; }},
};

} // namespace

FirstWrongPass firstWrongPass(ModuleOp module, ArrayRef<Datum> inputs, StageObserver *observer,
                              IsWrong isWrong) {
  auto isBad = [&](const HostLowering::Outputs &outputs) {
    return failed(outputs) || isWrong(*outputs);
  };
  HostLowering lowering;
  std::vector<Snapshot> list = lowering.snapshots(module, observer);
  for (size_t i = 1; i < list.size(); ++i) {
    if (i == 1 && isBad(lowering.complete(list, 0, inputs))) {
      break; // a built-in pass is wrong
    }
    if (isBad(lowering.complete(list, i, inputs))) {
      return {list[i].pass, ""};
    }
  }
  for (const Setting &setting : kSettings) {
    HostLowering other;
    setting.apply(other);
    if (!isBad(other.run(module, inputs, nullptr))) {
      return {setting.pass.str(), setting.text.str()};
    }
  }
  return {"", "the outputs are wrong with every setting of the passes from Tasks to Codegen"};
}

Operation *mainOp(Operation *kernel) {
  if (!isa<graph::KernelOp>(kernel)) {
    return kernel;
  }
  Operation *result = kernel;
  for (Operation &op : kernel->getRegion(0).front().without_terminator()) {
    graph::OpClass kind = graph::classify(&op);
    if (kind == graph::OpClass::Heavy || kind == graph::OpClass::Reduction) {
      return &op;
    }
    result = isa<graph::ConstantOp>(op) ? result : &op;
  }
  return result;
}

} // namespace convoy::check
