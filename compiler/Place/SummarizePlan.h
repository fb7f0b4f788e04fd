// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what a DevicePlan placed. The split-regions pass keeps the counts as an attribute
// of the function, from which the driver reads them for summaries and warnings.

#pragma once

#include "Graph/AttributeRules.h"
#include "Place/DevicePlan.h"
#include "convoy/artifact.h"

namespace convoy::place {

/// The PlacementSummary of a function, as a dictionary.
inline constexpr llvm::StringLiteral kPlacementAttr = "place.placement";

/// Verifies the attributes with the prefix `place`.
class PlaceDialect : public graph::AttributeDialect {
public:
  explicit PlaceDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"place"}; }
};

/// Counts the ops and adds up the estimates of a plan.
PlacementSummary summarizePlan(const DevicePlan &plan, const accelerators::Accelerator &device,
                               PlacePolicy policy);

/// Stores a summary on the function, or reads the stored one. Without a stored one the
/// device of the result is empty.
void storePlacement(mlir::func::FuncOp function, const PlacementSummary &summary);
PlacementSummary loadPlacement(mlir::func::FuncOp function);

} // namespace convoy::place
