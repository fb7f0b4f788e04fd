// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model compiled and loaded into this process. It holds the very bytes that a
// library on disk would, so both give the same results.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Options.h"
#include "Support/Tensor.h"
#include "convoy/device.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::codegen {

class LoadedModel {
public:
  /// Compiles and loads a module in planned memory, lowering it in place. The
  /// weights are copied once; the module may go afterwards.
  static llvm::Expected<std::unique_ptr<LoadedModel>> load(mlir::ModuleOp module,
                                                           const CodegenOptions &options);
  ~LoadedModel();

  /// Its hash is that of the library that writeLibrary would write.
  const ModelInterface &description() const { return interface; }
  llvm::ArrayRef<TensorDescriptor> inputs() const { return interface.inputs; }
  llvm::ArrayRef<TensorDescriptor> outputs() const { return interface.outputs; }
  int64_t workspaceBytes() const { return interface.workspaceBytes; }
  int64_t weightsBytes() const { return interface.weightsBytes; }
  /// Whether it has programs for a device, which `init` loads.
  bool hasPrograms() const { return interface.programs > 0; }

  /// Loads the programs. The device must outlive the model.
  llvm::Error init(const convoy_device &device) const;

  /// Runs on the caller's buffers, each of the bytes that its descriptor says. May
  /// be called by several threads at once, each with its own workspace, aligned to
  /// 64 bytes.
  llvm::Error run(llvm::ArrayRef<const void *> in, llvm::ArrayRef<void *> out,
                  void *workspace) const;

  /// Runs on tensors, which must have the inputs' types and shapes.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> in) const;

private:
  struct Code;

  LoadedModel();

  ModelInterface interface;
  std::unique_ptr<Code> code;
};

} // namespace convoy::codegen
