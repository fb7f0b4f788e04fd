// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as a program for a microcontroller, built with the target's tool chain from emitted C
// and runtime/micro. The target's emulator runs the program.

#pragma once

#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Support/TemporaryFolder.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace convoy::driver {

/// The number of instructions of one layer.
struct LayerCount {
  std::string layer; // the kernel and its nodes: "conv_0 'conv1' (Conv)"
  uint64_t instructions = 0;
};

/// The number of instructions of one run, without start-up code and transfers of tensors.
struct InstructionCounts {
  uint64_t run = 0;     // all, including the code between layers
  uint64_t between = 0; // in no layer
  std::vector<LayerCount> layers;
};

class MicroProgram {
public:
  /// Emits C for a module in planned memory and builds a program in a temporary folder. The target
  /// of the options must have a tool chain.
  static llvm::Expected<std::unique_ptr<MicroProgram>> build(mlir::ModuleOp module,
                                                             const codegen::SourceOptions &options);

  const codegen::ModelInterface &description() const { return interface; }
  /// The size of code, weights and initial values of data.
  int64_t flashBytes() const { return flash; }
  /// The size of the workspace, inputs, outputs, other data and the stack.
  int64_t ramBytes() const { return ram; }
  const targets::Target &target() const { return machine; }

  /// Runs on tensors, which must have the types and shapes of the inputs. If `counts` is not null,
  /// the emulator counts instructions, which makes the run slower.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> in,
                                          InstructionCounts *counts = nullptr) const;

private:
  MicroProgram() = default;

  llvm::Error compile(mlir::ModuleOp module, const codegen::SourceOptions &options);
  llvm::Error compileFile(const std::string &source, std::string &object) const;
  llvm::Error link(llvm::ArrayRef<std::string> objects) const;
  /// Reads the sizes of the program and writes the marks for the counting plug-in.
  llvm::Error readProgram();
  llvm::Error writeInputs(llvm::ArrayRef<Tensor> in) const;
  llvm::Error emulate(bool isCounting) const;
  llvm::Expected<InstructionCounts> readCounts() const;

  TemporaryFolder folder;
  codegen::ModelInterface interface;
  targets::Target machine;
  std::vector<std::string> layers; // by number
  int64_t flash = 0, ram = 0;
};

} // namespace convoy::driver
