// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> learningRows() { return {}; }

} // namespace convoy::import
