// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates functions of one element, and select. Floating-point functions are
// written once for double: narrower floats are widened and the result is
// rounded once.

#include "reference/Elementwise.h"
#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include <cmath>

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::UnaryKind;

namespace convoy::reference {
namespace {

//===- Float functions ----------------------------------------------------===//

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Computes log(1 + exp(x)) without overflow.
double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }

double hardSwish(double x) {
  double gate = x / 6 + 0.5;
  return x * (gate < 0 ? 0 : gate > 1 ? 1 : gate);
}

double geluTanh(double x) {
  constexpr double kSqrt2OverPi = 0.79788456080286535588;
  return 0.5 * x * (1 + std::tanh(kSqrt2OverPi * (x + 0.044715 * x * x * x)));
}

struct UnaryRow {
  UnaryKind kind;
  double (*function)(double);
};

// Comparisons with NaN are false, so rows with a comparison propagate NaN.
constexpr UnaryRow kUnary[] = {
    {UnaryKind::Abs, [](double x) { return std::fabs(x); }},
    {UnaryKind::Neg, [](double x) { return -x; }},
    {UnaryKind::Exp, [](double x) { return std::exp(x); }},
    {UnaryKind::Log, [](double x) { return std::log(x); }},
    {UnaryKind::Sqrt, [](double x) { return std::sqrt(x); }},
    {UnaryKind::Reciprocal, [](double x) { return 1 / x; }},
    {UnaryKind::Floor, [](double x) { return std::floor(x); }},
    {UnaryKind::Ceil, [](double x) { return std::ceil(x); }},
    {UnaryKind::Round, [](double x) { return std::nearbyint(x); }},
    {UnaryKind::Sign, [](double x) { return x > 0   ? 1
                                            : x < 0 ? -1
                                                    : x; }},
    {UnaryKind::Sin, [](double x) { return std::sin(x); }},
    {UnaryKind::Cos, [](double x) { return std::cos(x); }},
    {UnaryKind::Tan, [](double x) { return std::tan(x); }},
    {UnaryKind::Asin, [](double x) { return std::asin(x); }},
    {UnaryKind::Acos, [](double x) { return std::acos(x); }},
    {UnaryKind::Atan, [](double x) { return std::atan(x); }},
    {UnaryKind::Sinh, [](double x) { return std::sinh(x); }},
    {UnaryKind::Cosh, [](double x) { return std::cosh(x); }},
    {UnaryKind::Asinh, [](double x) { return std::asinh(x); }},
    {UnaryKind::Acosh, [](double x) { return std::acosh(x); }},
    {UnaryKind::Atanh, [](double x) { return std::atanh(x); }},
    {UnaryKind::Tanh, [](double x) { return std::tanh(x); }},
    {UnaryKind::Erf, [](double x) { return std::erf(x); }},
    {UnaryKind::Sigmoid, sigmoid},
    {UnaryKind::Relu, [](double x) { return x < 0 ? 0 : x; }},
    {UnaryKind::Softplus, softplus},
    {UnaryKind::Softsign, [](double x) { return x / (1 + std::fabs(x)); }},
    {UnaryKind::Mish, [](double x) { return x * std::tanh(softplus(x)); }},
    {UnaryKind::HardSwish, hardSwish},
    {UnaryKind::Gelu, [](double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }},
    {UnaryKind::GeluTanh, geluTanh},
    // Returns 1 or 0, stored as i1 ([unary.1]).
    {UnaryKind::IsNaN, [](double x) { return double(std::isnan(x)); }},
    {UnaryKind::IsInf, [](double x) { return double(std::isinf(x)); }},
    {UnaryKind::IsPosInf, [](double x) { return double(std::isinf(x) && x > 0); }},
    {UnaryKind::IsNegInf, [](double x) { return double(std::isinf(x) && x < 0); }},
};

struct ActivationRow {
  ActivationKind kind;
  double (*function)(double x, double alpha, double beta);
};

// Implements the table of Elementwise.td.
constexpr ActivationRow kActivations[] = {
    {ActivationKind::LeakyRelu, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {ActivationKind::Elu, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {ActivationKind::Selu,
     [](double x, double a, double b) { return b * (x <= 0 ? a * std::expm1(x) : x); }},
    {ActivationKind::Celu,
     [](double x, double a, double) { return x < 0 ? std::fmin(0, a * std::expm1(x / a)) : x; }},
    {ActivationKind::HardSigmoid,
     [](double x, double a, double b) {
       double y = a * x + b;
       return y < 0 ? 0 : y > 1 ? 1 : y;
     }},
    {ActivationKind::ThresholdedRelu, [](double x, double a, double) { return x > a ? x : 0; }},
    {ActivationKind::Shrink,
     [](double x, double a, double b) { return x < -a  ? x + b
                                               : x > a ? x - b
                                                       : 0; }},
    {ActivationKind::Swish, [](double x, double a, double) { return x * sigmoid(a * x); }},
    {ActivationKind::Affine, [](double x, double a, double b) { return a * x + b; }},
    {ActivationKind::ScaledTanh, [](double x, double a, double b) { return a * std::tanh(b * x); }},
};

template <typename Row, typename Kind, size_t kRows>
auto functionOf(const Row (&rows)[kRows], Kind kind) {
  for (const Row &row : rows) {
    if (row.kind == kind) {
      return row.function;
    }
  }
  llvm_unreachable("no float function; the type rule lets integers only through");
}

//===- Loops --------------------------------------------------------------===//

template <typename In, typename Out, typename Fn>
void mapElements(const Tensor &input, Tensor &result, Fn fn) {
  const In *in = input.data<In>();
  Out *out = result.mutableData<Out>();
  for (int64_t i = 0; i < result.size(); ++i) {
    out[i] = static_cast<Out>(fn(in[i]));
  }
}

/// Applies a function on double to a tensor of any number type.
template <typename Fn>
void mapThroughDouble(const Tensor &input, Tensor &result, Fn fn) {
  if (input.type() == ElementType::F32 && result.type() == ElementType::F32) {
    return mapElements<float, float>(input, result, fn);
  }
  Tensor wide = converted(input, ElementType::F64);
  Tensor computed(ElementType::F64, result.shape());
  mapElements<double, double>(wide, computed, fn);
  convertElements(computed, result, {Overflow::ToNonFinite});
}

/// Evaluates the kinds that accept integers ([unary.2]). Arithmetic is
/// unsigned, so it wraps.
template <typename T>
void mapIntegers(UnaryKind kind, const Tensor &input, Tensor &result) {
  auto negate = [](T x) { return static_cast<T>(uint64_t(0) - static_cast<uint64_t>(x)); };
  switch (kind) {
  case UnaryKind::Abs:
    return mapElements<T, T>(input, result, [=](T x) { return x < T(0) ? negate(x) : x; });
  case UnaryKind::Neg:
    return mapElements<T, T>(input, result, negate);
  case UnaryKind::Sign:
    return mapElements<T, T>(input, result, [](T x) { return (x > T(0)) - (x < T(0)); });
  case UnaryKind::Relu:
    return mapElements<T, T>(input, result, [](T x) { return x < T(0) ? T(0) : x; });
  case UnaryKind::BitNot:
    return mapElements<T, T>(input, result, [](T x) { return ~x; });
  default:
    llvm_unreachable("the type rule lets floats only through");
  }
}

LogicalResult evaluateUnary(graph::UnaryOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  if (op.getKind() == UnaryKind::Not) {
    mapElements<bool, bool>(input, result, [](bool x) { return !x; });
  } else if (isFloat(input.type())) {
    mapThroughDouble(input, result, functionOf(kUnary, op.getKind()));
  } else {
    dispatch(input.type(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        mapIntegers<T>(op.getKind(), input, result);
      }
    });
    wrapNarrowIntegers(result);
  }
  return success();
}

LogicalResult evaluateActivation(graph::ActivationOp op, Evaluation &e) {
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  auto function = functionOf(kActivations, op.getKind());
  mapThroughDouble(e.input(op.getInput()), result,
                   [=](double x) { return function(x, alpha, beta); });
  return success();
}

//===- Select -------------------------------------------------------------===//

/// Selects elements; condition and values repeat along dimensions of step 0
/// ([select.2]).
template <typename T>
void selectElements(const Tensor &condition, const T *whenTrue, const T *whenFalse,
                    const std::array<Shape, 3> &steps, ArrayRef<int64_t> shape, T *out) {
  const bool *takesTrue = condition.data<bool>();
  RowWalk<3> walk(shape, steps);
  walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
    for (int64_t i = 0; i < count; ++i) {
      *out++ = takesTrue[at[0] + i * step[0]] ? whenTrue[at[1] + i * step[1]]
                                              : whenFalse[at[2] + i * step[2]];
    }
  });
}

LogicalResult evaluateSelect(graph::SelectOp op, Evaluation &e) {
  const Tensor &condition = e.input(op.getCondition());
  const Tensor &a = e.input(op.getTrueValue());
  const Tensor &b = e.input(op.getFalseValue());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  std::array<Shape, 3> steps = {broadcastSteps(condition.shape(), result.shape()),
                                broadcastSteps(a.shape(), result.shape()),
                                broadcastSteps(b.shape(), result.shape())};
  if (result.type() == ElementType::String) {
    selectElements<std::string>(condition, a.strings().data(), b.strings().data(), steps,
                                result.shape(), result.mutableStrings().data());
    return success();
  }
  // Select only moves elements, so it dispatches on their width.
  auto select = [&](auto zero) {
    using T = decltype(zero);
    selectElements<T>(condition, a.data<T>(), b.data<T>(), steps, result.shape(),
                      result.mutableData<T>());
  };
  switch (storageBytes(result.type())) {
  case 1:
    select(uint8_t());
    break;
  case 2:
    select(uint16_t());
    break;
  case 4:
    select(uint32_t());
    break;
  case 8:
    select(uint64_t());
    break;
  default:
    select(std::array<uint64_t, 2>());
    break;
  }
  return success();
}

} // namespace

void addElementwiseEvaluators(EvaluatorTable &table) {
  table.add<graph::ActivationOp, evaluateActivation>();
  table.add<graph::BinaryOp, evaluateBinary>();
  table.add<graph::CastOp, evaluateCast>();
  table.add<graph::SelectOp, evaluateSelect>();
  table.add<graph::UnaryOp, evaluateUnary>();
}

} // namespace convoy::reference
