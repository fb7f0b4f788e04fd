// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addReductionEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
