// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of an accelerator with a convolution core. Shared code uses only this interface and
// names no device. Each device is a folder beside this file and one entry of the list in
// CMakeLists.txt; docs/howto/add-accelerator.md describes how to add one.
//
//   graph region --(ConvCore/)--> convcore function --(device)--> Program
//                                     |  refused: stays on the CPU, with the reason

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/Dependences.h"
#include "Accelerators/Program.h"
#include "Accelerators/Simulator.h"
#include "Memory/Planner/Planner.h"
#include "Quantize/Arithmetic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy::accelerators {

/// Estimated time of one convcore op, including transfers between the device's own memories.
struct Cost {
  double nanoseconds = 0;
};

/// What a device costs, for the comparison of devices. 0: the device does not state it.
struct Resources {
  int64_t multipliers = 0; // multiply-accumulates per cycle
  int64_t localBytes = 0;  // memory on the device
};

class Accelerator {
public:
  virtual ~Accelerator() = default;

  /// Returns the name as written in --target=<name>, including parameters.
  virtual llvm::StringRef name() const = 0;
  /// Returns one line for `convoy targets`.
  virtual llvm::StringRef summary() const = 0;

  /// Returns the supported convcore ops with their element types and limits. The shared rewrites
  /// use this table too: they split a pool that exceeds a limit and replace unsupported groups.
  virtual const Capabilities &capabilities() const = 0;

  /// Returns why the device cannot run `op`, or nothing if it can. This hook checks conditions that
  /// `capabilities` cannot express. It is called only for ops that the table allows.
  virtual std::optional<Refusal> refuse(mlir::Operation *op) const { return std::nullopt; }

  /// Returns the float type in which the device computes f32 graphs, or Undefined for a device
  /// without floats. If the type is not f32, the CPU casts values at the border of a region, the
  /// compiler casts constants, and `lower` sees no f32. `refuse` and `estimate` see f32 ops, which
  /// represent the same ops of this type: layers are fused in f32 so that weights are rounded only
  /// once, at the end.
  virtual ElementType floatType() const = 0;

  /// Returns how the device's units requantize integers; the quantize stage writes layers in this
  /// form.
  virtual quantize::Arithmetic arithmetic() const { return {}; }

  /// Adds the device's own rewrites of a convcore function, which run before `lower`, and registers
  /// the dialects that these rewrites produce.
  virtual void addPasses(mlir::OpPassManager &passes) const {}
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}

  /// Returns the device's memories, fastest first, for the planner in Memory/.
  virtual llvm::ArrayRef<memory::Space> memories() const = 0;

  /// Returns the commands for a function of convcore ops and constants. The device refuses none of
  /// the ops. Emits an error if the function still cannot be lowered.
  virtual mlir::FailureOr<Program> lower(mlir::func::FuncOp region,
                                         const DependenceGraph &dependences) const = 0;

  /// Returns the file that the user gets for a program's commands, for the device's own tools.
  virtual ProgramFile fileOf(llvm::ArrayRef<uint8_t> commands) const {
    return {"bin", commands.vec()};
  }
  /// Returns all files of a program, for devices that need more than one. `program` is the whole
  /// program in its frame.
  virtual std::vector<ProgramFile> filesOf(llvm::ArrayRef<uint8_t> program,
                                           llvm::ArrayRef<uint8_t> commands) const {
    return {fileOf(commands)};
  }

  virtual Cost estimate(mlir::Operation *op) const = 0;
  /// Returns the number of cycles in the simulator's report per nanosecond, or 1 if the device has
  /// no clock of its own.
  virtual double cyclesPerNs() const { return 1; }

  virtual Resources resources() const { return {}; }

  /// Returns an in-memory device that runs the programs.
  virtual std::unique_ptr<Simulator> simulator() const = 0;
};

/// Returns why the device does not run a convcore op, or nothing if it does. Checks the capability
/// table first, then `Accelerator::refuse`.
std::optional<Refusal> whyNot(const Accelerator &device, mlir::Operation *op);

} // namespace convoy::accelerators
