// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host as a target of the driver.

#pragma once

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

class HostTarget : public Target {
public:
  llvm::StringRef name() const override { return "host"; }
  llvm::StringRef summary() const override { return "this machine's CPU, by LLVM"; }
  std::unique_ptr<Executable> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      const TargetOptions &options) const override;
};

} // namespace convoy::driver
