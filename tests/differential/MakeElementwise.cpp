// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makers of the ops in Elementwise.td.

#include "tests/differential/GraphMaker.h"
#include <cmath>

using namespace mlir;

namespace convoy::test {
namespace {

using graph::ActivationKind;
using graph::BinaryKind;
using graph::UnaryKind;

/// Returns whether sin, cos and tan of `x` are accurate; docs/reference/math-ulp.md defines them as
/// zero for larger arguments.
bool isAngle(GraphMaker &m, Value x) {
  const Tensor &angles = m.sampleOf(x).plain;
  for (int64_t i = 0; i < angles.size(); ++i) {
    if (std::isfinite(angles.asDouble(i)) && std::fabs(angles.asDouble(i)) > 0x1p29) {
      return false;
    }
  }
  return true;
}

/// Returns whether no sigmoid of `x` is a subnormal number of f32, which compiled code rounds to
/// zero.
bool hasNormalSigmoid(GraphMaker &m, Value x) {
  const Tensor &values = m.sampleOf(x).plain;
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.asDouble(i) < -87 && values.asDouble(i) > -104) {
      return false;
    }
  }
  return true;
}

/// Applies a function to a part of its domain, through |x| or sin(x) where needed.
bool makeFloatUnary(GraphMaker &m) {
  auto kind = static_cast<UnaryKind>(m.random.between(0, 30));
  Value x = m.floats();
  if (!isAngle(m, x) || (kind == UnaryKind::Sigmoid && !hasNormalSigmoid(m, x))) {
    x = m.freshPlain(m.elementOf(x), m.shapeOf(x));
  }
  auto through = [&](UnaryKind inner) {
    Operation *op = m.add<graph::UnaryOp>(inner, x);
    x = op ? op->getResult(0) : x;
  };
  switch (kind) {
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Round:
  case UnaryKind::Sign:
    x = m.sharp(x);
    break;
  case UnaryKind::Log:
  case UnaryKind::Sqrt:
  case UnaryKind::Acosh:
    through(UnaryKind::Abs);
    break;
  case UnaryKind::Asin:
  case UnaryKind::Acos:
  case UnaryKind::Atanh:
    through(UnaryKind::Sin);
    break;
  default:
    break;
  }
  return m.add<graph::UnaryOp>(kind, x);
}

bool makeOtherUnary(GraphMaker &m) {
  Value x = m.anything();
  ElementType type = m.elementOf(x);
  if (type == ElementType::Bool) {
    return m.add<graph::UnaryOp>(UnaryKind::Not, x);
  }
  if (isFloat(type)) {
    const UnaryKind kinds[] = {UnaryKind::IsNaN, UnaryKind::IsInf, UnaryKind::IsPosInf,
                               UnaryKind::IsNegInf, UnaryKind::Relu};
    return m.add<graph::UnaryOp>(m.random.pick(kinds), x);
  }
  const UnaryKind kinds[] = {UnaryKind::Abs, UnaryKind::Neg, UnaryKind::Sign, UnaryKind::BitNot,
                             UnaryKind::Relu};
  return m.add<graph::UnaryOp>(m.random.pick(kinds), x);
}

bool makeActivation(GraphMaker &m) {
  auto kind = static_cast<ActivationKind>(m.random.between(0, 9));
  Value x = m.floats();
  if (kind == ActivationKind::ThresholdedRelu || kind == ActivationKind::Shrink) {
    x = m.sharp(x);
  }
  double alpha = 0.1 + m.random.unit();
  double beta = m.random.unit();
  return m.add<graph::ActivationOp>(kind, x, APFloat(alpha), APFloat(beta));
}

BinaryKind kindFor(GraphMaker &m, ElementType type) {
  const BinaryKind logical[] = {BinaryKind::And, BinaryKind::Or, BinaryKind::Xor,
                                BinaryKind::Equal};
  const BinaryKind arithmetic[] = {
      BinaryKind::Add,     BinaryKind::Sub,         BinaryKind::Mul,  BinaryKind::Add,
      BinaryKind::Sub,     BinaryKind::Mul,         BinaryKind::Min,  BinaryKind::Max,
      BinaryKind::PRelu,   BinaryKind::Equal,       BinaryKind::Less, BinaryKind::LessEqual,
      BinaryKind::Greater, BinaryKind::GreaterEqual};
  if (type == ElementType::Bool) {
    return m.random.pick(logical);
  }
  if (isFloat(type)) {
    return m.random.pick(arithmetic);
  }
  return static_cast<BinaryKind>(m.random.chance(0.5) ? m.random.between(0, 8)
                                                      : m.random.between(13, 22));
}

bool isComparison(BinaryKind kind) { return kind >= BinaryKind::Equal; }

bool makeBinary(GraphMaker &m) {
  Value lhs = m.anything();
  BinaryKind kind = kindFor(m, m.elementOf(lhs));
  if (isComparison(kind)) {
    lhs = m.sharp(lhs);
  }
  Value rhs = m.random.chance(0.05) ? lhs : m.broadcasting(m.elementOf(lhs), m.shapeOf(lhs));
  return m.random.chance(0.3) ? m.add<graph::BinaryOp>(kind, rhs, lhs)
                              : m.add<graph::BinaryOp>(kind, lhs, rhs);
}

/// Makes ops that need a divisor away from zero or a positive base.
bool makeDivision(GraphMaker &m) {
  const BinaryKind kinds[] = {BinaryKind::Div, BinaryKind::Div, BinaryKind::FMod, BinaryKind::Mod,
                              BinaryKind::Pow};
  BinaryKind kind = m.random.pick(kinds);
  Value x = m.number();
  if (kind == BinaryKind::Pow) {
    Value base = m.freshPositive(m.elementOf(x), m.shapeOf(x));
    bool isOther = m.random.chance(0.3);
    Value exponent = isOther ? m.freshIndices({}, 0, 3) : x;
    return m.add<graph::BinaryOp>(kind, isOther && m.random.chance(0.5) ? x : base, exponent);
  }
  if (kind != BinaryKind::Div) {
    x = m.sharp(x);
  }
  return m.add<graph::BinaryOp>(kind, x, m.freshPositive(m.elementOf(x), m.shapeOf(x)));
}

bool makeSelect(GraphMaker &m) {
  Value x = m.anything();
  Value condition = m.broadcasting(ElementType::Bool, m.shapeOf(x));
  std::optional<Shape> common = graph::broadcastShapes(m.shapeOf(condition), m.shapeOf(x));
  return m.add<graph::SelectOp>(condition, x, m.broadcasting(m.elementOf(x), *common));
}

bool makeCast(GraphMaker &m) {
  Value x = m.anything();
  ElementType to = m.randomElement();
  if (!isFloat(to)) {
    x = m.sharp(x);
  }
  return m.add<graph::CastOp>(x, toMlir(to, m.builder.getContext()), /*saturate=*/true,
                              graph::RoundMode::Up);
}

/// Returns whether an element of a float tensor is NaN, whose bits are not defined.
bool hasNan(const Tensor &tensor) {
  for (int64_t i = 0; isFloat(tensor.type()) && i < tensor.size(); ++i) {
    if (std::isnan(tensor.asDouble(i))) {
      return true;
    }
  }
  return false;
}

bool makeBitcast(GraphMaker &m) {
  Value x = m.sharp(m.number());
  if (hasNan(m.sampleOf(x).plain)) {
    return false;
  }
  ElementType to = ElementType::Undefined;
  switch (bitWidth(m.elementOf(x))) {
  case 8:
    to = m.elementOf(x) == ElementType::I8 ? ElementType::U8 : ElementType::I8;
    break;
  case 32:
    to = m.elementOf(x) == ElementType::I32 ? ElementType::F32 : ElementType::I32;
    break;
  default:
    return false;
  }
  return m.add<graph::BitcastOp>(x, toMlir(to, m.builder.getContext()));
}

} // namespace

ArrayRef<Maker> elementwiseMakers() {
  static const Maker kMakers[] = {
      {"unary", 6, makeFloatUnary},
      {"other unary", 3, makeOtherUnary},
      {"activation", 3, makeActivation},
      {"binary", 10, makeBinary},
      {"division", 3, makeDivision},
      {"select", 3, makeSelect},
      {"cast", 4, makeCast},
      {"bitcast", 1, makeBitcast},
  };
  return kMakers;
}

} // namespace convoy::test
