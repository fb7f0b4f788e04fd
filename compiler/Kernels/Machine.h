// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of the target that the cost models of templates use.
// Pipeline/TargetOptions.cpp derives the structure from the target description, once per compile.
// Passes read it from the attribute `kernel.machine` of the module, so that the text of a module is
// complete: lit tests, reproducers and tuning tasks run single stages.

#pragma once

#include "Kernels/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstdint>

namespace convoy::kernels {

/// Vectors of at least this size span several cache lines; see Machine::hasLongVectors.
constexpr int64_t kLongVectorBytes = 256;

struct Machine {
  int64_t vectorBytes = 32;
  int64_t vectorRegisters = 16;
  int64_t fmaPorts = 2; // 0: no multiply-add instruction
  /// Vector instructions take one factor from a scalar register; see Target.h.
  bool hasScalarOperands = false;
  int64_t firstCacheBytes = 32 << 10;
  int64_t secondCacheBytes = 1 << 20;
  /// Integer templates are candidates only if this is not None.
  DotForm dot = DotForm::None;
  /// The target multiplies registers of 16 rows of 64 bytes as matrices (AMX).
  bool hasTiles = false;
  /// Programs are emitted C for a machine without an operating system. Templates that use byte ops
  /// (ByteOp.td) are candidates only there; no other backend lowers these ops.
  bool hasByteOps = false;
  /// The target multiplies pairs of 16-bit numbers in a general register (SMLAD).
  bool hasPairProducts = false;

  int64_t lanes() const { return vectorBytes / 4; } // f32 lanes
  /// Returns the registers that a broadcast factor takes.
  int64_t spreadRegisters() const { return hasScalarOperands ? 0 : 1; }
  /// Returns whether a vector spans several cache lines. Loads are then streams, and prefetching
  /// single lines does not help.
  bool hasLongVectors() const { return vectorBytes >= kLongVectorBytes; }

  /// Returns the machine with each four registers as one, as code for bytes uses it if dot products
  /// have four lanes: 16 channels of a pixel are then adjacent, and bytes fill whole registers.
  Machine inFours() const {
    Machine joined = *this;
    joined.vectorBytes *= 4;
    joined.vectorRegisters /= 4;
    return joined;
  }
  /// Returns the vector multiply-adds per cycle. Without a multiply-add instruction, the product
  /// and the sum take one port each.
  int64_t multiplyAddsPerCycle() const { return fmaPorts > 0 ? fmaPorts : 1; }
  /// Returns the registers available to accumulators and operands. Without a multiply-add
  /// instruction, the product needs one register.
  int64_t tileRegisters() const { return vectorRegisters - (fmaPorts > 0 ? 0 : 1); }
};

/// Returns whether the instructions are those of 64-bit Arm.
inline bool isOfArm(DotForm form) { return form == DotForm::Sdot || form == DotForm::Usdot; }
/// Returns the signs of the factors of dot products: the input and the weights.
inline Signs signsOf(DotForm form) {
  return form == DotForm::Sdot ? Signs::SignedSigned : Signs::UnsignedSigned;
}

/// Returns the machine as the code of `scope` uses it: with joined registers (Machine::inFours) if
/// its dot products have four lanes.
Machine machineFor(mlir::Operation *scope, const Machine &machine);

/// Sets the machine that later passes read, as the code of the module uses it (machineFor).
void setMachine(mlir::ModuleOp module, const Machine &machine);

/// Returns the machine of the module that contains `op`, or the default machine if the module has
/// none.
Machine machineOf(mlir::Operation *op);

} // namespace convoy::kernels
