// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes with which the layout stage uses measurements. Codegen and the tools read which
// measurements a module uses.

#pragma once

#include "Graph/AttributeRules.h"
#include "Layout/Measurements.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace convoy::layout {

/// An attribute of a kernel before layouts are chosen: an array of dictionaries with `config`
/// (absent for the generic loops), `input` (absent if planar) and `ns`, the nanoseconds of one run.
inline constexpr llvm::StringLiteral kMeasuredAttr = "layout.measured";
/// An attribute of a module compiled with measurements: UsedMeasurements as a dictionary.
inline constexpr llvm::StringLiteral kMeasurementsAttr = "layout.measurements";

/// Verifies the attributes with the prefix `layout`.
class LayoutDialect : public graph::AttributeDialect {
public:
  explicit LayoutDialect(mlir::MLIRContext *context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return {"layout"}; }
};

/// The measurements that a module was compiled with: their hash, and how many kernels use them.
struct UsedMeasurements {
  std::string hash;
  MeasuredCounts counts;
};

/// Returns the measurements of a module; nullopt without any.
std::optional<UsedMeasurements> usedMeasurements(mlir::ModuleOp module);
void setUsedMeasurements(mlir::ModuleOp module, const UsedMeasurements &used);

} // namespace convoy::layout
