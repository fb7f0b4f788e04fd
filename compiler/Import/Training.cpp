// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> trainingRows() { return {}; }

} // namespace convoy::import
