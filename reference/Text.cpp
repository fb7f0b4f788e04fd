// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addTextEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
