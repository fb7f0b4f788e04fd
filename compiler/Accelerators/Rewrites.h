// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of convcore functions that every device profits from. They ask the device
// and keep what it takes: an op that it runs is never replaced by one that it refuses.

#pragma once

#include "Accelerators/Accelerator.h"

namespace convoy::accelerators {

/// Joins layers that devices run as one: no-ops vanish, scales and biases go into
/// weights, activations and requantisation into the layer before them, a flattened
/// input into the kernel of a fully connected layer.
void fuseLayers(mlir::func::FuncOp function, const Accelerator &device);

/// Says layers that exceed the device's table by others that do not: dilated kernels
/// with zeros between their elements, groups as slices or as zeros in dense weights,
/// large pools as a chain of smaller ones, or as a convolution.
void mapLayers(mlir::func::FuncOp function, const Accelerator &device);

/// Makes every f32 tensor one of the device's float type, arguments, results and
/// constants too, rounding to nearest even; conversions between the two types vanish.
/// Runs last: what the rewrites above compute at compile time keeps f32 until then.
void narrowFloats(mlir::func::FuncOp function, const Accelerator &device);

} // namespace convoy::accelerators
