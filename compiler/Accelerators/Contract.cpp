// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What later stages may assume of regions: each has its program. The kernels stage
// refuses one without, which is all that any stage relies on.

#include "Accelerators/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace convoy::accelerators {

void addDeviceContract(mlir::OpPassManager &) {}

} // namespace convoy::accelerators
