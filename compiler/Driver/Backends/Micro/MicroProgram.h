// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as a program for a microcontroller, built with the target's tool chain from emitted C
// and runtime/micro. The target's emulator runs the program.

#pragma once

#include "Codegen/C/Options.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Driver/Backends/Micro/MicroElf.h"
#include "Driver/Backends/Micro/StackBound.h"
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
  /// The bytes of stack below the frame that called <model>_run; nullopt if the stack has no bound.
  std::optional<int64_t> stackBytes;
  /// The end of the last byte of the workspace that the run writes, or that holds an input; the sum
  /// of all workspaces.
  int64_t arenaBytes = 0;
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
  int64_t flashBytes() const { return elf.flashBytes; }
  /// The size of the code, which is a part of the flash.
  int64_t codeBytes() const { return elf.codeBytes; }
  /// The size of the workspace, of inputs and outputs outside the workspace, and of the stack of a
  /// run.
  int64_t ramBytes() const;
  /// The stack of <model>_run; null if it has no bound. stackProblem() then explains the reason.
  const StackBound *stack() const { return bound ? &*bound : nullptr; }
  const std::string &stackProblem() const { return unbounded; }
  const targets::Target &target() const { return machine; }

  /// Copies the program to MODEL.elf in a folder, which is created if it does not exist.
  llvm::Error save(llvm::StringRef into) const;

  /// Runs on tensors, which must have the types and shapes of the inputs. If `counts` is not null,
  /// the emulator counts instructions, which makes the run slower.
  llvm::Expected<std::vector<Tensor>> run(llvm::ArrayRef<Tensor> in,
                                          InstructionCounts *counts = nullptr) const;

private:
  /// The prefix of the workspaces in program.c.
  static constexpr llvm::StringLiteral kWorkspace = "workspace";

  MicroProgram() = default;

  llvm::Error compile(mlir::ModuleOp module, const codegen::SourceOptions &options);
  llvm::Error compileFile(const std::string &source, std::string &object) const;
  /// Adds the objects of the C files of custom ops.
  llvm::Error compileCustomSources(llvm::ArrayRef<std::string> sources,
                                   std::vector<std::string> &objects) const;
  llvm::Expected<CallGraph> readCallGraph(llvm::ArrayRef<std::string> objects) const;
  void boundStacks(llvm::ArrayRef<std::string> objects);
  llvm::Error link(llvm::ArrayRef<std::string> objects) const;
  /// Reads the sizes of the program and writes the marks for the counting plug-in.
  llvm::Error readProgram();
  llvm::Error writeInputs(llvm::ArrayRef<Tensor> in) const;
  std::string dataRanges() const;
  llvm::Error emulate(bool isCounting) const;
  llvm::Expected<InstructionCounts> readCounts() const;
  /// Takes the addresses of bytes that a run wrote. Updates the ends of workspaces.
  llvm::Error noteWrite(uint64_t begin, uint64_t end, std::map<std::string, int64_t> &ends) const;

  TemporaryFolder folder;
  codegen::ModelInterface interface;
  targets::Target machine;
  std::vector<std::string> layers; // by number
  MicroElf elf;
  std::optional<StackBound> bound;
  std::string unbounded;      // the reason why there is no bound
  int64_t stackBytes = 0;     // that the program reserves
  int64_t framesAboveRun = 0; // from the start of the program to the call of <model>_run
  std::map<std::string, MicroElf::AddressRange> buffers; // of program.c: workspace, output_0 ...
};

} // namespace convoy::driver
