// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addRecurrentEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
