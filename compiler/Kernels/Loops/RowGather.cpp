// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements loadFromRow. Codegen/LLVM/PermutePatterns.cpp lowers the gather to permutations.

#include "Kernels/Loops/RowGather.h"
#include "Kernels/Attributes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

Value loadFromRow(Lanes &lanes, const Buffer &buffer, Value start, const Index &columns,
                  int64_t extent) {
  ImplicitLocOpBuilder &b = lanes.b;
  auto type = cast<VectorType>(lanes.type(storageType(buffer.type, b.getContext())));
  Value none = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  Value on = lanes.splat(b.create<arith::ConstantOp>(b.getBoolAttr(true)));
  auto gather = b.create<vector::GatherOp>(type, buffer.memref, ValueRange{start},
                                           lanes.toLanes(columns), on, none);
  gather->setAttr(kExtentAttr, b.getI64IntegerAttr(extent));
  return gather;
}

} // namespace convoy::kernels
