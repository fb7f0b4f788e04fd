// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convcore layers to jobs of NVDLA units, and checks whether a layer can be lowered.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace convoy::nvdla {

/// Returns why a layer that the table allows cannot run, or nothing if it can.
std::optional<accelerators::Refusal> whyNotLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Estimates the cycles of a layer with the cycle model.
uint64_t estimateLayer(mlir::Operation *op, const NvdlaOptions &options);

/// Creates the pass that lowers a function of convcore ops to nvdla ops, in the same order.
std::unique_ptr<mlir::Pass> createLowerConvCorePass(const NvdlaOptions &options);

/// Inserts copies so that values are stored where their readers require them. Copies a value that
/// is joined twice or not written in this function, a result that is stored elsewhere, and a region
/// input that a blend reads. Part of the pass above.
void insertCopies(mlir::Block &block, const NvdlaOptions &options);

/// Marks convolutions that read an argument with few channels as an image. Part of the pass above.
void chooseImages(mlir::Block &block, const NvdlaOptions &options);

/// Moves a pool of a join to the inputs of the join, so that it overlaps with or follows directly
/// the convolutions that write them. Part of the pass above.
void splitPools(mlir::Block &block, const NvdlaOptions &options);

/// Marks convolutions that take fewer cycles in Winograd mode. Part of the pass above.
void chooseWinograd(mlir::Block &block, const NvdlaOptions &options);

/// Marks SDPs that pass their result to a PDP on the fly. Part of the pass above.
void fuseUnits(mlir::Block &block, const NvdlaOptions &options);

} // namespace convoy::nvdla
