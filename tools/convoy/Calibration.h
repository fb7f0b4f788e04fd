// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --calibrate: a quantised module of a float one, by samples in a folder.

#pragma once

#include "InputData.h"

namespace convoy::driver {

/// Runs the graph stage, then the reference on each sample of the folder, and puts
/// quantisation between the layers. A folder that is empty changes nothing.
/// Problems go to the log.
mlir::LogicalResult calibrate(mlir::ModuleOp module, const import::Model &model,
                              const import::ImportOptions &importOptions, llvm::StringRef folder,
                              DiagnosticLog &log);

} // namespace convoy::driver
