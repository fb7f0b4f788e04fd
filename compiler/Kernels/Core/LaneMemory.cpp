// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the loads and stores of vectors.

#include "Kernels/Core/LaneMemory.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

int64_t powerFrom(int64_t count) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(count)));
}

int64_t widthFor(int64_t count, int64_t most) {
  int64_t width = 1;
  while (width * 2 <= std::min(count, most)) {
    width *= 2;
  }
  return width;
}

void forVectors(int64_t count, int64_t most, llvm::function_ref<void(int64_t, int64_t)> body) {
  if (count <= 0) {
    return;
  }
  int64_t width = widthFor(count, most);
  for (int64_t first = 0; first < count; first += width) {
    body(std::min(first, count - width), width);
  }
}

Value loadLanes(ImplicitLocOpBuilder &b, Value memory, Value offset, int64_t width) {
  if (width == 1) {
    return b.create<memref::LoadOp>(memory, offset);
  }
  return b.create<vector::LoadOp>(VectorType::get({width}, b.getF32Type()), memory, offset);
}

void storeLanes(ImplicitLocOpBuilder &b, Value value, Value memory, Value offset) {
  if (isa<VectorType>(value.getType())) {
    b.create<vector::StoreOp>(value, memory, offset);
  } else {
    b.create<memref::StoreOp>(value, memory, offset);
  }
}

static VectorType bytesOf(ImplicitLocOpBuilder &b, int64_t lanes) {
  return VectorType::get({lanes * static_cast<int64_t>(sizeof(int32_t))}, b.getI8Type());
}

Value loadInts(ImplicitLocOpBuilder &b, Value memory, Value offset, int64_t lanes) {
  Value loaded = b.create<vector::LoadOp>(bytesOf(b, lanes), memory, offset);
  return b.create<vector::BitCastOp>(VectorType::get({lanes}, b.getI32Type()), loaded);
}

void storeInts(ImplicitLocOpBuilder &b, Value lanes, Value memory, Value offset) {
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  Value stored = b.create<vector::BitCastOp>(bytesOf(b, count), lanes);
  b.create<vector::StoreOp>(stored, memory, offset);
}

static VectorType bytesOf(IntegerType type) {
  return VectorType::get({type.getWidth() / 8}, IntegerType::get(type.getContext(), 8));
}

Value loadScalar(ImplicitLocOpBuilder &b, Value memory, Value offset, IntegerType type) {
  Value loaded = b.create<vector::LoadOp>(bytesOf(type), memory, offset);
  Value lane = b.create<vector::BitCastOp>(VectorType::get({1}, type), loaded);
  return b.create<vector::ExtractOp>(lane, 0);
}

void storeScalar(ImplicitLocOpBuilder &b, Value value, Value memory, Value offset) {
  auto type = cast<IntegerType>(value.getType());
  Value lane = b.create<vector::BroadcastOp>(VectorType::get({1}, type), value);
  b.create<vector::StoreOp>(b.create<vector::BitCastOp>(bytesOf(type), lane), memory, offset);
}

Value joinLanes(ImplicitLocOpBuilder &b, ArrayRef<Value> parts) {
  SmallVector<Value> joined(parts);
  while (joined.size() > 1) {
    int64_t lanes = 2 * cast<VectorType>(joined[0].getType()).getNumElements();
    for (size_t i = 0; i < joined.size() / 2; ++i) {
      joined[i] = b.create<vector::ShuffleOp>(joined[2 * i], joined[2 * i + 1],
                                              llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
    }
    joined.truncate(joined.size() / 2);
  }
  return joined[0];
}

Value foldLanes(ImplicitLocOpBuilder &b, Value lanes,
                llvm::function_ref<Value(Value, Value)> combine) {
  auto half = [&](int64_t first, int64_t count) -> Value {
    if (count == 1) {
      return b.create<vector::ExtractOp>(lanes, first);
    }
    return b.create<vector::ShuffleOp>(lanes, lanes,
                                       llvm::to_vector(llvm::seq<int64_t>(first, first + count)));
  };
  auto type = dyn_cast<VectorType>(lanes.getType());
  for (int64_t left = type ? type.getNumElements() : 1; left > 1; left /= 2) {
    Value low = half(0, left / 2);
    Value high = half(left / 2, left / 2);
    lanes = combine(low, high);
  }
  return lanes;
}

} // namespace convoy::kernels
