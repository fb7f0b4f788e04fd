// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements TileRegisters by intrinsics of LLVM.

#include "Kernels/Core/TileRegisters.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

void TileRegisters::call(StringRef name, ArrayRef<Value> operands) {
  b.create<LLVM::CallIntrinsicOp>(TypeRange{}, name, ValueRange(operands));
}

Value TileRegisters::number(int64_t tileRegister) {
  return b.create<LLVM::ConstantOp>(b.getI8Type(), b.getI8IntegerAttr(tileRegister));
}

Value TileRegisters::addressOf(Value memory) {
  return b.create<memref::ExtractAlignedPointerAsIndexOp>(memory);
}

Value TileRegisters::pointer(Value address) {
  Value number = b.create<arith::IndexCastOp>(b.getI64Type(), address);
  return b.create<LLVM::IntToPtrOp>(LLVM::LLVMPointerType::get(b.getContext()), number);
}

void TileRegisters::move(StringRef name, int64_t tileRegister, Value address, int64_t stride) {
  Value distance = b.create<LLVM::ConstantOp>(b.getI64Type(), b.getI64IntegerAttr(stride));
  call(name, {number(tileRegister), pointer(address), distance});
}

/// Configures all registers with 16 rows of 64 bytes. The configuration has palette 1 in byte 0,
/// the bytes per row as 16-bit numbers from byte 16, and the rows from byte 48.
void TileRegisters::configure() {
  SmallVector<int8_t> words(kTileConfigBytes, 0);
  words[0] = 1;
  for (int64_t i = 0; i <= input(); ++i) {
    words[16 + 2 * i] = kTileRowBytes;
    words[48 + i] = kTileRows;
  }
  auto type = VectorType::get({kTileConfigBytes}, b.getI8Type());
  Value values = b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef<int8_t>(words)));
  b.create<vector::StoreOp>(values, function.scratch(), index(0));
  call("llvm.x86.ldtilecfg", {pointer(addressOf(function.scratch()))});
}

void TileRegisters::forSums(int64_t count, llvm::function_ref<void(int64_t, int64_t)> body) {
  for (int64_t v = 0; v < count; ++v) {
    for (int64_t t = 0; t < tiles; ++t) {
      body(t, v);
    }
  }
}

void TileRegisters::zeroSums(int64_t count) {
  forSums(count, [&](int64_t t, int64_t v) { call("llvm.x86.tilezero", {number(sum(t, v))}); });
}

void TileRegisters::loadSums(Value row, int64_t count) {
  forSums(count, [&](int64_t t, int64_t v) {
    move("llvm.x86.tileloadd64", sum(t, v), add(row, v * kTileRowBytes), /*stride=*/0);
  });
}

void TileRegisters::storeSums(Value address, int64_t count) {
  forSums(count, [&](int64_t t, int64_t v) {
    move("llvm.x86.tilestored64", sum(t, v), add(address, (v * tiles + t) * kTileBytes));
  });
}

void TileRegisters::multiply(Value inputs, Value weights, int64_t panelBytes, int64_t count) {
  for (int64_t v = 0; v < count; ++v) {
    move("llvm.x86.tileloadd64", weight(v), add(weights, v * panelBytes));
  }
  for (int64_t t = 0; t < tiles; ++t) {
    move("llvm.x86.tileloadd64", input(), add(inputs, t * kTileBytes));
    for (int64_t v = 0; v < count; ++v) {
      call("llvm.x86.tdpbusd", {number(sum(t, v)), number(input()), number(weight(v))});
    }
  }
}

} // namespace convoy::kernels
