// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the passes of the bands stage, which Passes.td describes.

#pragma once

#include "Task/Task.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::bands {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Bands/Passes.h.inc"

/// Whether layers run in bands of rows.
enum class Localise {
  Off,
  On,     ///< Where bands are estimated to be faster.
  Always, ///< Wherever layers can be split.
};

struct BandsOptions {
  Localise localise = Localise::Off;
  /// Threads to plan for.
  int64_t threads = 1;
  /// Bytes of the cache, or local memory, of one core; 0 if unknown.
  int64_t cacheBytes = 0;

  /// Returns whether the stage plans bands.
  bool isOn() const { return localise != Localise::Off && cacheBytes > 0; }
};

/// Adds the stage's passes in order; none if the options request no bands.
void addBandsPasses(mlir::OpPassManager &passes, const BandsOptions &options);

/// Adds the check of the bands contract, on which Memory and Schedule rely.
void addBandsContract(mlir::OpPassManager &passes);

} // namespace convoy::bands
