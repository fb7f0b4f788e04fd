// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A described machine as a target of the driver: `host` and all that targets::
// findTarget knows.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Codegen/LLVM/Passes.h"
#include "Pipeline/Pipeline.h"
#include "Target.h"
#include "Targets/Target.h"

namespace convoy::driver {

/// Whether the contracts of stages are checked without a flag: in builds with
/// assertions.
#ifdef NDEBUG
inline constexpr bool kVerifiesStages = false;
#else
inline constexpr bool kVerifiesStages = true;
#endif

/// The options of all stages for a machine; 0 threads are one for each core.
convoy::CompileOptions compileOptions(const targets::Target &target, int64_t threads = 1);

/// All stages and LLVM's lowering, for the machine of `codegenOptions`. `device`, when there
/// is one, takes what it can.
mlir::LogicalResult lowerForMachine(mlir::ModuleOp module, const TargetOptions &options,
                                    codegen::CodegenOptions &codegenOptions,
                                    const accelerators::Accelerator *device = nullptr);

class MachineTarget : public Target {
public:
  explicit MachineTarget(targets::Target description) : description(std::move(description)) {}

  llvm::StringRef name() const override { return description.name; }
  llvm::StringRef summary() const override { return description.summary; }
  /// Code that this CPU runs is loaded into this process; other code is run by the
  /// target's emulator.
  std::unique_ptr<Executable> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const TargetOptions &options) const override;

private:
  targets::Target description;
};

/// Whether `run` and `check` can run code for the machine here.
bool isRunnable(const targets::Target &machine);

} // namespace convoy::driver
