// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `convoy compile` does, for verbs that need a library on the way.

#pragma once

#include "CompileSummary.h"
#include "Verbs.h"
#include <functional>

namespace convoy::driver {

/// What differs from `convoy compile`.
struct BuildRequest {
  /// Called after each stage, when set.
  std::function<void(mlir::ModuleOp module, llvm::StringRef stage)> afterStage = nullptr;
  /// Let marked kernels be timed; see Codegen/LLVM/Probe.h.
  bool hasProbes = false;
  /// What to pass over of the records, instead of what they say of this network.
  const tuning::Verdict *verdict = nullptr;
};

/// Writes the library and fills the summary. Problems are printed; returns the exit
/// code.
ExitCode buildLibrary(const CompileOptions &options, const BuildRequest &request, Console &console,
                      CompileSummary &summary);

} // namespace convoy::driver
