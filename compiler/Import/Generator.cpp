// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generator.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {

llvm::ArrayRef<OpRow> generatorRows() { return {}; }

} // namespace convoy::import
