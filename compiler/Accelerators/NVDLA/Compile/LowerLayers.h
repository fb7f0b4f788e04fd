// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From layers of convcore to jobs of units, and why a layer has none.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace convoy::nvdla {

/// Why a layer that the table allows cannot run, or nothing when it can.
std::optional<accelerators::Refusal> whyNotLayer(mlir::Operation *op,
                                                 const CompileOptions &options);

/// What the cycle model says of a layer.
uint64_t estimateLayer(mlir::Operation *op, const CompileOptions &options);

/// A function of convcore ops becomes one of nvdla ops, in the same order.
std::unique_ptr<mlir::Pass> createLowerLayersPass(const CompileOptions &options);

/// Makes values lie where their readers need them, by copies: what is joined twice or not
/// written here, what is returned and lies elsewhere, what a blend reads from a region's
/// input. Part of the pass above.
void settleCubes(mlir::Block &block, const CompileOptions &options);

/// Marks convolutions that read an argument of few channels as pixels. Part of the pass
/// above.
void chooseImages(mlir::Block &block, const CompileOptions &options);

/// Pools each input of a join by itself, behind or beside the convolutions that write
/// them, instead of the whole afterwards. Part of the pass above.
void splitPools(mlir::Block &block, const CompileOptions &options);

/// Marks convolutions that take fewer cycles the Winograd way. Part of the pass above.
void chooseWinograd(mlir::Block &block, const CompileOptions &options);

/// Marks SDPs that give to a PDP directly. Part of the pass above.
void fuseUnits(mlir::Block &block, const CompileOptions &options);

} // namespace convoy::nvdla
