// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the IR of a failed stage with its pass pipeline, so that `convoy-opt
// --run-reproducer` repeats the failure. compileModel uses it when the request asks for
// reproducers. Failures outside of the stages have no IR; the tool writes its command line
// for them.

#pragma once

#include "Pipeline/RunStages.h"
#include "convoy/result.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::driver {

/// Keeps a copy of the module from before the current stage, and the stage's pipeline.
class Reproducer : public StageObserver {
public:
  /// `passes` is the observer that runs additional passes; it may be null.
  Reproducer(mlir::ModuleOp module, const StageOptions &options, const StageObserver *passes)
      : module(module), options(options), passes(passes) {}

  void beginStage(const Stage &stage) override;
  void instrument(mlir::PassManager &manager) override;

  /// Calls `stages`. Returns nothing if it crashed; the module must not be used then. The
  /// crash is caught only if the program enabled llvm::CrashRecoveryContext.
  std::optional<mlir::LogicalResult> run(llvm::function_ref<mlir::LogicalResult()> stages,
                                         Problems &problems);

  /// Whether a pass of the stage left IR that its verifier rejects.
  bool hasInvalidIr() const { return !invalidAfter.empty(); }

  /// Writes the file `<modelName>.convoy-reproducer.mlir` and adds an error that names the
  /// stage, the file and the command that replays the failure.
  void write(llvm::StringRef modelName, Problems &problems);

private:
  bool isReplayable() const;
  void print(llvm::raw_ostream &os);

  mlir::ModuleOp module;
  const StageOptions &options;
  const StageObserver *passes;
  mlir::OwningOpRef<mlir::ModuleOp> before;
  std::string stageName, pipeline, invalidAfter;
  std::vector<std::string> flags; // of convoy-opt
};

} // namespace convoy::driver
