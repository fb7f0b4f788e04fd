// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the scales of integer inputs and outputs. importModel calls it after the nodes.

#pragma once

#include "Import/GraphImporter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace convoy::import {

/// Sets graph.quantization on the arguments that ops of `graph` dequantize, and on the results
/// that ops of `graph` quantize, with constant scales. `scope` contains the values of `graph`.
void recordScales(const onnx::GraphProto &graph, const Scope &scope, mlir::func::FuncOp main);

} // namespace convoy::import
