// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model and loads it into this process. The code is the same as in a library on
// disk, so both give the same results.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Support/Tensor.h"
#include "convoy/device.h"
#include "convoy/table.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::codegen {

class LoadedModel {
public:
  /// Compiles and loads a module in planned memory, lowering it in place. The weights are
  /// copied once; the module may be destroyed afterwards.
  static llvm::Expected<std::unique_ptr<LoadedModel>> load(mlir::ModuleOp module,
                                                           const CodegenOptions &options);
  ~LoadedModel();

  /// The hash is the hash of the library that writeLibrary() would write.
  const ModelInterface &description() const { return interface; }
  llvm::ArrayRef<TensorDescriptor> inputs() const { return interface.inputs; }
  llvm::ArrayRef<TensorDescriptor> outputs() const { return interface.outputs; }
  int64_t workspaceBytes() const { return interface.workspaceBytes; }
  int64_t weightsBytes() const { return interface.weightsBytes; }
  /// Returns whether the model has programs for a device, which `init` loads.
  bool hasPrograms() const { return interface.programs > 0; }

  /// Returns the table of convoy/table.h, which is valid as long as the model.
  const convoy_model &table() const;

  /// Loads the programs. The device must outlive the model.
  llvm::Error init(const convoy_device &device) const;

  /// Runs on the caller's buffers, each with the size of its descriptor. If sizes depend on data,
  /// `out` has one more buffer, for the extents (writtenTensors). Several threads may
  /// call it concurrently, each with its own workspace, aligned to 64 bytes.
  llvm::Error run(llvm::ArrayRef<const void *> in, llvm::ArrayRef<void *> out,
                  void *workspace) const;

  /// Runs on tensors, which must have the types and shapes of the inputs. Returns outputs of their
  /// actual sizes.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> in) const;

private:
  struct Code;

  LoadedModel();

  ModelInterface interface;
  std::unique_ptr<Code> code;
};

} // namespace convoy::codegen
