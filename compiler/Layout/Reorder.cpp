// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the ops that convert a value to another layout. ChooseLayouts.cpp decides where such a
// conversion is needed.

#include "Layout/Reorder.h"

using namespace mlir;

namespace convoy::layout {

Value reorder(OpBuilder &builder, Value value, Attribute layout) {
  auto from = cast<RankedTensorType>(value.getType());
  Type type = graph::withLayout(from, layout);
  Location loc = value.getLoc();
  if (graph::isSameInMemory(from.getShape(), graph::layoutOf(from), layout)) {
    return builder.create<graph::ReorderOp>(loc, type, value);
  }
  auto kernel = builder.create<graph::KernelOp>(loc, TypeRange{type}, ValueRange{value});
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&kernel.getBody());
  Value inside = body->addArgument(from, loc);
  Value result = builder.create<graph::ReorderOp>(loc, type, inside);
  builder.create<graph::YieldOp>(loc, result);
  return kernel.getResult(0);
}

} // namespace convoy::layout
