// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares convoy::compileModel with hooks. Only the compiler's own tools use the hooks.

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

/// A program of a device, with the tensors that it reads and writes: "input 'x'" and "output 'y'"
/// of the model, the name of another program, or the node on the CPU: "'pool' (MaxPool) on the
/// CPU".
struct DeviceProgram {
  std::string name;
  std::vector<std::string> files, reads, writes;
};

/// Hooks of the compiler's own tools into a compile.
struct CompileHooks {
  /// Observes the stages; may be null.
  StageObserver *observer = nullptr;
  /// Runs the device programs of a model in memory. If null, the device's simulator runs
  /// them. The device must outlive the model.
  const convoy_device *device = nullptr;
  /// If set, compileModel calls it with the imported module before the first stage.
  std::function<void(mlir::ModuleOp)> imported = nullptr;
  /// If set, Emit::Program calls it with the programs in the order in which they run.
  std::function<void(std::vector<DeviceProgram>)> wrotePrograms = nullptr;
};

Result<Artifact> compileModel(const Model &model, const CompileRequest &request,
                              const CompileHooks &hooks);

} // namespace convoy::driver
