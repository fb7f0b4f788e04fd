// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both conversions are exact for every bit pattern: widening keeps each value, and narrowing rounds
// to the nearest f16, ties to even. The sign is handled apart; the rest depends on the magnitude of
// the f16:
//
//     0x0000 .. 0x03ff   subnormal: an integer times 2^-24
//     0x0400 .. 0x7bff   normal: another bias of the exponent, 127 instead of 15
//     0x7c00 .. 0x7fff   infinity and NaN: the largest exponent
//
// All cases are computed and selected, so that vectors need no branch. No f32 operation reads or
// writes a subnormal number, so the result does not depend on modes of the CPU. The emitted C has
// the same arithmetic (Codegen/C/Helpers.cpp).

#include "Codegen/LLVM/HalfPatterns.h"
#include "Targets/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr int kDroppedBits = 13;                // of the mantissa of an f32
constexpr int64_t kHalfSign = 0x8000;           // of an f16
constexpr int64_t kHalfNormal = 0x0400;         // the smallest normal f16
constexpr int64_t kHalfInfinity = 0x7c00;       // of an f16
constexpr int64_t kHalfQuiet = 0x7e00;          // a NaN of f16
constexpr int64_t kBias = (127 - 15) << 23;     // between the exponents of normal numbers
constexpr int64_t kSmallest = (127 - 14) << 23; // 2^-14 as f32, the smallest normal f16
constexpr int64_t kInfinity = 0x7f800000;       // of an f32
/// The first f32 that rounds to infinity: 65520, the middle of the largest f16 and 2^16.
constexpr int64_t kTooLarge = 0x477ff000;
constexpr int64_t kOneHalf = 0x3f000000; // 0.5 as f32

/// Builds arithmetic on scalars or vectors, in the shape of a value.
class Bits {
public:
  Bits(PatternRewriter &rewriter, Operation *op)
      : b(op->getLoc(), rewriter), shaped(dyn_cast<ShapedType>(op->getResult(0).getType())) {}

  Type type(Type element) { return shaped ? Type(shaped.clone(element)) : element; }
  Type i32() { return type(b.getI32Type()); }
  Type f32() { return type(b.getF32Type()); }

  Value constant(int64_t bits) { return constant(b.getI32IntegerAttr(static_cast<int32_t>(bits))); }
  Value constant(float value) { return constant(b.getF32FloatAttr(value)); }

  template <typename OpT>
  Value op(Value x, int64_t y) {
    return b.create<OpT>(x, constant(y));
  }

  /// Returns whether an unsigned number is less than a constant.
  Value isBelow(Value x, int64_t limit) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, x, constant(limit));
  }

  Value select(Value condition, Value yes, Value no) {
    return b.create<arith::SelectOp>(condition, yes, no);
  }

  Value cast(Type to, Value x) { return b.create<arith::BitcastOp>(to, x); }

  ImplicitLocOpBuilder b;

private:
  Value constant(TypedAttr value) {
    if (shaped) {
      value =
          DenseElementsAttr::get(mlir::cast<ShapedType>(type(value.getType())), Attribute(value));
    }
    return b.create<arith::ConstantOp>(value);
  }

  ShapedType shaped; // null for scalars
};

bool isConversion(Type from, Type to, bool isWidening) {
  Type narrow = getElementTypeOrSelf(isWidening ? from : to);
  return narrow.isF16() && getElementTypeOrSelf(isWidening ? to : from).isF32();
}

/// arith.extf %x : f16 to f32   ->   integer arithmetic on the bits
class ExpandWidening : public OpRewritePattern<arith::ExtFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!isConversion(op.getIn().getType(), op.getType(), /*isWidening=*/true)) {
      return rewriter.notifyMatchFailure(op, "not from f16 to f32");
    }
    Bits bits(rewriter, op);
    Value half = bits.cast(bits.type(rewriter.getI16Type()), op.getIn());
    Value wide = bits.b.create<arith::ExtUIOp>(bits.i32(), half);
    Value magnitude = bits.op<arith::AndIOp>(wide, kHalfSign - 1);
    Value sign = bits.op<arith::ShLIOp>(bits.op<arith::AndIOp>(wide, kHalfSign), 16);
    Value shifted = bits.op<arith::ShLIOp>(magnitude, kDroppedBits);
    // The bias twice moves the largest exponent of f16, 31, to the largest exponent of f32, 255.
    Value bias = bits.select(bits.isBelow(magnitude, kHalfInfinity), bits.constant(kBias),
                             bits.constant(2 * kBias));
    Value normal = bits.b.create<arith::AddIOp>(shifted, bias);
    Value number = bits.b.create<arith::SIToFPOp>(bits.f32(), magnitude);
    Value small = bits.b.create<arith::MulFOp>(number, bits.constant(0x1p-24F));
    Value result =
        bits.select(bits.isBelow(magnitude, kHalfNormal), bits.cast(bits.i32(), small), normal);
    rewriter.replaceOp(
        op, bits.cast(op.getType(), bits.b.create<arith::OrIOp>(result, sign).getResult()));
    return success();
  }
};

/// arith.truncf %x : f32 to f16   ->   integer arithmetic on the bits
class ExpandNarrowing : public OpRewritePattern<arith::TruncFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!isConversion(op.getIn().getType(), op.getType(), /*isWidening=*/false)) {
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    }
    Bits bits(rewriter, op);
    Value wide = bits.cast(bits.i32(), op.getIn());
    Value magnitude = bits.op<arith::AndIOp>(wide, 0x7fffffff);
    Value sign = bits.op<arith::AndIOp>(bits.op<arith::ShRUIOp>(wide, 16), kHalfSign);
    Value finite = bits.select(bits.isBelow(magnitude, kSmallest), small(bits, magnitude),
                               normal(bits, magnitude));
    Value special = bits.select(bits.isBelow(magnitude, kInfinity + 1),
                                bits.constant(kHalfInfinity), bits.constant(kHalfQuiet));
    Value chosen = bits.select(bits.isBelow(magnitude, kTooLarge), finite, special);
    Value half = bits.b.create<arith::OrIOp>(chosen, sign);
    Value narrow = bits.b.create<arith::TruncIOp>(bits.type(rewriter.getI16Type()), half);
    rewriter.replaceOp(op, bits.cast(op.getType(), narrow));
    return success();
  }

private:
  /// Returns the bits of a normal f16. Adding almost half of the last place, and one more if the
  /// last place is odd, rounds to nearest with ties to even.
  static Value normal(Bits &bits, Value magnitude) {
    Value odd = bits.op<arith::AndIOp>(bits.op<arith::ShRUIOp>(magnitude, kDroppedBits), 1);
    Value based = bits.op<arith::AddIOp>(magnitude, (1 << (kDroppedBits - 1)) - 1 - kBias);
    Value rounded = bits.b.create<arith::AddIOp>(based, odd);
    return bits.op<arith::ShRUIOp>(rounded, kDroppedBits);
  }

  /// Returns the bits of a subnormal f16. The sum with 0.5 has its last place at 2^-24, so the
  /// addition rounds.
  static Value small(Bits &bits, Value magnitude) {
    Value sum = bits.b.create<arith::AddFOp>(bits.cast(bits.f32(), magnitude), bits.constant(0.5F));
    return bits.op<arith::SubIOp>(bits.cast(bits.i32(), sum), kOneHalf);
  }
};

/// Computes minimum and maximum of f16 in f32, where both are exact. LLVM 19 expands the f16 ops on
/// CPUs without f16 arithmetic to code that returns 0 for 0 and NaN, so that CPUs would differ.
///
///     %z = arith.maximumf %x, %y : f16          // before
///
///     %a = arith.extf %x : f16 to f32           // after
///     %b = arith.extf %y : f16 to f32
///     %c = arith.maximumf %a, %b : f32
///     %z = arith.truncf %c : f32 to f16
template <typename OpT>
class WidenExtremum : public OpRewritePattern<OpT> {
public:
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16()) {
      return rewriter.notifyMatchFailure(op, "not of f16");
    }
    Bits bits(rewriter, op);
    Value lhs = bits.b.create<arith::ExtFOp>(bits.f32(), op.getLhs());
    Value rhs = bits.b.create<arith::ExtFOp>(bits.f32(), op.getRhs());
    Value wide = bits.b.create<OpT>(lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

} // namespace

bool hasHalfConversions(const targets::Target &target) {
  llvm::Triple triple(target.triple);
  auto has = [&](StringRef feature) { return llvm::is_contained(target.features, feature); };
  return triple.isAArch64() || (triple.isX86() && has("f16c")) ||
         (triple.isRISCV() && (has("zvfhmin") || has("zvfh")));
}

void populateHalfExtremumPatterns(RewritePatternSet &patterns) {
  patterns.add<WidenExtremum<arith::MaximumFOp>, WidenExtremum<arith::MinimumFOp>>(
      patterns.getContext());
}

void populateHalfPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandWidening, ExpandNarrowing>(patterns.getContext());
}

} // namespace convoy::codegen
