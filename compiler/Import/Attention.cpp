// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> attentionRows() { return {}; }

} // namespace convoy::import
