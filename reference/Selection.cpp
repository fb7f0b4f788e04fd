// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addSelectionEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
