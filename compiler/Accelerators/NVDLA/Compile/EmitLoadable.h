// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of nvdla ops as a loadable.

#pragma once

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Accelerators/NVDLA/Loadable/BuildLoadable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::nvdla {

/// Operations that run as one, and which layer of the model they are a part of.
struct EmittedGroup {
  std::vector<size_t> ops;
  size_t layer = 0;
};

struct EmittedLoadable {
  Loadable loadable;
  std::vector<std::string> layers; // names
  std::vector<EmittedGroup> groups;
};

/// Emits an error where a layer does not fit the hardware after all.
mlir::FailureOr<EmittedLoadable> emitLoadable(mlir::func::FuncOp function,
                                              const CompileOptions &options);

} // namespace convoy::nvdla
