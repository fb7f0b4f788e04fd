// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --calibrate: a quantised module of a float one, by samples in a folder.

#pragma once

#include "Options.h"
#include "Session.h"

namespace convoy::driver {

/// Imports a model; then, unless the folder's name is empty, runs the graph stage and the
/// reference on each sample, and puts quantisation between the layers. Samples that are images
/// become tensors as `run` makes them of --input, with the same flags. Null after problems, which
/// are in the session's log.
mlir::OwningOpRef<mlir::ModuleOp> importCalibrated(Session &session, const import::Model &model,
                                                   const import::ImportOptions &importOptions,
                                                   llvm::StringRef folder,
                                                   const ImageOptions &image);

} // namespace convoy::driver
