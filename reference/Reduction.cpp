// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates reduce, arg_reduce and cumulative. Operands are converted to f32,
// f64, i64 or u64 first. Floats accumulate in double and round once, integers
// accumulate in 64 bits and wrap at the end.

#include "reference/Broadcast.h"
#include "reference/Convert.h"
#include "reference/Evaluation.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using convoy::graph::ReduceKind;

namespace convoy::reference {
namespace {

/// Returns the type in which the loops compute.
ElementType loopType(ElementType type) {
  if (type == ElementType::F32) {
    return type;
  }
  if (isFloat(type)) {
    return ElementType::F64;
  }
  return isSignedInteger(type) ? ElementType::I64 : ElementType::U64;
}

/// Calls `fn` with the C++ type of a loop type.
template <typename Fn>
void dispatchLoop(ElementType type, Fn fn) {
  switch (type) {
  case ElementType::F32:
    return fn(float());
  case ElementType::F64:
    return fn(double());
  case ElementType::I64:
    return fn(int64_t());
  default:
    return fn(uint64_t());
  }
}

//===- reduce -------------------------------------------------------------===//

/// The accumulator type for sums of T. Integers add as unsigned, so they wrap.
template <typename T>
using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

/// Visits the elements of `input` in order, together with the offset of the
/// result to which each element belongs.
class Reduction {
public:
  Reduction(graph::ReduceOp op, const Tensor &input, const Tensor &result, ArrayRef<int64_t> axes)
      : input(input), resultType(result.type()), resultCount(result.size()), steps(input.rank()) {
    llvm::SmallVector<bool> isReduced(input.rank(), axes.empty() && !op.getNoopWithEmptyAxes());
    for (int64_t axis : axes) {
      isReduced[axis < 0 ? axis + input.rank() : axis] = true;
    }
    int64_t step = 1;
    for (int64_t i = input.rank() - 1; i >= 0; --i) {
      steps[i] = isReduced[i] ? 0 : step;
      step *= isReduced[i] ? 1 : input.dim(i);
    }
    groupSize = resultCount ? input.size() / resultCount : 0;
  }

  /// Folds each group of elements, starting from `first`.
  template <typename T, typename A, typename Fn>
  std::vector<A> fold(A first, Fn fn) const {
    std::vector<A> results(resultCount, first);
    const T *x = input.data<T>();
    RowWalk<1> walk(input.shape(), {steps});
    walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
      A *out = results.data() + at[0];
      if (step[0] == 0) { // the row is one group: accumulate in a register
        *out = std::accumulate(x, x + count, *out, fn);
      } else {
        for (int64_t i = 0; i < count; ++i) {
          out[i * step[0]] = fn(out[i * step[0]], x[i]);
        }
      }
      x += count;
    });
    return results;
  }

  /// Calls fn(offset of the result, element) for each element.
  template <typename T, typename Fn>
  void visit(Fn fn) const {
    const T *x = input.data<T>();
    RowWalk<1> walk(input.shape(), {steps});
    walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
      for (int64_t i = 0; i < count; ++i) {
        fn(at[0] + i * step[0], *x++);
      }
    });
  }

  const Tensor &input;
  ElementType resultType;
  int64_t resultCount;
  int64_t groupSize;

private:
  Shape steps;
};

/// Returns the initial value of a max or min.
template <typename T>
T startOf(bool takesMax, ElementType type) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return takesMax ? -kInfinity : kInfinity;
  } else {
    return static_cast<T>(takesMax ? static_cast<uint64_t>(lowestOf(type)) : highestOf(type));
  }
}

/// Returns NaN if either operand is NaN, as [binary] min and max do.
template <typename T>
std::vector<T> extremes(const Reduction &r, bool takesMax) {
  T start = startOf<T>(takesMax, r.resultType);
  if (takesMax) {
    return r.fold<T>(start, [](T best, T x) { return x != x || x > best ? x : best; });
  }
  return r.fold<T>(start, [](T best, T x) { return x != x || x < best ? x : best; });
}

/// Computes log(sum(exp(x))), shifted by the largest element so that exp does
/// not overflow.
template <typename T>
std::vector<double> logSumExp(const Reduction &r) {
  std::vector<double> shift(r.resultCount, -std::numeric_limits<double>::infinity());
  r.visit<T>([&](int64_t at, T x) { shift[at] = std::fmax(shift[at], static_cast<double>(x)); });
  for (double &each : shift) {
    each = std::isfinite(each) ? each : 0;
  }
  std::vector<double> sums(r.resultCount, 0);
  r.visit<T>([&](int64_t at, T x) { sums[at] += std::exp(static_cast<double>(x) - shift[at]); });
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = std::log(sums[i]) + shift[i];
  }
  return sums;
}

/// Returns |x| as an unsigned value.
template <typename T>
Sum<T> magnitude(T x) {
  if constexpr (std::is_integral_v<T>) {
    return x < T(0) ? uint64_t(0) - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  } else {
    return std::fabs(static_cast<double>(x));
  }
}

/// Evaluates reductions that return integers for integers without rounding.
template <typename T>
std::vector<Sum<T>> foldExact(ReduceKind kind, const Reduction &r) {
  using S = Sum<T>;
  switch (kind) {
  case ReduceKind::Prod:
    return r.fold<T>(S(1), [](S s, T x) { return s * static_cast<S>(x); });
  case ReduceKind::L1:
    return r.fold<T>(S(0), [](S s, T x) { return s + magnitude(x); });
  case ReduceKind::SumSquare:
    return r.fold<T>(S(0), [](S s, T x) { return s + static_cast<S>(x) * static_cast<S>(x); });
  default:
    return r.fold<T>(S(0), [](S s, T x) { return s + static_cast<S>(x); });
  }
}

template <typename T>
std::vector<Sum<T>> means(const Reduction &r) {
  std::vector<Sum<T>> sums = foldExact<T>(ReduceKind::Sum, r);
  for (Sum<T> &sum : sums) {
    if constexpr (std::is_floating_point_v<T>) {
      sum /= static_cast<double>(r.groupSize); // NaN for an empty group
    } else if (r.groupSize > 0) {
      sum = static_cast<uint64_t>(static_cast<T>(sum) / static_cast<T>(r.groupSize));
    }
  }
  return sums;
}

/// Evaluates reductions that compute in floating point: integers are converted
/// to double and the result is truncated.
template <typename T>
std::vector<double> foldFloat(ReduceKind kind, const Reduction &r) {
  auto value = [](T x) { return static_cast<double>(x); };
  if (kind == ReduceKind::LogSumExp) {
    return logSumExp<T>(r);
  }
  bool isNorm = kind == ReduceKind::L2;
  std::vector<double> sums =
      isNorm ? r.fold<T>(0.0, [=](double s, T x) { return s + value(x) * value(x); })
             : r.fold<T>(0.0, [=](double s, T x) { return s + value(x); });
  for (double &sum : sums) {
    sum = isNorm ? std::sqrt(sum) : std::log(sum);
  }
  return sums;
}

/// Rounds the accumulators, which represent values of type T, into the result.
template <typename T, typename A>
void store(const std::vector<A> &values, Tensor &result) {
  ElementType type = std::is_floating_point_v<A>  ? ElementType::F64
                     : std::is_same_v<T, int64_t> ? ElementType::I64
                                                  : ElementType::U64;
  Tensor wide(type, result.shape());
  if constexpr (std::is_floating_point_v<A>) {
    std::copy(values.begin(), values.end(), wide.mutableData<double>());
  } else {
    std::copy(values.begin(), values.end(), static_cast<A *>(wide.mutableRaw()));
  }
  convertElements(wide, result, {Overflow::ToNonFinite});
}

template <typename T>
void reduce(ReduceKind kind, const Reduction &r, Tensor &result) {
  switch (kind) {
  case ReduceKind::Max:
  case ReduceKind::Min:
    return store<T>(extremes<T>(r, kind == ReduceKind::Max), result);
  case ReduceKind::Mean:
    return store<T>(means<T>(r), result);
  case ReduceKind::L2:
  case ReduceKind::LogSum:
  case ReduceKind::LogSumExp:
    return store<T>(foldFloat<T>(kind, r), result);
  default:
    return store<T>(foldExact<T>(kind, r), result);
  }
}

LogicalResult evaluateReduce(graph::ReduceOp op, Evaluation &e) {
  const Tensor &given = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  Shape axes = op.getAxes() ? e.input(op.getAxes()).ints() : Shape(); // [reduce.1] holds
  Tensor input = converted(given, loopType(given.type()));
  Reduction reduction(op, input, result, axes);
  dispatchLoop(input.type(),
               [&](auto zero) { reduce<decltype(zero)>(op.getKind(), reduction, result); });
  return success();
}

//===- arg_reduce and cumulative ------------------------------------------===//

/// A tensor viewed as outer x along x inner around one axis.
struct AxisView {
  AxisView(ArrayRef<int64_t> shape, int64_t axis) : along(shape[axis]) {
    for (auto [i, dim] : llvm::enumerate(shape)) {
      outer *= static_cast<int64_t>(i) < axis ? dim : 1;
      inner *= static_cast<int64_t>(i) > axis ? dim : 1;
    }
  }
  int64_t outer = 1;
  int64_t along;
  int64_t inner = 1;
};

/// Selects the element of a line.
struct ArgSelection {
  bool takesMax;
  bool selectsLast;

  /// Returns whether x replaces `best`; NaN is larger than every number.
  template <typename T>
  bool isBetter(T x, T best) const {
    if (x != x || best != best) {
      return best == best || (selectsLast && x != x);
    }
    return x == best ? selectsLast : (x > best) == takesMax;
  }
};

template <typename T>
void argReduce(ArgSelection choice, const Tensor &input, AxisView view, int64_t *out) {
  const T *x = input.data<T>();
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const T *line = x + o * view.along * view.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < view.along; ++k) {
        best = choice.isBetter(line[k * view.inner], line[best * view.inner]) ? k : best;
      }
      *out++ = best;
    }
  }
}

LogicalResult evaluateArgReduce(graph::ArgReduceOp op, Evaluation &e) {
  const Tensor &given = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  int64_t axis = *graph::normalizeAxis(op.getAxis(), given.rank());
  Tensor input = converted(given, loopType(given.type()));
  dispatchLoop(input.type(), [&](auto zero) {
    argReduce<decltype(zero)>({op.getTakesMax(), op.getSelectLast()}, input,
                              AxisView(given.shape(), axis), result.mutableData<int64_t>());
  });
  return success();
}

/// Accumulates along every line of the axis. `reverse` starts at the end;
/// `exclusive` excludes the current element.
template <typename T>
void accumulate(graph::CumulativeOp op, const Tensor &input, AxisView view, Tensor &computed) {
  using S = Sum<T>;
  bool isProduct = op.getKind() == graph::CumulativeKind::Prod;
  bool isReverse = op.getReverse();
  bool isExclusive = op.getExclusive();
  const T *x = input.data<T>();
  S *out = static_cast<S *>(computed.mutableRaw());
  for (int64_t line = 0; line < view.outer * view.inner; ++line) {
    int64_t base = line / view.inner * view.along * view.inner + line % view.inner;
    S total = isProduct ? S(1) : S(0);
    for (int64_t k = 0; k < view.along; ++k) {
      int64_t at = base + (isReverse ? view.along - 1 - k : k) * view.inner;
      S before = total;
      S value = static_cast<S>(x[at]);
      total = isProduct ? total * value : total + value;
      out[at] = isExclusive ? before : total;
    }
  }
}

LogicalResult evaluateCumulative(graph::CumulativeOp op, Evaluation &e) {
  const Tensor &given = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  int64_t axis = *graph::normalizeAxis(e.input(op.getAxis()).asInt(0), given.rank());
  Tensor input = converted(given, loopType(given.type()));
  Tensor computed(isFloat(given.type()) ? ElementType::F64 : ElementType::I64, given.shape());
  dispatchLoop(input.type(), [&](auto zero) {
    accumulate<decltype(zero)>(op, input, AxisView(given.shape(), axis), computed);
  });
  convertElements(computed, result, {Overflow::ToNonFinite});
  return success();
}

} // namespace

void addReductionEvaluators(EvaluatorTable &table) {
  table.add<graph::ArgReduceOp, evaluateArgReduce>();
  table.add<graph::CumulativeOp, evaluateCumulative>();
  table.add<graph::ReduceOp, evaluateReduce>();
}

} // namespace convoy::reference
