// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the place stage; Passes.td describes each one.

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
  /// Target of the device, or empty for the CPU alone.
  std::string device;
  PlacePolicy policy = PlacePolicy::All;
};

/// Adds the stage's passes in order.
void addPlacePasses(mlir::OpPassManager &passes, const PlaceOptions &options);

/// Adds the check that the CPU can run every op outside of device regions.
void addPlaceContract(mlir::OpPassManager &passes);

} // namespace convoy::place
