// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits integer dot products for each DotForm as multiply ops of the kernel dialect.

#include "Kernels/DotProduct.h"
#include "Kernels/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

/// Lanes of a register of 64-bit Arm.
static constexpr int64_t kArmLanes = 4;

DotProduct::DotProduct(ImplicitLocOpBuilder &builder, DotForm form, int64_t lanes)
    : b(builder), form(form), vector(VectorType::get({lanes}, builder.getI32Type())),
      words(VectorType::get({2 * lanes}, builder.getI16Type())) {}

Value DotProduct::splat(int32_t value) {
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, value));
}

/// Computes sums[lane] += x[2 lane] * y[2 lane] + x[2 lane + 1] * y[2 lane + 1] on 16-bit words.
Value DotProduct::addPairs(Value sums, Value x, Value y) {
  Value xLanes = b.create<vector::BitCastOp>(vector, x);
  Value yLanes = b.create<vector::BitCastOp>(vector, y);
  return b.create<DotWordsOp>(vector, sums, xLanes, yLanes, form);
}

/// Computes addBytes on both halves of the lanes.
Value DotProduct::addHalves(Value sums, Value x, Value w) {
  int64_t lanes = vector.getNumElements();
  DotProduct half(b, form, lanes / 2);
  auto halfOf = [&](Value value, int64_t first) -> Value {
    auto taken = llvm::to_vector(llvm::seq<int64_t>(first, first + lanes / 2));
    return b.create<vector::ShuffleOp>(value, value, taken);
  };
  Value low = half.addBytes(halfOf(sums, 0), halfOf(x, 0), halfOf(w, 0));
  Value high = half.addBytes(halfOf(sums, lanes / 2), halfOf(x, lanes / 2), halfOf(w, lanes / 2));
  return b.create<vector::ShuffleOp>(low, high, llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
}

/// Without vpdpbusd, the bytes of a lane are split into even and odd bytes, each widened to 16 bits
/// in place:
///
///     bytes  b3 b2 b1 b0     even words  b2 b0     odd words  b3 b1
Value DotProduct::addBytes(Value sums, Value x, Value w) {
  if (isOfArm(form) && vector.getNumElements() > kArmLanes) {
    return addHalves(sums, x, w);
  }
  if (form == DotForm::Bytes || isOfArm(form)) {
    return b.create<DotBytesOp>(vector, sums, x, w, form, signsOf(form));
  }
  if (form == DotForm::Pairs) {
    auto number = [&](int16_t value) -> Value {
      return b.create<arith::ConstantOp>(DenseElementsAttr::get(words, value));
    };
    x = b.create<vector::BitCastOp>(words, x);
    w = b.create<vector::BitCastOp>(words, w);
    Value eight = number(8);
    Value evenX = b.create<arith::AndIOp>(x, number(255));
    Value evenW = b.create<arith::ShRSIOp>(b.create<arith::ShLIOp>(w, eight), eight);
    sums = addPairs(sums, evenX, evenW);
    return addPairs(sums, b.create<arith::ShRUIOp>(x, eight), b.create<arith::ShRSIOp>(w, eight));
  }
  for (int32_t byte = 0; byte < 4; ++byte) {
    Value first = b.create<arith::ShRUIOp>(x, splat(8 * byte));
    Value second = b.create<arith::ShLIOp>(w, splat(24 - 8 * byte));
    Value product = b.create<arith::MulIOp>(b.create<arith::AndIOp>(first, splat(255)),
                                            b.create<arith::ShRSIOp>(second, splat(24)));
    sums = b.create<arith::AddIOp>(sums, product);
  }
  return sums;
}

/// The upper word of each lane of the factor is zero, so the upper word of x, which holds its sign
/// bits, adds nothing.
Value DotProduct::addProduct(Value sums, Value x, Value factor) {
  if (!multipliesWords()) {
    return b.create<arith::AddIOp>(sums, b.create<arith::MulIOp>(x, factor));
  }
  return b.create<DotWordsOp>(vector, sums, x, factor, form);
}

Value DotProduct::asFactor(Value number) {
  return multipliesWords() ? b.create<arith::AndIOp>(number, splat(0xffff)).getResult() : number;
}

} // namespace convoy::kernels
