// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits a loadable from a function of nvdla ops.

#pragma once

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Accelerators/NVDLA/Loadable/BuildLoadable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::nvdla {

/// Operations that run as one group, and the layer of the model to which they belong.
struct EmittedGroup {
  std::vector<size_t> ops;
  size_t layer = 0;
};

struct EmittedLoadable {
  Loadable loadable;
  std::vector<std::string> layers; // layer names
  std::vector<EmittedGroup> groups;
};

/// Emits an error if a layer does not fit in the hardware.
mlir::FailureOr<EmittedLoadable> emitLoadable(mlir::func::FuncOp function,
                                              const NvdlaOptions &options);

} // namespace convoy::nvdla
