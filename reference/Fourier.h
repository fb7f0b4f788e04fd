// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the evaluator of graph.dft. Transform.cpp adds it to the table.

#pragma once

#include "reference/Evaluation.h"

namespace convoy::reference {

mlir::LogicalResult evaluateDFT(graph::DFTOp op, Evaluation &e);

} // namespace convoy::reference
