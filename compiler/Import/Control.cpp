// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> controlRows() { return {}; }

} // namespace convoy::import
