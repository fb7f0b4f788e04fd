// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces kernels of a device with calls of their programs. The graph ops in the kernel's body are
// erased, because the program implements them.

#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Task/Task.h"

using namespace mlir;

namespace convoy::kernels {
#define GEN_PASS_DEF_LOWEROFFLOADPASS
#include "Kernels/Passes.h.inc"

namespace {
struct LowerOffload : impl::LowerOffloadPassBase<LowerOffload> {
  void runOnOperation() override {
    findPrograms();
    SmallVector<Attribute> programs;
    for (task::KernelOp kernel : llvm::to_vector(getOperation().getOps<task::KernelOp>())) {
      auto config = dyn_cast_or_null<OffloadAttr>(kernel.getConfigAttr());
      if (!config || kernel.isLowered()) {
        continue;
      }
      Attribute program = programOf.lookup(kernel.getName());
      if (!config.getProgram() || !program) {
        kernel.emitOpError("runs on '")
            << config.getDevice()
            << "', but has no program; run the device stage, which compiles it";
        return signalPassFailure();
      }
      lower(kernel, static_cast<int64_t>(programs.size()));
      programs.push_back(program);
    }
    if (!programs.empty()) {
      getOperation()->setAttr(task::kProgramsAttr, ArrayAttr::get(&getContext(), programs));
    }
  }

  /// Equal kernels share one op, and their programs are equal too.
  void findPrograms() {
    getOperation().walk([&](task::RunOp run) {
      if (!run.getInputs().empty()) {
        if (auto constant = run.getInputs().front().getDefiningOp<graph::ConstantOp>()) {
          programOf[run.getKernel()] = constant.getValueAttr();
        }
      }
    });
  }

  void lower(task::KernelOp kernel, int64_t number) {
    unsigned operands = kernel.getNumArguments();
    KernelFunction function = KernelFunction::thatMayFail(kernel);
    SmallVector<Value> inputs;
    for (unsigned i = 1; i < operands; ++i) { // operand 0 is the program
      inputs.push_back(function.operand(i));
    }
    function.b.create<task::OffloadOp>(number, inputs, function.resultMemory(), function.status());
    function.finish(/*range=*/1);
  }

  llvm::DenseMap<StringRef, Attribute> programOf;
};
} // namespace
} // namespace convoy::kernels
