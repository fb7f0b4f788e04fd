// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of convcore functions that all devices share. Each rewrite asks the device first: it
// never replaces a supported op with an unsupported one.

#pragma once

#include "Accelerators/Accelerator.h"
#include "ConvCore/ConvCore.h"

namespace convoy::accelerators {

/// Returns the producer of a value if it has this type and no other user, otherwise null.
template <typename OpT>
OpT onlyProducer(mlir::Value value) {
  auto producer = value.getDefiningOp<OpT>();
  return producer && producer->hasOneUse() ? producer : OpT();
}

/// Fuses layers that devices run as one. Removes no-ops, folds scales and biases into weights,
/// fuses activations and requantization into the producing layer, and folds a flattened input into
/// the kernel of a fully connected layer.
void fuseLayers(mlir::func::FuncOp function, const Accelerator &device);

/// Replaces the result of the last layer of an LRN with tables of bytes with one layer, if the
/// device supports it. The layers before it then have no users.
bool fuseNormalization(convcore::RequantizeOp op, const Accelerator &device);

/// Replaces layers that exceed the device's capability table with supported layers: dilated kernels
/// with kernels that contain zeros, groups with slices or dense weights, and large pools with a
/// chain of smaller pools or a convolution.
void mapLayers(mlir::func::FuncOp function, const Accelerator &device);

/// Converts every f32 tensor to the device's float type, including arguments, results and
/// constants, rounding to nearest even. Removes conversions between the two types. Runs last, so
/// that the other rewrites compute constants in f32.
void narrowFloats(mlir::func::FuncOp function, const Accelerator &device);

} // namespace convoy::accelerators
