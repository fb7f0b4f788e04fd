// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contract of the device stage is empty. Later stages assume only that each region has its
// program, and the kernels stage reports a region without one.

#include "Accelerators/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::accelerators {

void addDeviceContract(mlir::OpPassManager &) {}

} // namespace convoy::accelerators
