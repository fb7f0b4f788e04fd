// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalization.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> normalizationRows() { return {}; }

} // namespace convoy::import
