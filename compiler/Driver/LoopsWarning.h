// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warns if generic loops take a large part of a model's time. compileModel and `convoy quantize`
// add the warning.

#pragma once

#include "convoy/model.h"
#include "convoy/report.h"
#include "convoy/request.h"

namespace convoy::driver {

/// The share of the predicted time above which generic loops are worth a warning.
inline constexpr double kMostLoops = 0.2;

/// Returns the warning for a compiled model, with the reasons of the slowest generic loops; empty
/// if their share is at most kMostLoops or the model has no convolution and no matrix product.
/// Loops that are estimated faster than a template do not count. Beside a device, the CPU runs few
/// layers, and the verdict on the placement names them, so the warning is empty.
std::string loopsWarning(const Model &model, const CompileRequest &request,
                         const CompileReport &report);

} // namespace convoy::driver
