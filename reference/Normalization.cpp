// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalization.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addNormalizationEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
