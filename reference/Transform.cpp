// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transform.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addTransformEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
