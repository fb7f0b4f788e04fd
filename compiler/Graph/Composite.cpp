// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores the name of the composite op as metadata of a fused location.

#include "Graph/Composite.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace convoy::graph {

Location stepOf(llvm::ArrayRef<Location> locs, llvm::StringRef whole) {
  MLIRContext *context = locs.front().getContext();
  return FusedLoc::get(locs, StringAttr::get(context, whole), context);
}

llvm::StringRef wholeOf(Location loc) {
  auto step = dyn_cast<FusedLocWith<StringAttr>>(LocationAttr(loc));
  return step ? step.getMetadata().getValue() : llvm::StringRef();
}

} // namespace convoy::graph
