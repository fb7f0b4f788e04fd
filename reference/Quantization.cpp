// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addQuantizationEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
