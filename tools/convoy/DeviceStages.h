// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of a model up to a device's programs, for verbs that ask about the device
// and not about the code beside it.

#pragma once

#include "Accelerators/Accelerator.h"
#include "mlir/IR/BuiltinOps.h"

namespace convoy::driver {

/// A model with a device, as far as the two have parted.
struct DeviceParts {
  int64_t regions = 0;
  int64_t cpuOps = 0; // what stays on the CPU
  double cpuNs = 0;   // of these, estimated
};

/// Takes a module as it was imported to where devices are chosen. What comes before that
/// is alike for all parameters of a device.
mlir::LogicalResult prepareForDevice(mlir::ModuleOp module, const accelerators::Accelerator &device,
                                     bool isInteger = true);

/// The same with regions outlined, each a kernel of its own ops.
mlir::LogicalResult placeForDevice(mlir::ModuleOp module, const accelerators::Accelerator &device,
                                   bool isInteger);

/// Places a prepared module and makes the programs of its regions.
mlir::FailureOr<DeviceParts> splitForDevice(mlir::ModuleOp module,
                                            const accelerators::Accelerator &device);

} // namespace convoy::driver
