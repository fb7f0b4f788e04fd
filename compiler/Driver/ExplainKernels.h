// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains the kernels of a model on a CPU: the template of each kernel and its predicted time,
// and why a kernel of generic loops has no template. `convoy explain` prints it.

#pragma once

#include "convoy/model.h"
#include "convoy/report.h"
#include "convoy/request.h"

namespace convoy::driver {

/// Runs the stages up to `kernels` for the CPU that the request names as target, and records why
/// templates do not run a kernel. Writes no file.
Result<CompileReport> explainKernels(const Model &model, const CompileRequest &request);

} // namespace convoy::driver
