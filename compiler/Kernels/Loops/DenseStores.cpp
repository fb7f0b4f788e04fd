// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the stores of ops whose results have sizes that depend on data.

#include "Kernels/Loops/DenseStores.h"
#include "Kernels/Loops/Arithmetic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace convoy::kernels {

Value advance(KernelEmitter &k, Value position, Value condition, int64_t step) {
  Lanes l = k.lanes();
  Value next = k.b.createOrFold<arith::AddIOp>(position, k.index(step));
  return l.select(condition, next, position);
}

void clearRest(KernelEmitter &k, const Buffer &out, Value position, int64_t count) {
  k.loop(position, k.index(count), [&](Value i) {
    Lanes l = k.lanes();
    store(l, out, l.uniform(i), Arithmetic{l, out.type}.number(0));
  });
}

void storeExtent(KernelEmitter &k, std::optional<Buffer> out, Value count) {
  if (out) {
    Lanes l = k.lanes();
    store(l, *out, l.constant(0), l.toValue(l.uniform(count), l.b.getI64Type()));
  }
}

void copySlice(KernelEmitter &k, Value input, const Index &from, const Buffer &out, Value position,
               int64_t count, Value condition) {
  OpBuilder::InsertionGuard insertion(k.b);
  if (count != 1) {
    auto guard = k.b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
    k.b.setInsertionPoint(guard.thenYield());
  }
  k.wholeNest({count}, k.type(input), /*block=*/0, [&](ArrayRef<Index> at) {
    Lanes l = k.lanes();
    Value x = k.elementAt(input, l.add(from, at[0]));
    store(l, out, l.add(l.uniform(position), at[0]), x);
  });
}

void emitIf(KernelEmitter &k, Value condition, llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard insertion(k.b);
  auto guard = k.b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  k.b.setInsertionPoint(guard.thenYield());
  body();
}

} // namespace convoy::kernels
