// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the place stage; Passes.td says what each takes and gives.

#pragma once

#include "convoy/request.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace convoy::place {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Place/Passes.h.inc"

struct PlaceOptions {
  /// The target of a device, or empty for the CPU alone.
  std::string device;
  PlacePolicy policy = PlacePolicy::All;
};

/// Adds the stage's passes in order.
void addPlacePasses(mlir::OpPassManager &passes, const PlaceOptions &options);

/// Nothing to check beyond what the CPU is left with.
void addPlaceContract(mlir::OpPassManager &passes);

} // namespace convoy::place
