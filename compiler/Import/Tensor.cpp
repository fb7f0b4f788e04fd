// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> tensorRows() { return {}; }

} // namespace convoy::import
