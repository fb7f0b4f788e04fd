// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> selectionRows() { return {}; }

} // namespace convoy::import
