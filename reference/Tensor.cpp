// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addTensorEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
