// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addSamplingEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
