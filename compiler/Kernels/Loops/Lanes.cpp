// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Lanes. Index arithmetic keeps a constant step where possible, because the step decides
// between a vector load and a gather.

#include "Kernels/Loops/Lanes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace convoy::kernels {

Value Lanes::indexConstant(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }

Index Lanes::constant(int64_t value) { return {indexConstant(value), 0, {}}; }

Type Lanes::type(Type scalar) const {
  return width == 1 ? scalar : VectorType::get({width}, scalar);
}

Value Lanes::splat(Value value) {
  if (width == 1 || isa<VectorType>(value.getType())) {
    return value;
  }
  return b.create<vector::BroadcastOp>(type(value.getType()), value);
}

Value Lanes::toLanes(const Index &x) {
  if (x.varying) {
    return x.varying;
  }
  if (width == 1) {
    return x.base;
  }
  Value lanes = splat(x.base);
  if (x.step == 0) {
    return lanes;
  }
  SmallVector<int64_t> offsets;
  for (int64_t i = 0; i < width; ++i) {
    offsets.push_back(i * x.step);
  }
  auto vectorType = cast<VectorType>(type(b.getIndexType()));
  Value steps =
      b.create<arith::ConstantOp>(DenseElementsAttr::get(vectorType, ArrayRef<int64_t>(offsets)));
  return b.createOrFold<arith::AddIOp>(lanes, steps);
}

Index Lanes::add(const Index &x, const Index &y) {
  if (x.base && y.base) {
    return {b.createOrFold<arith::AddIOp>(x.base, y.base), x.step + y.step, {}};
  }
  return {{}, 0, b.createOrFold<arith::AddIOp>(toLanes(x), toLanes(y))};
}

Index Lanes::sub(const Index &x, const Index &y) {
  if (x.base && y.base) {
    return {b.createOrFold<arith::SubIOp>(x.base, y.base), x.step - y.step, {}};
  }
  return {{}, 0, b.createOrFold<arith::SubIOp>(toLanes(x), toLanes(y))};
}

Index Lanes::add(const Index &x, int64_t c) { return c == 0 ? x : add(x, constant(c)); }

Index Lanes::mul(const Index &x, int64_t c) {
  if (c == 1) {
    return x;
  }
  if (x.base) {
    return {b.createOrFold<arith::MulIOp>(x.base, indexConstant(c)), x.step * c, {}};
  }
  return {{}, 0, b.createOrFold<arith::MulIOp>(x.varying, splat(indexConstant(c)))};
}

/// Applies an op with a constant to an index. The result has no constant lane step.
template <typename OpT>
static Index apply(Lanes &lanes, const Index &x, int64_t c) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value constant = b.create<arith::ConstantIndexOp>(c);
  if (x.isUniform() || (lanes.width == 1 && x.base)) {
    return {b.createOrFold<OpT>(x.base, constant), 0, {}};
  }
  return {{}, 0, b.createOrFold<OpT>(lanes.toLanes(x), lanes.splat(constant))};
}

Index Lanes::div(const Index &x, int64_t c) {
  return c == 1 ? x : apply<arith::DivUIOp>(*this, x, c);
}
Index Lanes::rem(const Index &x, int64_t c) {
  return c == 1 ? constant(0) : apply<arith::RemUIOp>(*this, x, c);
}
Index Lanes::min(const Index &x, int64_t c) { return apply<arith::MinSIOp>(*this, x, c); }
Index Lanes::max(const Index &x, int64_t c) { return apply<arith::MaxSIOp>(*this, x, c); }

Index Lanes::fromValue(Value value, bool isSigned) {
  Type indexType = b.getIndexType();
  auto vectorType = dyn_cast<VectorType>(value.getType());
  Type target = vectorType ? VectorType::get(vectorType.getShape(), indexType) : indexType;
  Value index = isSigned ? b.createOrFold<arith::IndexCastOp>(target, value)
                         : b.createOrFold<arith::IndexCastUIOp>(target, value);
  return vectorType ? Index{{}, 0, index} : Index{index, 0, {}};
}

Value Lanes::toValue(const Index &x, Type integer) {
  return b.createOrFold<arith::IndexCastOp>(type(integer), toLanes(x));
}

Index Lanes::linearize(ArrayRef<Index> indices, ArrayRef<int64_t> shape) {
  Index linear = constant(0);
  int64_t stride = 1;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    if (shape[i] != 1) {
      linear = add(mul(indices[i], stride), linear);
    }
    stride *= shape[i];
  }
  return linear;
}

SmallVector<Index> Lanes::delinearize(const Index &linear, ArrayRef<int64_t> shape) {
  SmallVector<Index> indices(shape.size());
  Index rest = linear;
  for (int64_t i = static_cast<int64_t>(shape.size()) - 1; i >= 0; --i) {
    if (shape[i] == 1) {
      indices[i] = constant(0);
      continue;
    }
    bool isOutermost = llvm::all_of(shape.take_front(i), [](int64_t d) { return d == 1; });
    indices[i] = isOutermost ? rest : rem(rest, shape[i]);
    rest = isOutermost ? constant(0) : div(rest, shape[i]);
  }
  return indices;
}

Value Lanes::inBounds(const Index &x, int64_t bound) {
  // One unsigned comparison checks both bounds.
  bool isScalar = x.isUniform() || width == 1;
  Value value = isScalar && x.base ? x.base : toLanes(x);
  Value limit = isScalar && x.base ? indexConstant(bound) : splat(indexConstant(bound));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, value, limit);
}

Value Lanes::isEqual(const Index &x, int64_t c) {
  bool isScalar = x.isUniform() || width == 1;
  Value value = isScalar && x.base ? x.base : toLanes(x);
  Value other = isScalar && x.base ? indexConstant(c) : splat(indexConstant(c));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, value, other);
}

void Lanes::unify(Value &x, Value &y) {
  if (isa<VectorType>(x.getType()) != isa<VectorType>(y.getType())) {
    x = splat(x);
    y = splat(y);
  }
}

Value Lanes::both(Value x, Value y) { return x && y ? op<arith::AndIOp>(x, y) : x ? x : y; }

Value Lanes::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  unify(x, y);
  return b.createOrFold<arith::CmpIOp>(predicate, x, y);
}

Value Lanes::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  unify(x, y);
  return b.createOrFold<arith::CmpFOp>(predicate, x, y);
}

Value Lanes::fma(Value x, Value y, Value z) {
  unify(x, y);
  unify(x, z);
  unify(y, z);
  return b.createOrFold<math::FmaOp>(x, y, z);
}

Type Lanes::typeLike(Value like, Type scalar) const {
  auto vectorType = dyn_cast<VectorType>(like.getType());
  return vectorType ? Type(VectorType::get(vectorType.getShape(), scalar)) : scalar;
}

Value Lanes::constantOf(Type scalar, double value) {
  if (isa<FloatType>(scalar)) {
    return b.create<arith::ConstantOp>(b.getFloatAttr(scalar, value));
  }
  return intOf(scalar, static_cast<int64_t>(value));
}

Value Lanes::intOf(Type scalar, int64_t value) {
  return b.create<arith::ConstantOp>(b.getIntegerAttr(scalar, value));
}

Value Lanes::select(Value condition, Value a, Value otherwise) {
  unify(a, otherwise);
  if (isa<VectorType>(condition.getType())) {
    a = splat(a);
    otherwise = splat(otherwise);
  }
  return b.createOrFold<arith::SelectOp>(condition, a, otherwise);
}

} // namespace convoy::kernels
