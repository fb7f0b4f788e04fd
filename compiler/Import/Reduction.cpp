// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> reductionRows() { return {}; }

} // namespace convoy::import
