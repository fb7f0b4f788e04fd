// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits integer dot products for each DotForm. The code uses LLVM intrinsics instead of patterns of
// arith ops: if LLVM does not recognise a pattern, for example because a factor is computed in
// another block, the code silently becomes several times slower.

#include "Kernels/DotProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

DotProduct::DotProduct(ImplicitLocOpBuilder &builder, DotForm form, int64_t lanes)
    : b(builder), form(form), vector(VectorType::get({lanes}, builder.getI32Type())),
      words(VectorType::get({2 * lanes}, builder.getI16Type())) {}

Value DotProduct::call(StringRef name, ArrayRef<Value> operands) {
  return b.create<LLVM::CallIntrinsicOp>(TypeRange{vector}, name, ValueRange(operands))
      ->getResult(0);
}

Value DotProduct::splat(int32_t value) {
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(vector, value));
}

Value DotProduct::inWords(Value bytes) { return b.create<vector::BitCastOp>(words, bytes); }

/// Computes sums[lane] += x[2 lane] * y[2 lane] + x[2 lane + 1] * y[2 lane + 1] on 16-bit words.
Value DotProduct::addPairs(Value sums, Value x, Value y) {
  int64_t lanes = vector.getNumElements();
  StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                : "llvm.x86.sse2.pmadd.wd";
  return b.create<arith::AddIOp>(sums, call(name, {x, y}));
}

static std::string sized(StringRef instruction, VectorType vector) {
  return ("llvm.x86.avx512." + instruction + "." + Twine(vector.getNumElements() * 32)).str();
}

/// Without vpdpbusd, the bytes of a lane are split into even and odd bytes, each widened to 16 bits
/// in place:
///
///     bytes  b3 b2 b1 b0     even words  b2 b0     odd words  b3 b1
Value DotProduct::addBytes(Value sums, Value unsignedBytes, Value signedBytes) {
  if (form == DotForm::Bytes) {
    return call(sized("vpdpbusd", vector), {sums, unsignedBytes, signedBytes});
  }
  if (form == DotForm::Pairs) {
    auto number = [&](int16_t value) -> Value {
      return b.create<arith::ConstantOp>(DenseElementsAttr::get(words, value));
    };
    Value x = inWords(unsignedBytes);
    Value y = inWords(signedBytes);
    Value eight = number(8);
    Value evenX = b.create<arith::AndIOp>(x, number(255));
    Value evenY = b.create<arith::ShRSIOp>(b.create<arith::ShLIOp>(y, eight), eight);
    sums = addPairs(sums, evenX, evenY);
    return addPairs(sums, b.create<arith::ShRUIOp>(x, eight), b.create<arith::ShRSIOp>(y, eight));
  }
  for (int32_t byte = 0; byte < 4; ++byte) {
    Value x = b.create<arith::ShRUIOp>(unsignedBytes, splat(8 * byte));
    Value y = b.create<arith::ShLIOp>(signedBytes, splat(24 - 8 * byte));
    Value product = b.create<arith::MulIOp>(b.create<arith::AndIOp>(x, splat(255)),
                                            b.create<arith::ShRSIOp>(y, splat(24)));
    sums = b.create<arith::AddIOp>(sums, product);
  }
  return sums;
}

/// The upper word of each lane of the factor is zero, so the upper word of x, which holds its sign
/// bits, adds nothing.
Value DotProduct::addProduct(Value sums, Value x, Value factor) {
  switch (form) {
  case DotForm::Bytes:
    return call(sized("vpdpwssd", vector), {sums, x, factor});
  case DotForm::Pairs:
    return addPairs(sums, inWords(x), inWords(factor));
  default:
    return b.create<arith::AddIOp>(sums, b.create<arith::MulIOp>(x, factor));
  }
}

Value DotProduct::asFactor(Value number) {
  return form == DotForm::None ? number
                               : b.create<arith::AndIOp>(number, splat(0xffff)).getResult();
}

} // namespace convoy::kernels
