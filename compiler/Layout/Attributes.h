// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the layout stage: the measurements that a kernel and a module use, and the
// reasons why templates do not run a kernel. Codegen, the report of a compile and the tools read
// them.

#pragma once

#include "Graph/AttributeRules.h"
#include "Layout/Measurements.h"
#include "convoy/report.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace convoy::layout {

/// An attribute of a kernel before layouts are chosen: an array of dictionaries with `config`
/// (absent for the generic loops), `input` (absent if planar) and `ns`, the nanoseconds of one run.
inline constexpr llvm::StringLiteral kMeasuredAttr = "layout.measured";
/// An attribute of a module compiled with measurements: UsedMeasurements as a dictionary.
inline constexpr llvm::StringLiteral kMeasurementsAttr = "layout.measurements";
/// An attribute of a kernel, and of the run that replaces it: its Reasons as a dictionary.
inline constexpr llvm::StringLiteral kReasonsAttr = "layout.reasons";

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

/// Why each template does not run a kernel, if the kernel becomes generic loops.
struct Reasons {
  std::vector<TemplateRefusal> refusals; // in the order of the table of templates
  /// The attention that the kernel computes, or why the product of the kernel is not part of one.
  std::string remark;
};

/// Returns the reasons of a kernel or of a run; nullopt if the compile records none.
std::optional<Reasons> reasonsOf(mlir::Operation *op);
void setReasons(mlir::Operation *op, const Reasons &reasons);

} // namespace convoy::layout
