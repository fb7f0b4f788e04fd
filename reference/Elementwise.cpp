// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addElementwiseEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
