// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the input of a band to scratch memory, with its padding, and loads and stores vectors of
// any width. The conv_pixels, pool_pixels and winograd_pixels templates use it.

#pragma once

#include "Kernels/ConvPixels/BandPlan.h"
#include "Kernels/Core/IndexMath.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

struct PackedBand {
  mlir::Value input; // in the layout of BandPlan
  mlir::Value sums;  // memory for results
};

/// Emits the copy of the input rows that band `band` of image `batch` reads. Positions outside the
/// input get the value `padding`.
PackedBand packBand(KernelFunction &function, KernelEmitter &elements, const ConvProblem &problem,
                    const BandPlan &plan, mlir::Value input, mlir::Value batch, mlir::Value band,
                    float padding = 0);

/// Emits a loop that copies band `band` of `planes` images, starting at `first`, each to the same
/// memory. Calls body(number, copy) for the code that uses the copy. The images have one channel;
/// their padding is zero.
void packPlanes(KernelFunction &function, KernelEmitter &elements, const ConvProblem &problem,
                const BandPlan &plan, mlir::Value input, mlir::Value band, mlir::Value first,
                int64_t planes, llvm::function_ref<void(mlir::Value, PackedBand)> body);

/// A vector of one lane is a scalar.
mlir::Value loadLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value memory, mlir::Value offset,
                      int64_t width);
void storeLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Value memory,
                mlir::Value offset);

/// Calls body(first, width) for vectors that cover `count` elements. The last vector overlaps the
/// previous one, which avoids a masked tail.
void forVectors(int64_t count, int64_t most, llvm::function_ref<void(int64_t, int64_t)> body);

} // namespace convoy::kernels
