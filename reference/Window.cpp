// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addWindowEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
