// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> elementwiseRows() { return {}; }

} // namespace convoy::import
