// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signal.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> signalRows() { return {}; }

} // namespace convoy::import
