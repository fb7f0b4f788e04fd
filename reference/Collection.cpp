// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collection.

#include "reference/Evaluation.h"

using namespace mlir;

namespace convoy::reference {

void addCollectionEvaluators(EvaluatorTable &) {}

} // namespace convoy::reference
