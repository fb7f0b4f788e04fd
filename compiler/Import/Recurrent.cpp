// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> recurrentRows() { return {}; }

} // namespace convoy::import
