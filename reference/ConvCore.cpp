// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the ops of the convcore dialect as ConvCore.td defines them.
// Devices and simulators are compared with these results, so the code is as
// simple as possible. Convolution shares the loops of graph.conv.

#include "ConvCore/ConvCore.h"
#include "Graph/RoundingShift.h"
#include "reference/Convert.h"
#include "reference/Convolution.h"
#include "reference/ElementCopy.h"
#include "reference/IntegerNormalization.h"
#include "reference/Odometer.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

int64_t requantized(int64_t sum, convcore::RequantAttr requant, int64_t channel) {
  size_t entry = requant.getMultipliers().size() == 1 ? 0 : channel;
  graph::Requantizer requantize{requant.getZeroPoint(), requant.getLow(), requant.getHigh(),
                                requant.getRounding()};
  return requantize(sum * requant.getMultipliers()[entry], requant.getShifts()[entry]);
}

/// Returns the channel of a row-major position: dimension 1, or 0 without a
/// channel dimension.
int64_t channelOf(const Tensor &tensor, int64_t position) {
  if (tensor.rank() < 2) {
    return 0;
  }
  return position / product(tensor.shape().drop_front(2)) % tensor.dim(1);
}

double activated(double x, convcore::ActAttr activation) {
  switch (activation.getKind()) {
  case convcore::ActKind::Relu:
    return x < 0 ? 0 : x; // propagates NaN
  case convcore::ActKind::Clip: {
    double low = x < activation.lowValue() ? activation.lowValue() : x;
    return low > activation.highValue() ? activation.highValue() : low;
  }
  case convcore::ActKind::LeakyRelu:
    return x < 0 ? x * activation.slopeValue() : x;
  case convcore::ActKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case convcore::ActKind::Tanh:
    return std::tanh(x);
  }
  llvm_unreachable("unknown activation");
}

void activate(Tensor &tensor, std::optional<convcore::ActAttr> activation) {
  for (int64_t i = 0; activation && i < tensor.size(); ++i) {
    tensor.setDouble(i, activated(tensor.asDouble(i), *activation));
  }
}

/// Returns the elements minus a zero point, as i32.
Tensor lessZero(const Tensor &tensor, int64_t zeroPoint) {
  Tensor result(ElementType::I32, tensor.shape());
  auto *to = result.mutableData<int32_t>();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    to[i] = static_cast<int32_t>(tensor.asInt(i) - zeroPoint);
  }
  return result;
}

LogicalResult evaluateConv(convcore::ConvOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &weight = e.input(op.getWeight());
  const Tensor *bias = op.getBias() ? &e.input(op.getBias()) : nullptr;
  Tensor &result = e.output();
  ConvWindow window{op.getStrides(), op.getPads(), op.getDilations(),
                    static_cast<int64_t>(op.getGroups())};
  if (isFloat(input.type())) {
    convolve(input, weight, bias, window, result);
    activate(result, op.getActivation());
    return success();
  }
  Tensor sums(ElementType::I32, result.shape());
  convolve(lessZero(input, static_cast<int64_t>(op.getInputZeroPoint())),
           lessZero(weight, static_cast<int64_t>(op.getWeightZeroPoint())), bias, window, sums);
  if (!op.getRequant()) {
    result = sums;
    return success();
  }
  for (int64_t i = 0; i < sums.size(); ++i) {
    result.setInt(i, requantized(sums.asInt(i), op.getRequantAttr(), channelOf(sums, i)));
  }
  return success();
}

template <typename T>
T combine(convcore::EltwiseKind kind, T a, T b) {
  switch (kind) {
  case convcore::EltwiseKind::Add:
    return a + b;
  case convcore::EltwiseKind::Sub:
    return a - b;
  case convcore::EltwiseKind::Mul:
    return a * b;
  case convcore::EltwiseKind::Max:
    return a > b || a != a ? a : b;
  case convcore::EltwiseKind::Min:
    return a < b || a != a ? a : b;
  }
  llvm_unreachable("unknown function");
}

LogicalResult evaluateEltwise(convcore::EltwiseOp op, Evaluation &e) {
  const Tensor &lhs = e.input(op.getLhs());
  const Tensor &rhs = e.input(op.getRhs());
  Tensor &result = e.output();
  bool isPerChannel = rhs.size() != 1 && rhs.size() != lhs.size();
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t at = rhs.size() == 1 ? 0 : isPerChannel ? channelOf(lhs, i) : i;
    if (isFloat(lhs.type())) {
      result.setDouble(i, combine(op.getKind(), lhs.asDouble(i), rhs.asDouble(at)));
      continue;
    }
    int64_t a = (lhs.asInt(i) - static_cast<int64_t>(op.getLhsZeroPoint())) *
                static_cast<int64_t>(op.getLhsMultiplier());
    int64_t b = (rhs.asInt(at) - static_cast<int64_t>(op.getRhsZeroPoint())) *
                static_cast<int64_t>(op.getRhsMultiplier());
    int64_t value = combine(op.getKind(), a, b) + static_cast<int64_t>(op.getBias());
    result.setInt(i, op.getRequant() ? requantized(value, op.getRequantAttr(), 0) : value);
  }
  activate(result, op.getActivation());
  return success();
}

LogicalResult evaluateScale(convcore::ScaleOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t channel = channelOf(input, i);
    double bias = op.getBias() ? e.input(op.getBias()).asDouble(channel) : 0;
    result.setDouble(i, input.asDouble(i) * e.input(op.getScale()).asDouble(channel) + bias);
  }
  activate(result, op.getActivation());
  return success();
}

LogicalResult evaluateActivation(convcore::ActivationOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  for (int64_t i = 0; i < input.size(); ++i) {
    result.setDouble(i, activated(input.asDouble(i), op.getActivation()));
  }
  return success();
}

LogicalResult evaluatePRelu(convcore::PReluOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  for (int64_t i = 0; i < input.size(); ++i) {
    double x = input.asDouble(i);
    result.setDouble(i, x < 0 ? x * e.input(op.getSlope()).asDouble(channelOf(input, i)) : x);
  }
  return success();
}

/// The accumulated values of one pooling window.
struct WindowSum {
  double sum = 0;
  int64_t integers = 0; // the sum of x - zero point
  int64_t count = 0;
  double largest = 0;
  double least = 0;

  void add(double x, int64_t centered) {
    largest = count == 0 || x > largest || x != x ? x : largest;
    least = count == 0 || x < least || x != x ? x : least;
    sum += x;
    integers += centered;
    ++count;
  }
};

WindowSum sumWindow(convcore::PoolOp op, const Tensor &input, int64_t plane, int64_t y, int64_t x) {
  int64_t height = input.dim(2);
  int64_t width = input.dim(3);
  int64_t top = y * op.getStrides()[0] - op.getPads()[0];
  int64_t left = x * op.getStrides()[1] - op.getPads()[1];
  auto zeroPoint = static_cast<int64_t>(op.getInputZeroPoint());
  WindowSum sum;
  for (int64_t row = std::max<int64_t>(top, 0); row < std::min(top + op.getKernel()[0], height);
       ++row) {
    for (int64_t column = std::max<int64_t>(left, 0);
         column < std::min(left + op.getKernel()[1], width); ++column) {
      int64_t at = (plane * height + row) * width + column;
      int64_t integer = isFloat(input.type()) ? 0 : input.asInt(at) - zeroPoint;
      sum.add(input.asDouble(at), integer);
    }
  }
  return sum;
}

/// Returns the mean that a device rounds after the columns and again after the rows.
int64_t meanByAxis(convcore::PoolOp op, int64_t sum) {
  constexpr int64_t kShift = 16;
  graph::Requantizer round{0, INT32_MIN, INT32_MAX, graph::ShiftRounding::HalfAway};
  int64_t columns = round(sum * ((int64_t(1) << kShift) / op.getKernel()[1]), kShift);
  int64_t mean = round(columns * ((int64_t(1) << kShift) / op.getKernel()[0]), kShift);
  return mean + static_cast<int64_t>(op.getInputZeroPoint());
}

LogicalResult evaluatePool(convcore::PoolOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  int64_t positions = result.dim(2) * result.dim(3);
  double whole = static_cast<double>(op.getKernel()[0] * op.getKernel()[1]);
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t y = i / result.dim(3) % result.dim(2);
    WindowSum sum = sumWindow(op, input, i / positions, y, i % result.dim(3));
    if (op.getKind() != convcore::PoolKind::Average) {
      result.setDouble(i, op.getKind() == convcore::PoolKind::Max ? sum.largest : sum.least);
    } else if (op.getByAxis()) {
      result.setInt(i, meanByAxis(op, sum.integers));
    } else if (!isFloat(input.type())) {
      result.setInt(i, op.getRequant() ? requantized(sum.integers, op.getRequantAttr(), 0)
                                       : sum.integers);
    } else {
      double count = op.getCountIncludePad() ? whole : static_cast<double>(sum.count);
      result.setDouble(i, sum.sum / count);
    }
  }
  return success();
}

LogicalResult evaluateLrn(convcore::LrnOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  auto size = static_cast<int64_t>(op.getSize());
  double alpha = op.getAlpha().convertToDouble() / static_cast<double>(size);
  int64_t plane = input.dim(2) * input.dim(3);
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t channel = channelOf(input, i);
    int64_t begin = std::max<int64_t>(channel - (size - 1) / 2, 0);
    int64_t end = std::min(channel + size / 2, input.dim(1) - 1);
    double sum = 0;
    for (int64_t c = begin; c <= end; ++c) {
      double neighbor = input.asDouble(i + (c - channel) * plane);
      sum += neighbor * neighbor;
    }
    double base = op.getBias().convertToDouble() + alpha * sum;
    result.setDouble(i, input.asDouble(i) / std::pow(base, op.getBeta().convertToDouble()));
  }
  return success();
}

LogicalResult evaluateIntegerLrn(convcore::IntegerLrnOp op, Evaluation &e) {
  Tensor &result = e.output();
  normalizeIntegers(op, e.input(op.getInput()), e.input(op.getNear()), e.input(op.getFar()),
                    [&](int64_t i, int64_t value) {
                      result.setInt(i, op.getRequant() ? requantized(value, op.getRequantAttr(), 0)
                                                       : value);
                    });
  return success();
}

LogicalResult evaluateByteLrn(convcore::ByteLrnOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &squares = e.input(op.getSquares());
  const Tensor &factors = e.input(op.getFactors());
  graph::Requantizer toByte{0, 0, 255, op.getRequant().getRounding()};
  auto size = static_cast<int64_t>(op.getSize());
  int64_t plane = input.dim(2) * input.dim(3);
  Tensor &result = e.output();
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t channel = channelOf(input, i);
    int64_t sum = 0;
    for (int64_t c = std::max<int64_t>(channel - (size - 1) / 2, 0);
         c <= std::min(channel + size / 2, input.dim(1) - 1); ++c) {
      sum += squares.asInt(std::abs(input.asInt(i + (c - channel) * plane)));
    }
    int64_t index = toByte(sum * static_cast<int64_t>(op.getSumMultiplier()),
                           static_cast<int64_t>(op.getSumShift()));
    result.setInt(i, requantized(input.asInt(i) * factors.asInt(index), op.getRequant(), 0));
  }
  return success();
}

LogicalResult evaluateSoftmax(convcore::SoftmaxOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t inner = product(input.shape().drop_front(axis + 1));
  int64_t along = input.dim(axis);
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t first = i - i / inner % along * inner;
    double largest = input.asDouble(first);
    for (int64_t k = 0; k < along; ++k) {
      largest = std::max(largest, input.asDouble(first + k * inner));
    }
    double sum = 0;
    for (int64_t k = 0; k < along; ++k) {
      sum += std::exp(input.asDouble(first + k * inner) - largest);
    }
    result.setDouble(i, std::exp(input.asDouble(i) - largest) / sum);
  }
  return success();
}

LogicalResult evaluateLookup(convcore::LookupOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &table = e.input(op.getTable());
  Tensor &result = e.output();
  int64_t lowest = lowestOf(input.type());
  ElementCopier copier(result, table);
  for (int64_t i = 0; i < input.size(); ++i) {
    copier.copy(i, input.asInt(i) - lowest);
  }
  return success();
}

LogicalResult evaluateRequantize(convcore::RequantizeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  auto zeroPoint = static_cast<int64_t>(op.getInputZeroPoint());
  for (int64_t i = 0; i < input.size(); ++i) {
    result.setInt(i, requantized(input.asInt(i) - zeroPoint, op.getRequant(), channelOf(input, i)));
  }
  return success();
}

LogicalResult evaluateConvert(convcore::ConvertOp op, Evaluation &e) {
  convertElements(e.input(op.getInput()), e.output());
  return success();
}

LogicalResult evaluateConcat(convcore::ConcatOp op, Evaluation &e) {
  Tensor &result = e.output();
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t outer = product(result.shape().take_front(axis));
  int64_t row = product(result.shape().drop_front(axis));
  int64_t offset = 0;
  for (Value value : op.getInputs()) {
    const Tensor &input = e.input(value);
    int64_t part = product(input.shape().drop_front(axis));
    ElementCopier copier(result, input);
    for (int64_t o = 0; o < outer; ++o) {
      copier.copy(o * row + offset, o * part, part);
    }
    offset += part;
  }
  return success();
}

LogicalResult evaluateSlice(convcore::SliceOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  Tensor &result = e.output();
  Shape strides = reference::stridesOf(input.shape());
  OffsetTables tables;
  for (size_t i = 0; i < strides.size(); ++i) {
    tables.emplace_back(op.getSizes()[i], op.getOffsets()[i] * strides[i], strides[i]);
  }
  copyByOffsets(result, input, tables);
  return success();
}

LogicalResult evaluateTranspose(convcore::TransposeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  OffsetTables inputTables = tablesOf(input.shape());
  OffsetTables tables;
  for (int64_t dim : op.getPermutation()) {
    tables.push_back(inputTables[dim]);
  }
  copyByOffsets(e.output(), input, tables);
  return success();
}

LogicalResult evaluateReshape(convcore::ReshapeOp op, Evaluation &e) {
  e.set(0, e.input(op.getInput()).reshaped(op.getShape()));
  return success();
}

LogicalResult evaluateRearrange(convcore::RearrangeOp op, Evaluation &e) {
  OffsetTables apartTables = tablesOf(op.getApart());
  OffsetTables tables;
  for (int64_t dim : op.getPermutation()) {
    tables.push_back(apartTables[dim]);
  }
  copyByOffsets(e.output(), e.input(op.getInput()), tables);
  return success();
}

LogicalResult evaluateCopy(convcore::CopyOp op, Evaluation &e) {
  e.set(0, e.input(op.getInput()));
  return success();
}

} // namespace

void addConvCoreEvaluators(EvaluatorTable &table) {
  table.add<convcore::ConvOp, evaluateConv>();
  table.add<convcore::EltwiseOp, evaluateEltwise>();
  table.add<convcore::ScaleOp, evaluateScale>();
  table.add<convcore::ActivationOp, evaluateActivation>();
  table.add<convcore::PReluOp, evaluatePRelu>();
  table.add<convcore::PoolOp, evaluatePool>();
  table.add<convcore::ByteLrnOp, evaluateByteLrn>();
  table.add<convcore::LrnOp, evaluateLrn>();
  table.add<convcore::IntegerLrnOp, evaluateIntegerLrn>();
  table.add<convcore::SoftmaxOp, evaluateSoftmax>();
  table.add<convcore::LookupOp, evaluateLookup>();
  table.add<convcore::RequantizeOp, evaluateRequantize>();
  table.add<convcore::ConvertOp, evaluateConvert>();
  table.add<convcore::ConcatOp, evaluateConcat>();
  table.add<convcore::SliceOp, evaluateSlice>();
  table.add<convcore::TransposeOp, evaluateTranspose>();
  table.add<convcore::ReshapeOp, evaluateReshape>();
  table.add<convcore::RearrangeOp, evaluateRearrange>();
  table.add<convcore::CopyOp, evaluateCopy>();
}

} // namespace convoy::reference
