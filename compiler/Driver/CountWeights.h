// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the bytes of the compiled weights with those in the model file, by cause. The
// summary of a compile explains with them why weights grew.

#pragma once

#include "Import/Import.h"
#include "convoy/artefact.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// Returns the bytes of all initializers and Constant nodes, subgraphs included.
int64_t weightsInFile(const import::Model &model);

/// Counts the weights of a module after the memory stage. `modelBytes` is weightsInFile.
WeightsSummary countWeights(mlir::ModuleOp module, int64_t modelBytes);

} // namespace convoy::driver
