// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> quantizationRows() { return {}; }

} // namespace convoy::import
