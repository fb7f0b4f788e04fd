// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collection.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> collectionRows() { return {}; }

} // namespace convoy::import
