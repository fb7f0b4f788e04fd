// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addControlEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
