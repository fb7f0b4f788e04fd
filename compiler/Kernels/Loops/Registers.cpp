// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements loads, stores and conversions. Narrow floats other than f16 are converted by integer
// arithmetic (NarrowFloat.cpp), so no call into a compiler runtime library is needed.

#include "Kernels/Loops/Registers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {

Type storageType(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  default:
    return IntegerType::get(context, storageBytes(type) * 8);
  }
}

Type registerType(ElementType type, MLIRContext *context) {
  if (type == ElementType::F64) {
    return Float64Type::get(context);
  }
  if (isFloat(type)) {
    return Float32Type::get(context);
  }
  if (type == ElementType::Bool) {
    return IntegerType::get(context, 1);
  }
  return IntegerType::get(context, storageBytes(type) * 8);
}

/// Converts memory bits to a register value.
static Value fromStorage(Lanes &lanes, Value value, ElementType type) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (type == ElementType::Bool) {
    return lanes.compare(arith::CmpIPredicate::ne, value, lanes.intOf(b.getI8Type(), 0));
  }
  if (type == ElementType::F16) {
    return b.create<arith::ExtFOp>(lanes.typeLike(value, b.getF32Type()), value);
  }
  if (isFloat(type) && bitWidth(type) < 32) {
    Value bits = b.create<arith::ExtUIOp>(lanes.typeLike(value, b.getI32Type()), value);
    return widenFromBits(lanes, bits, type);
  }
  return value;
}

static Value toStorage(Lanes &lanes, Value value, ElementType type) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (type == ElementType::Bool) {
    return b.create<arith::ExtUIOp>(lanes.typeLike(value, b.getI8Type()), value);
  }
  if (type == ElementType::F16) {
    return b.create<arith::TruncFOp>(lanes.typeLike(value, b.getF16Type()), value);
  }
  if (isFloat(type) && bitWidth(type) < 32) {
    // The register value is already rounded, so this only encodes it.
    Value bits = narrowToBits(lanes, value, type, /*saturate=*/false, /*roundMode=*/0);
    Type storage = storageType(type, b.getContext());
    return b.create<arith::TruncIOp>(lanes.typeLike(bits, storage), bits);
  }
  return value;
}

/// Gathers lane by lane, for element types without a gather instruction.
static Value gatherLanes(Lanes &lanes, const Buffer &buffer, Value offsets, Value mask,
                         VectorType type) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value zero = b.create<arith::ConstantIndexOp>(0);
  Value result = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  for (int64_t i = 0; i < lanes.width; ++i) {
    Value offset = b.create<vector::ExtractOp>(offsets, i);
    if (mask) {
      Value isOn =
          isa<VectorType>(mask.getType()) ? b.create<vector::ExtractOp>(mask, i).getResult() : mask;
      offset = b.create<arith::SelectOp>(isOn, offset, zero);
    }
    Value element = b.create<memref::LoadOp>(buffer.memref, offset);
    result = b.create<vector::InsertOp>(element, result, i);
  }
  return result;
}

static Value gather(Lanes &lanes, const Buffer &buffer, const Index &offset, Value mask,
                    VectorType type) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value offsets = lanes.toLanes(offset);
  if (type.getElementTypeBitWidth() < 32) {
    return gatherLanes(lanes, buffer, offsets, mask, type);
  }
  Value passThrough = b.create<arith::ConstantOp>(b.getZeroAttr(type));
  Value on =
      mask ? lanes.splat(mask) : lanes.splat(b.create<arith::ConstantOp>(b.getBoolAttr(true)));
  Value zero = b.create<arith::ConstantIndexOp>(0);
  return b.create<vector::GatherOp>(type, buffer.memref, ValueRange{zero}, offsets, on,
                                    passThrough);
}

/// Returns an offset that is safe to read even if the mask is false in all lanes.
static Value safeOffset(Lanes &lanes, const Buffer &buffer, const Index &offset, Value mask) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (!mask) {
    return offset.base;
  }
  Value zero = b.create<arith::ConstantIndexOp>(0);
  if (!isa<VectorType>(mask.getType())) {
    return b.createOrFold<arith::SelectOp>(mask, offset.base, zero);
  }
  int64_t size = cast<MemRefType>(buffer.memref.getType()).getDimSize(0);
  Value last = b.create<arith::ConstantIndexOp>(size - 1);
  Value low = b.createOrFold<arith::MaxSIOp>(offset.base, zero);
  return b.createOrFold<arith::MinSIOp>(low, last);
}

Value load(Lanes &lanes, const Buffer &buffer, const Index &offset, Value mask) {
  ImplicitLocOpBuilder &b = lanes.b;
  Type storage = storageType(buffer.type, b.getContext());
  Value bits;
  if (offset.isUniform() || (lanes.width == 1 && offset.base)) {
    bits = b.create<memref::LoadOp>(buffer.memref, safeOffset(lanes, buffer, offset, mask));
  } else {
    auto type = cast<VectorType>(lanes.type(storage));
    if (!offset.base || offset.step != 1) {
      bits = gather(lanes, buffer, offset, mask, type);
    } else if (mask) {
      Value passThrough = b.create<arith::ConstantOp>(b.getZeroAttr(type));
      bits = b.create<vector::MaskedLoadOp>(type, buffer.memref, ValueRange{offset.base},
                                            lanes.splat(mask), passThrough);
    } else {
      bits = b.create<vector::LoadOp>(type, buffer.memref, ValueRange{offset.base});
    }
  }
  return fromStorage(lanes, bits, buffer.type);
}

void store(Lanes &lanes, const Buffer &buffer, const Index &offset, Value value) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value bits = toStorage(lanes, value, buffer.type);
  if (lanes.width == 1) {
    b.create<memref::StoreOp>(bits, buffer.memref, offset.base);
    return;
  }
  bits = lanes.splat(bits);
  if (offset.base && offset.step == 1) {
    b.create<vector::StoreOp>(bits, buffer.memref, ValueRange{offset.base});
    return;
  }
  Value offsets = lanes.toLanes(offset);
  for (int64_t i = 0; i < lanes.width; ++i) {
    Value element = b.create<vector::ExtractOp>(bits, i);
    b.create<memref::StoreOp>(element, buffer.memref,
                              ValueRange{b.create<vector::ExtractOp>(offsets, i)});
  }
}

Value roundTo(Lanes &lanes, ElementType type, Value value) {
  if (!isFloat(type) || bitWidth(type) >= 32) {
    return value;
  }
  ImplicitLocOpBuilder &b = lanes.b;
  if (type == ElementType::F16) {
    Value narrow = b.create<arith::TruncFOp>(lanes.typeLike(value, b.getF16Type()), value);
    return b.create<arith::ExtFOp>(value.getType(), narrow);
  }
  Value bits = narrowToBits(lanes, value, type, /*saturate=*/true, /*roundMode=*/0);
  return widenFromBits(lanes, bits, type);
}

/// Truncates f64 to f32 and sets the last bit if the result is inexact (round to odd). A second
/// rounding to a narrower type then gives the same result as a single rounding.
static Value truncateToOdd(Lanes &lanes, Value value) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value narrow = b.create<arith::TruncFOp>(lanes.typeLike(value, b.getF32Type()), value);
  Value back = b.create<arith::ExtFOp>(value.getType(), narrow);
  Value isInexact = lanes.compare(arith::CmpFPredicate::ONE, back, value);
  Value absBack = b.create<math::AbsFOp>(back);
  Value absValue = b.create<math::AbsFOp>(value);
  Value isAbove = lanes.compare(arith::CmpFPredicate::OGT, absBack, absValue);
  Type i32 = b.getI32Type();
  Value bits = b.create<arith::BitcastOp>(lanes.typeLike(narrow, i32), narrow);
  Value toward = lanes.op<arith::SubIOp>(bits, lanes.intOf(i32, 1));
  Value down = lanes.select(isAbove, toward, bits);
  Value odd = lanes.op<arith::OrIOp>(down, lanes.intOf(i32, 1));
  Value chosen = lanes.select(isInexact, odd, bits);
  return b.create<arith::BitcastOp>(narrow.getType(), chosen);
}

/// Converts between float registers.
static Value convertFloat(Lanes &lanes, Value value, ElementType from, ElementType to,
                          bool saturate, int roundMode) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (to == ElementType::F64) {
    return from == ElementType::F64
               ? value
               : b.create<arith::ExtFOp>(lanes.typeLike(value, b.getF64Type()), value).getResult();
  }
  if (from == ElementType::F64) {
    value =
        to == ElementType::F32
            ? b.create<arith::TruncFOp>(lanes.typeLike(value, b.getF32Type()), value).getResult()
            : truncateToOdd(lanes, value);
  }
  if (to == ElementType::F16 || to == ElementType::F32) {
    return roundTo(lanes, to, value);
  }
  return widenFromBits(lanes, narrowToBits(lanes, value, to, saturate, roundMode), to);
}

/// Keeps the low bits of a narrow integer and extends its sign.
static Value wrapNarrow(Lanes &lanes, Value value, ElementType type) {
  ImplicitLocOpBuilder &b = lanes.b;
  int64_t shift = 8 - bitWidth(type);
  if (shift <= 0 || !isInteger(type)) {
    return value;
  }
  Value amount = lanes.intOf(b.getI8Type(), shift);
  Value high = lanes.op<arith::ShLIOp>(value, amount);
  return isSignedInteger(type) ? lanes.op<arith::ShRSIOp>(high, amount)
                               : lanes.op<arith::ShRUIOp>(high, amount);
}

static Value convertInteger(Lanes &lanes, Value value, ElementType from, ElementType to) {
  ImplicitLocOpBuilder &b = lanes.b;
  Type target = registerType(to, b.getContext());
  unsigned have = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned want = target.getIntOrFloatBitWidth();
  Type type = lanes.typeLike(value, target);
  if (to == ElementType::Bool) {
    Type scalar = getElementTypeOrSelf(value.getType());
    return lanes.compare(arith::CmpIPredicate::ne, value, lanes.intOf(scalar, 0));
  }
  if (want > have) {
    bool isUnsigned = isUnsignedInteger(from) || from == ElementType::Bool;
    return isUnsigned ? b.create<arith::ExtUIOp>(type, value).getResult()
                      : b.create<arith::ExtSIOp>(type, value).getResult();
  }
  if (want < have) {
    value = b.create<arith::TruncIOp>(type, value);
  }
  return wrapNarrow(lanes, value, to);
}

/// Converts a float to an integer: truncates and saturates; NaN gives 0. The conversion uses f64,
/// which represents the bounds of all types up to 32 bits exactly, and the 64-bit bounds as powers
/// of two.
static Value floatToInteger(Lanes &lanes, Value value, ElementType from, ElementType to) {
  ImplicitLocOpBuilder &b = lanes.b;
  if (to == ElementType::Bool) {
    Type scalar = getElementTypeOrSelf(value.getType());
    return lanes.compare(arith::CmpFPredicate::UNE, value, lanes.constantOf(scalar, 0));
  }
  if (from != ElementType::F64) {
    value = b.create<arith::ExtFOp>(lanes.typeLike(value, b.getF64Type()), value);
  }
  // Types below 8 bits wrap after truncation to i64; all other types saturate.
  bool isU64 = to == ElementType::U64;
  int bits = bitWidth(to) < 8 ? 64 : static_cast<int>(bitWidth(to));
  bool isUnsigned = bits == bitWidth(to) && isUnsignedInteger(to);
  double upper = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  double lower = isUnsigned ? 0.0 : -upper;
  Type f64 = b.getF64Type();
  Value high = lanes.compare(arith::CmpFPredicate::OGE, value, lanes.constantOf(f64, upper));
  Value low = lanes.compare(arith::CmpFPredicate::OLE, value, lanes.constantOf(f64, lower));
  Value isNan = lanes.compare(arith::CmpFPredicate::UNO, value, value);
  Value outside = lanes.op<arith::OrIOp>(lanes.op<arith::OrIOp>(high, low), isNan);
  Value safe = lanes.select(outside, lanes.constantOf(f64, 0), value);
  Type i64 = b.getI64Type();
  Type type = lanes.typeLike(safe, i64);
  Value wide = isU64 ? b.create<arith::FPToUIOp>(type, safe).getResult()
                     : b.create<arith::FPToSIOp>(type, safe).getResult();
  uint64_t most64 = UINT64_MAX >> (64 - (isUnsigned ? bits : bits - 1));
  Value most = lanes.intOf(i64, static_cast<int64_t>(most64));
  Value least = lanes.intOf(i64, isUnsigned ? 0 : static_cast<int64_t>(~most64));
  wide = lanes.select(high, most, wide);
  wide = lanes.select(low, least, wide);
  return convertInteger(lanes, wide, ElementType::I64, to);
}

static Value integerToFloat(Lanes &lanes, Value value, ElementType from, ElementType to,
                            bool saturate, int roundMode) {
  ImplicitLocOpBuilder &b = lanes.b;
  bool isUnsigned = isUnsignedInteger(from) || from == ElementType::Bool;
  // Convert to f64 first if the target is narrower than f32, so that the value is rounded once.
  bool viaF64 = to != ElementType::F32;
  Type type = lanes.typeLike(value, viaF64 ? b.getF64Type() : b.getF32Type());
  Value wide = isUnsigned ? b.create<arith::UIToFPOp>(type, value).getResult()
                          : b.create<arith::SIToFPOp>(type, value).getResult();
  return viaF64 ? convertFloat(lanes, wide, ElementType::F64, to, saturate, roundMode) : wide;
}

Value convert(Lanes &lanes, Value value, ElementType from, ElementType to, bool saturate,
              int roundMode) {
  if (from == to) {
    return value;
  }
  if (isFloat(from)) {
    return isFloat(to) ? convertFloat(lanes, value, from, to, saturate, roundMode)
                       : floatToInteger(lanes, value, from, to);
  }
  return isFloat(to) ? integerToFloat(lanes, value, from, to, saturate, roundMode)
                     : convertInteger(lanes, value, from, to);
}

Value centered(Lanes &lanes, Value value, ElementType from, int64_t zeroPoint, ElementType to) {
  Value wide = convert(lanes, value, from, ElementType::I32);
  if (zeroPoint != 0) {
    wide = lanes.op<arith::SubIOp>(wide, lanes.intOf(lanes.b.getI32Type(), zeroPoint));
  }
  return convert(lanes, wide, ElementType::I32, to);
}

Value wrapped(Lanes &lanes, Value value, ElementType from, int64_t size) {
  Value wide = convert(lanes, value, from, ElementType::I64);
  Type i64 = lanes.b.getI64Type();
  Value isNegative = lanes.compare(arith::CmpIPredicate::slt, wide, lanes.intOf(i64, 0));
  return lanes.select(isNegative, lanes.op<arith::AddIOp>(wide, lanes.intOf(i64, size)), wide);
}

} // namespace convoy::kernels
