// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy::compileModel with an observer, for the compiler's own tools.

#pragma once

#include "convoy/compiler.h"
#include "convoy/device.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace convoy {
class StageObserver;
} // namespace convoy

namespace convoy::driver {

/// What the compiler's own tools may do to a compile beside its request.
struct CompileHooks {
  /// Sees the stages; may be null.
  StageObserver *observer = nullptr;
  /// Runs the programs of a model in memory instead of the device's simulator, when not
  /// null; outlives the model.
  const convoy_device *device = nullptr;
  /// Called with the imported module before any stage runs, when set.
  std::function<void(mlir::ModuleOp)> imported = nullptr;
};

Result<Artefact> compileModel(const Model &model, const CompileRequest &request,
                              const CompileHooks &hooks);

} // namespace convoy::driver
