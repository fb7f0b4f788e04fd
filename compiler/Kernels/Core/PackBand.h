// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the input of a band to scratch memory, with its padding, for templates whose lanes run
// along pixels.

#pragma once

#include "Kernels/Core/BandPlan.h"
#include "Kernels/Core/LaneMemory.h"
#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

struct PackedBand {
  mlir::Value input; // in the layout of BandPlan
  mlir::Value sums;  // memory for results
};

/// Emits the copy of the input rows that band `band` of image `batch` reads. Positions outside the
/// input get the value `padding`.
PackedBand packBand(KernelFunction &function, const ConvProblem &problem, const BandPlan &plan,
                    mlir::Value input, mlir::Value batch, mlir::Value band, float padding = 0);

/// The images of one channel that packPlanes() copies: image `first` + i for i in [low, high).
struct PlaneRange {
  mlir::Value first, low, high;
};

/// Emits a loop that copies band `band` of some images, each to the same memory, which starts at
/// element `scratch` of the scratch memory. Calls body(i, copy) for the code that uses the copy.
/// The padding of the images is zero.
void packPlanes(KernelFunction &function, const ConvProblem &problem, const BandPlan &plan,
                mlir::Value scratch, mlir::Value input, mlir::Value band, PlaneRange planes,
                llvm::function_ref<void(mlir::Value, PackedBand)> body);

} // namespace convoy::kernels
