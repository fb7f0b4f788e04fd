// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits element-wise ops. Functions without an instruction become math dialect ops, which
// convoy-kernels-lower-math expands. Every float result is rounded to its own type, as the
// reference does.

#include "Kernels/Loops/Arithmetic.h"
#include "Kernels/Loops/KernelEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::kernels {
namespace {

Value emitUnary(graph::UnaryOp op, KernelEmitter &k, const ElementQuery &q) {
  Value x = k.element(op.getInput(), q.at, q.mask);
  Arithmetic a{k.lanes(), k.type(op.getInput())};
  return roundTo(a.lanes, k.type(op.getResult()), a.unary(op.getKind(), x));
}

Value emitActivation(graph::ActivationOp op, KernelEmitter &k, const ElementQuery &q) {
  Value x = k.element(op.getInput(), q.at, q.mask);
  Arithmetic a{k.lanes(), k.type(op.getInput())};
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  return roundTo(a.lanes, a.type, a.activation(op.getKind(), x, alpha, beta));
}

/// Returns the value of a constant with a single element.
std::optional<double> singleConstant(Value value) {
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  if (!constant || constant.getValue().getNumElements() != 1) {
    return std::nullopt;
  }
  return graph::toTensor(constant.getValue()).asDouble(0);
}

/// Returns x / c inside erf(x / c) as a product with 1 / c, or null for other divisions. Exporters
/// write Gelu in this form. The product differs from the quotient by at most one ulp, which changes
/// erf by less than one ulp, and a vector takes ten times as long for a division.
Value emitErfArgument(graph::BinaryOp op, Arithmetic &a, Value x) {
  std::optional<double> divisor = singleConstant(op.getRhs());
  bool isForErf = llvm::all_of(op->getUsers(), [](Operation *user) {
    auto unary = dyn_cast<graph::UnaryOp>(user);
    return unary && unary.getKind() == UnaryKind::Erf;
  });
  bool isModerate = divisor && std::abs(*divisor) > 0x1p-60 && std::abs(*divisor) < 0x1p60;
  return isForErf && isModerate && a.type == ElementType::F32 ? a.mul(x, a.number(1 / *divisor))
                                                              : Value();
}

/// Returns the power with a constant exponent of 2 or 3 as products, or null for other exponents.
/// The products are exact to half a unit and one unit in the last place, and pow is several times
/// as slow. The tanh form of Gelu contains a cube, most normalizations contain a square.
Value emitSmallPower(graph::BinaryOp op, Arithmetic &a, Value x) {
  std::optional<double> number = singleConstant(op.getRhs());
  if (!isFloat(a.type) || (number != 2 && number != 3)) {
    return {};
  }
  Value square = a.mul(x, x);
  return number == 2 ? square : a.mul(square, x);
}

Value emitBinary(graph::BinaryOp op, KernelEmitter &k, const ElementQuery &q) {
  ElementType type = k.type(op.getLhs());
  Value x = k.broadcast(op.getLhs(), q.at, q.mask);
  Value y = k.broadcast(op.getRhs(), q.at, q.mask);
  Arithmetic a{k.lanes(), type};
  if (op.getKind() == BinaryKind::Pow) {
    if (Value power = emitSmallPower(op, a, x)) {
      return roundTo(a.lanes, type, power);
    }
    return roundTo(a.lanes, type, a.power(x, y, k.type(op.getRhs())));
  }
  if (op.getKind() == BinaryKind::Div) {
    if (Value quotient = emitErfArgument(op, a, x)) {
      return quotient;
    }
  }
  return roundTo(a.lanes, k.type(op.getResult()), a.binary(op.getKind(), x, y));
}

Value emitSelect(graph::SelectOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Value condition = k.broadcast(op.getCondition(), q.at, q.mask);
  Value x = k.broadcast(op.getTrueValue(), q.at, q.mask);
  Value y = k.broadcast(op.getFalseValue(), q.at, q.mask);
  return l.select(condition, x, y);
}

Value emitCast(graph::CastOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Value x = k.element(op.getInput(), q.at, q.mask);
  return convert(l, x, k.type(op.getInput()), k.type(op.getResult()), op.getSaturate(),
                 static_cast<int>(op.getRoundMode()));
}

Value emitBatchNorm(graph::BatchNormOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType type = k.type(op.getInput());
  Arithmetic a{l, type};
  SmallVector<Index> channel{q.at[1]};
  Value x = k.element(op.getInput(), q.at, q.mask);
  Value mean = k.element(op.getMean(), channel, q.mask);
  Value variance = k.element(op.getVariance(), channel, q.mask);
  Value scale = k.element(op.getScale(), channel, q.mask);
  Value bias = k.element(op.getBias(), channel, q.mask);
  Value epsilon = a.number(op.getEpsilon().convertToDouble());
  Value deviation = l.b.create<math::SqrtOp>(l.op<arith::AddFOp>(variance, epsilon));
  Value factor = l.op<arith::DivFOp>(scale, deviation);
  Value centered = l.op<arith::SubFOp>(x, mean);
  return roundTo(l, type, l.op<arith::AddFOp>(l.op<arith::MulFOp>(centered, factor), bias));
}

/// Returns the element of a scale or zero point: per tensor, per axis or per block.
Value quantizationParameter(KernelEmitter &k, Value parameter, const ElementQuery &q, int64_t axis,
                            int64_t blockSize) {
  Lanes l = k.lanes();
  Shape shape = k.shape(parameter);
  if (blockSize > 0) {
    SmallVector<Index> at(q.at.begin(), q.at.end());
    at[axis] = l.div(at[axis], blockSize);
    return k.element(parameter, at, q.mask);
  }
  if (elementCount(shape) == 1) {
    return k.elementAt(parameter, l.constant(0), q.mask);
  }
  return k.element(parameter, {q.at[axis]}, q.mask);
}

Value emitQuantize(graph::QuantizeLinearOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType to = k.type(op.getResult());
  auto parameter = [&](Value value) {
    return quantizationParameter(k, value, q, op.getAxis(), op.getBlockSize());
  };
  ElementType from = k.type(op.getInput());
  Value x = convert(l, k.element(op.getInput(), q.at, q.mask), from,
                    from == ElementType::F64 ? from : ElementType::F32);
  ElementType compute = from == ElementType::F64 ? from : ElementType::F32;
  Value scale = convert(l, parameter(op.getScale()), k.type(op.getScale()), compute);
  Arithmetic a{l, compute};
  // ONNX divides in the type of the scale.
  Value ratio = roundTo(l, k.type(op.getScale()), l.op<arith::DivFOp>(x, scale));
  if (isFloat(to)) {
    Value zero =
        op.getZeroPoint() ? convert(l, parameter(op.getZeroPoint()), to, compute) : a.number(0);
    return convert(l, l.op<arith::AddFOp>(ratio, zero), compute, to, op.getSaturate());
  }
  Value rounded = l.b.create<math::RoundEvenOp>(ratio);
  if (op.getZeroPoint()) {
    Value zero = convert(l, parameter(op.getZeroPoint()), to, compute);
    rounded = l.op<arith::AddFOp>(rounded, zero);
  }
  int64_t bits = bitWidth(to);
  double low = isSignedInteger(to) ? -std::ldexp(1.0, bits - 1) : 0.0;
  double high = std::ldexp(1.0, isSignedInteger(to) ? bits - 1 : bits) - 1;
  // NaN fails both comparisons and becomes 0 in the conversion.
  Value above = l.compare(arith::CmpFPredicate::OLT, rounded, a.number(low));
  rounded = l.select(above, a.number(low), rounded);
  Value below = l.compare(arith::CmpFPredicate::OGT, rounded, a.number(high));
  rounded = l.select(below, a.number(high), rounded);
  return convert(l, rounded, compute, to);
}

Value emitDequantize(graph::DequantizeLinearOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  ElementType from = k.type(op.getInput());
  ElementType to = k.type(op.getResult());
  auto parameter = [&](Value value) {
    return quantizationParameter(k, value, q, op.getAxis(), op.getBlockSize());
  };
  Value x = k.element(op.getInput(), q.at, q.mask);
  ElementType compute = to == ElementType::F64 ? to : ElementType::F32;
  Value difference;
  if (isFloat(from)) {
    difference = convert(l, x, from, compute);
    if (op.getZeroPoint()) {
      Value zero = convert(l, parameter(op.getZeroPoint()), from, compute);
      difference = l.op<arith::SubFOp>(difference, zero);
    }
  } else {
    // The difference of two i32 may not fit in i32, so subtract in i64.
    Value wide = convert(l, x, from, ElementType::I64);
    if (op.getZeroPoint()) {
      Value zero = convert(l, parameter(op.getZeroPoint()), from, ElementType::I64);
      wide = l.op<arith::SubIOp>(wide, zero);
    }
    difference = convert(l, wide, ElementType::I64, compute);
  }
  Value scale = convert(l, parameter(op.getScale()), k.type(op.getScale()), compute);
  return convert(l, l.op<arith::MulFOp>(difference, scale), compute, to);
}

/// Reinterprets the register bits, which have the same memory bits in the other type.
Value emitBitcast(graph::BitcastOp op, KernelEmitter &k, const ElementQuery &q) {
  Lanes l = k.lanes();
  Value x = k.element(op.getInput(), q.at, q.mask);
  Type to = k.registerType(op.getResult());
  return x.getType() == l.typeLike(x, to)
             ? x
             : l.b.create<arith::BitcastOp>(l.typeLike(x, to), x).getResult();
}

std::string bitcastLimit(Operation *op) {
  auto cast = mlir::cast<graph::BitcastOp>(op);
  auto isPlain = [](Type type) {
    ElementType element = fromMlir(mlir::cast<TensorType>(type).getElementType());
    return bitWidth(element) >= 32 || isInteger(element);
  };
  return isPlain(cast.getInput().getType()) && isPlain(cast.getResult().getType())
             ? ""
             : "reinterprets the bits of a narrow float";
}

} // namespace

void addElementwiseEmitters(EmitterTable &table) {
  table.addElement<graph::UnaryOp, emitUnary>();
  table.addElement<graph::ActivationOp, emitActivation>();
  table.addElement<graph::BinaryOp, emitBinary>();
  table.addElement<graph::SelectOp, emitSelect>();
  table.addElement<graph::CastOp, emitCast>();
  table.addElement<graph::BatchNormOp, emitBatchNorm>();
  table.addElement<graph::QuantizeLinearOp, emitQuantize>();
  table.addElement<graph::DequantizeLinearOp, emitDequantize>();
  table.addElement<graph::BitcastOp, emitBitcast>(bitcastLimit);
}

} // namespace convoy::kernels
