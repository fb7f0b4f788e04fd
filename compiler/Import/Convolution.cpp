// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> convolutionRows() { return {}; }

} // namespace convoy::import
