// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an accelerator with a convolution core tells the compiler. Shared code works
// through this interface and names no device; a device is a folder beside this file
// and one line of the list in CMakeLists.txt. docs/howto/add-accelerator.md walks
// through one.
//
//   graph region --(ConvCore/)--> convcore function --(device)--> Program
//                                     |  refused: stays on the CPU, with the reason

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/Dependences.h"
#include "Accelerators/Program.h"
#include "Accelerators/Simulator.h"
#include "Memory/Planner.h"
#include "Quantize/Arithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// What the device is estimated to need for one convcore op, transfers between its
/// own memories included.
struct Cost {
  double nanoseconds = 0;
};

class Accelerator {
public:
  virtual ~Accelerator() = default;

  /// As in --target=<name>, parameters included.
  virtual llvm::StringRef name() const = 0;
  /// One line for `convoy targets`.
  virtual llvm::StringRef summary() const = 0;

  /// Which convcore ops it runs, on which types, up to which sizes. Shared rewrites
  /// read it too: a pool above its limits is divided, groups that it lacks are mapped.
  virtual const Capabilities &capabilities() const = 0;

  /// What capabilities cannot say: why it does not run this op, or nothing when it
  /// does. Called for ops that the table allows.
  virtual std::optional<Refusal> refuse(mlir::Operation *op) const { return std::nullopt; }

  /// The float type it computes f32 graphs in, or Undefined for one without floats.
  /// Where that is not f32, values are cast at the border of a region, by the CPU, and
  /// constants when compiling; `lower` sees no f32. Before that, in `refuse` and
  /// `estimate`, an op of f32 stands for the same op of this type: layers are fused in
  /// f32, so weights are rounded once, at the end.
  virtual ElementType floatType() const = 0;

  /// How its units rescale integers; the quantize stage writes layers for it in this.
  virtual quantize::Arithmetic arithmetic() const { return {}; }

  /// Its own rewrites of a convcore function, run before `lower`, and the dialects of
  /// what they make.
  virtual void addPasses(mlir::OpPassManager &passes) const {}
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}

  /// Its memories, fastest first, for the planner of Memory/.
  virtual llvm::ArrayRef<memory::Space> memories() const = 0;

  /// The commands for a function of convcore ops and constants, each of them one that
  /// it does not refuse. Emits an error where that is not possible after all.
  virtual mlir::FailureOr<Program> lower(mlir::func::FuncOp region,
                                         const DependenceGraph &dependences) const = 0;

  /// What a user is given of a program's commands, for the device's own tools.
  virtual ProgramFile fileOf(llvm::ArrayRef<uint8_t> commands) const {
    return {"bin", commands.vec()};
  }
  /// Where one file is not enough: all of a program, which is in its frame.
  virtual std::vector<ProgramFile> filesOf(llvm::ArrayRef<uint8_t> program,
                                           llvm::ArrayRef<uint8_t> commands) const {
    return {fileOf(commands)};
  }

  virtual Cost estimate(mlir::Operation *op) const = 0;
  /// How many cycles of the simulator's report a nanosecond has; one where the device
  /// has no clock of its own.
  virtual double cyclesPerNs() const { return 1; }

  /// A device in memory that runs its programs.
  virtual std::unique_ptr<Simulator> simulator() const = 0;
};

/// Why the device does not run a convcore op, or nothing when it does: first its
/// table, then its own word.
std::optional<Refusal> whyNot(const Accelerator &device, mlir::Operation *op);

} // namespace convoy::accelerators
