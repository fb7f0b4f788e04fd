// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> textRows() { return {}; }

} // namespace convoy::import
