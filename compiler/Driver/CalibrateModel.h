// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes a model by the samples of a request (`--calibrate`).

#pragma once

#include "Driver/DiagnosticLog.h"
#include "Import/Import.h"
#include "convoy/request.h"

namespace convoy::driver {

/// Runs the reference on each sample and imports the model with the plan of plan::minMaxPlan.
/// `activationType` is U8 or I8. Returns null if a step fails; the problems are in the log.
mlir::OwningOpRef<mlir::ModuleOp>
importCalibrated(const import::Model &model, const import::ImportOptions &options,
                 const SampleSource &samples, ElementType activationType, CompileContext &context);

} // namespace convoy::driver
