// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the element-wise ops of Integer.td. Convolution.cpp, Transform.cpp
// and Window.cpp evaluate the layers.

#include "Graph/RoundingShift.h"
#include "reference/Broadcast.h"
#include "reference/Elements.h"
#include "reference/Evaluation.h"
#include "reference/IntegerNormalization.h"
#include "reference/Odometer.h"

using namespace mlir;

namespace convoy::reference {
namespace {

LogicalResult evaluateRequantize(graph::RequantizeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success(); // Empty result, or the type rule emitted an error.
  }
  Shape multipliers = e.input(op.getMultiplier()).ints();
  Shape shifts = e.input(op.getShift()).ints();
  bool isPerTensor = e.input(op.getMultiplier()).rank() == 0;
  int64_t inner = isPerTensor ? input.size() : product(input.shape().drop_front(op.getAxis() + 1));
  auto entries = static_cast<int64_t>(multipliers.size());
  graph::Requantizer requantize{static_cast<int64_t>(op.getZeroPoint()),
                                static_cast<int64_t>(op.getLow()),
                                static_cast<int64_t>(op.getHigh()), op.getRounding()};
  auto zero = static_cast<int64_t>(op.getInputZeroPoint());
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t entry = i / inner % entries;
    // Wraps for i64 inputs, as kernels do.
    auto product =
        static_cast<uint64_t>(input.asInt(i) - zero) * static_cast<uint64_t>(multipliers[entry]);
    result.setInt(i, requantize(static_cast<int64_t>(product), shifts[entry]));
  }
  return success();
}

/// Calls fn(lhs - lhsZeroPoint, rhs - rhsZeroPoint) for each element of the
/// result, in order.
template <typename OpT, typename Fn>
void forEachPair(OpT op, const Tensor &lhs, const Tensor &rhs, ArrayRef<int64_t> shape, Fn fn) {
  auto lhsZero = static_cast<int64_t>(op.getLhsZeroPoint());
  auto rhsZero = static_cast<int64_t>(op.getRhsZeroPoint());
  RowWalk<2> walk(shape, {broadcastSteps(lhs.shape(), shape), broadcastSteps(rhs.shape(), shape)});
  walk.forEachRow([&](const auto &at, int64_t count, const auto &step) {
    for (int64_t i = 0; i < count; ++i) {
      fn(lhs.asInt(at[0] + i * step[0]) - lhsZero, rhs.asInt(at[1] + i * step[1]) - rhsZero);
    }
  });
}

LogicalResult evaluateIntegerAdd(graph::IntegerAddOp op, Evaluation &e) {
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  auto lhsMultiplier = static_cast<int64_t>(op.getLhsMultiplier());
  auto rhsMultiplier = static_cast<int64_t>(op.getRhsMultiplier());
  auto shift = static_cast<int64_t>(op.getShift());
  graph::Requantizer requantize{static_cast<int64_t>(op.getZeroPoint()),
                                static_cast<int64_t>(op.getLow()),
                                static_cast<int64_t>(op.getHigh()), op.getRounding()};
  int64_t next = 0;
  forEachPair(op, e.input(op.getLhs()), e.input(op.getRhs()), result.shape(),
              [&](int64_t lhs, int64_t rhs) {
                result.setInt(next++, requantize(lhs * lhsMultiplier + rhs * rhsMultiplier, shift));
              });
  return success();
}

LogicalResult evaluateIntegerMul(graph::IntegerMulOp op, Evaluation &e) {
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  auto *out = result.mutableData<int32_t>();
  forEachPair(op, e.input(op.getLhs()), e.input(op.getRhs()), result.shape(),
              [&](int64_t lhs, int64_t rhs) { *out++ = static_cast<int32_t>(lhs * rhs); });
  return success();
}

LogicalResult evaluateLookup(graph::LookupOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &table = e.input(op.getTable());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t lowest = isSignedInteger(input.type()) ? -128 : 0;
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t entry = input.asInt(i) - lowest;
    isFloat(table.type()) ? result.setDouble(i, table.asDouble(entry))
                          : result.setInt(i, table.asInt(entry));
  }
  return success();
}

LogicalResult evaluateIntegerLRN(graph::IntegerLRNOp op, Evaluation &e) {
  Tensor &result = e.output();
  if (!result.isEmpty()) {
    normalizeIntegers(op, e.input(op.getInput()), e.input(op.getNear()), e.input(op.getFar()),
                      [&](int64_t i, int64_t value) { result.setInt(i, value); });
  }
  return success();
}

} // namespace

void addIntegerEvaluators(EvaluatorTable &table) {
  table.add<graph::IntegerAddOp, evaluateIntegerAdd>();
  table.add<graph::IntegerMulOp, evaluateIntegerMul>();
  table.add<graph::IntegerLRNOp, evaluateIntegerLRN>();
  table.add<graph::LookupOp, evaluateLookup>();
  table.add<graph::RequantizeOp, evaluateRequantize>();
}

} // namespace convoy::reference
