// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates ops, control flow included, with and without perturbation.

#include "tests/differential/Trial.h"
#include "Graph/Graph.h"
#include "reference/Reference.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using convoy::reference::Datum;

namespace convoy::test {
namespace {

// Larger numbers overflow f16 after a few ops.
constexpr double kLargest = 2e3;
// Above this value the graph amplifies rounding errors, and a difference proves nothing.
constexpr double kMaxRelativeDeviation = 0.02;

bool equalBytes(const Tensor &a, const Tensor &b) {
  return a.raw() == b.raw() || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

/// Returns whether the result of `op` is exact if its operands are exact: the op selects, compares
/// or rounds in a defined way.
bool isSharp(Operation *op) {
  using graph::BinaryKind;
  using graph::UnaryKind;
  if (auto unary = dyn_cast<graph::UnaryOp>(op)) {
    UnaryKind kind = unary.getKind();
    return kind == UnaryKind::Abs || kind == UnaryKind::Neg || kind == UnaryKind::Relu ||
           (kind >= UnaryKind::Floor && kind <= UnaryKind::Sign) || kind >= UnaryKind::Not;
  }
  if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
    BinaryKind kind = binary.getKind();
    return kind == BinaryKind::Min || kind == BinaryKind::Max || kind >= BinaryKind::And;
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return reduce.getKind() == graph::ReduceKind::Max || reduce.getKind() == graph::ReduceKind::Min;
  }
  if (auto resize = dyn_cast<graph::ResizeOp>(op)) {
    return resize.getMode() == graph::ResizeMode::Nearest;
  }
  if (graph::classify(op) == graph::OpClass::Movement) {
    return !isa<graph::RangeOp>(op);
  }
  return isa<graph::SelectOp, graph::CastOp, graph::BitcastOp, graph::MaxPoolOp, graph::ArgReduceOp,
             graph::ConcatOp, graph::SplitOp, graph::TopKOp, graph::QuantizeLinearOp,
             graph::DynamicScaleOp, graph::ByteMatMulOp, graph::ConstantOp>(op);
}

/// Returns whether `op` narrows. Narrowing rounds again, so a small difference may become one unit.
bool isNarrowing(Operation *op) {
  auto cast = dyn_cast<graph::CastOp>(op);
  if (!cast) {
    return false;
  }
  ElementType from = fromMlir(llvm::cast<TensorType>(cast.getInput().getType()).getElementType());
  ElementType to = fromMlir(cast.getTo());
  return isFloat(to) && epsilonOf(to) > (isFloat(from) ? epsilonOf(from) : 0);
}

/// Returns whether a float of 16 bits is infinite or NaN. Targets compute such types in f32, where
/// the number may be finite.
bool leavesNarrowRange(const Tensor &tensor) {
  if (tensor.type() != ElementType::F16 && tensor.type() != ElementType::BF16) {
    return false;
  }
  return llvm::any_of(llvm::seq<int64_t>(0, tensor.size()),
                      [&](int64_t i) { return !std::isfinite(tensor.asDouble(i)); });
}

Tensor sliceOf(const Tensor &tensor, int64_t axis, int64_t index) {
  Shape shape(tensor.shape());
  shape.erase(shape.begin() + axis);
  Tensor result(tensor.type(), shape);
  int64_t inner = storageBytes(tensor.type());
  for (int64_t i = axis + 1; i < tensor.rank(); ++i) {
    inner *= tensor.dim(i);
  }
  int64_t outer = inner ? result.bytes() / inner : 0;
  for (int64_t i = 0; i < outer; ++i) {
    std::memcpy(result.mutableData<char>() + i * inner,
                tensor.data<char>() + (i * tensor.dim(axis) + index) * inner, inner);
  }
  return result;
}

/// Stacks the slices along a new dimension `axis`.
Tensor stack(ArrayRef<Tensor> slices, RankedTensorType type, int64_t axis) {
  Tensor result(fromMlir(type.getElementType()), type.getShape());
  int64_t inner = storageBytes(result.type());
  for (int64_t i = axis + 1; i < result.rank(); ++i) {
    inner *= result.dim(i);
  }
  int64_t count = static_cast<int64_t>(slices.size());
  for (auto [index, slice] : llvm::enumerate(slices)) {
    for (int64_t i = 0; inner && i < slice.bytes() / inner; ++i) {
      std::memcpy(result.mutableData<char>() + (i * count + index) * inner,
                  slice.data<char>() + i * inner, inner);
    }
  }
  return result;
}

template <typename Fn>
Sample mapped(const Sample &sample, Fn fn) {
  Sample result;
  result.plain = fn(sample.plain);
  llvm::transform(sample.shaken, result.shaken.begin(), fn);
  result.isRounded = sample.isRounded;
  return result;
}

Sample stacked(ArrayRef<Sample> slices, Type type, int64_t axis) {
  auto part = [&](int version) {
    SmallVector<Tensor> tensors;
    for (const Sample &slice : slices) {
      tensors.push_back(version < 0 ? slice.plain : slice.shaken[version]);
    }
    return stack(tensors, cast<RankedTensorType>(type), axis);
  };
  Sample result;
  result.plain = part(-1);
  for (size_t i = 0; i < result.shaken.size(); ++i) {
    result.shaken[i] = part(static_cast<int>(i));
  }
  result.isRounded = llvm::any_of(slices, [](const Sample &s) { return s.isRounded; });
  return result;
}

} // namespace

double epsilonOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 0x1p-53;
  case ElementType::F16:
    return 0x1p-11;
  case ElementType::BF16:
    return 0x1p-8;
  default:
    return 0x1p-24;
  }
}

double Sample::deviation() const {
  double largest = 0;
  for (const Tensor &other : shaken) {
    for (int64_t i = 0; i < plain.size(); ++i) {
      double a = plain.asDouble(i);
      double b = other.asDouble(i);
      if (std::isfinite(a) && std::isfinite(b)) {
        largest = std::max(largest, std::fabs(a - b));
      }
    }
  }
  return largest;
}

std::string whyUnusable(const Sample &sample, bool allowsSpecials) {
  if (!isFloat(sample.plain.type())) {
    bool isStable =
        llvm::all_of(sample.shaken, [&](const Tensor &t) { return equalBytes(t, sample.plain); });
    return isStable ? "" : "integers depend on rounding";
  }
  double largest = 0;
  for (int64_t i = 0; i < sample.plain.size(); ++i) {
    double value = sample.plain.asDouble(i);
    for (const Tensor &other : sample.shaken) {
      double b = other.asDouble(i);
      if (std::isnan(value) != std::isnan(b) ||
          (std::isinf(value) || std::isinf(b)) != (std::isinf(value) && value == b)) {
        return "NaN or infinity depends on rounding";
      }
    }
    if (!std::isfinite(value)) {
      if (!allowsSpecials) {
        return "NaN or infinity";
      }
      continue;
    }
    largest = std::max(largest, std::fabs(value));
  }
  if (largest > kLargest && !allowsSpecials) {
    return "large numbers";
  }
  double bound = std::max(kMaxRelativeDeviation, 16 * epsilonOf(sample.plain.type()));
  return sample.deviation() > bound * std::max(largest, 1e-30)
             ? "the graph amplifies rounding errors"
             : "";
}

void Trial::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults()) {
      samples.erase(result);
    }
    for (Region &region : inner->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        samples.erase(argument);
      }
    }
  });
}

Tensor Trial::shake(const Tensor &tensor) {
  if (!isFloat(tensor.type())) {
    return tensor;
  }
  Tensor result = tensor;
  double epsilon = 2 * epsilonOf(tensor.type());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double value = tensor.asDouble(i);
    if (value != 0 && std::isfinite(value)) {
      result.setDouble(i, value * (1 + epsilon * (2 * random.unit() - 1)));
    }
  }
  return result;
}

bool Trial::store(Value value, Sample sample) {
  problem = whyUnusable(sample, allowsSpecials);
  samples[value] = std::move(sample);
  return problem.empty();
}

bool Trial::evaluate(Operation *op) {
  if (isa<graph::IfOp>(op)) {
    return evaluateIf(op);
  }
  if (isa<graph::LoopOp>(op)) {
    return evaluateLoop(op);
  }
  return isa<graph::ScanOp>(op) ? evaluateScan(op) : evaluateOne(op);
}

bool Trial::evaluateOne(Operation *op) {
  std::vector<Sample> results(op->getNumResults());
  bool sharp = isSharp(op);
  bool isRounded =
      !sharp || llvm::any_of(op->getOperands(), [&](Value x) { return of(x).isRounded; });
  for (int version = 0; version < 6; ++version) {
    bool isShaken = version > 0 && isRounded;
    std::vector<Datum> operands;
    for (Value operand : op->getOperands()) {
      const Sample &sample = of(operand);
      const Tensor &tensor = version == 0 ? sample.plain : sample.shaken[version - 1];
      operands.push_back(isShaken && !sharp ? shake(tensor) : tensor);
    }
    FailureOr<std::vector<Datum>> data = reference::evaluate(op, operands);
    if (failed(data)) {
      problem = "the reference cannot run the op";
      hasFailed = true;
      return false;
    }
    for (auto [result, datum] : llvm::zip(results, *data)) {
      bool isShakenAgain = isShaken && (!sharp || isNarrowing(op));
      (version == 0 ? result.plain : result.shaken[version - 1]) =
          isShakenAgain ? shake(datum.tensor) : datum.tensor;
      // store() rejects integers and booleans that depend on rounding.
      result.isRounded = isRounded && isFloat(datum.tensor.type());
    }
  }
  for (auto [value, sample] : llvm::zip(op->getResults(), results)) {
    bool leavesRange = !sharp && leavesNarrowRange(sample.plain);
    if (!store(value, std::move(sample))) {
      return false;
    }
    if (leavesRange) {
      problem = "the result leaves the range of f16 or bf16";
      return false;
    }
  }
  return true;
}

bool Trial::evaluate(Block &block) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) { return evaluate(&op); });
}

bool Trial::evaluateIf(Operation *op) {
  auto branch = cast<graph::IfOp>(op);
  Region &region =
      of(branch.getCondition()).plain.asInt(0) ? branch.getThenBranch() : branch.getElseBranch();
  if (!evaluate(region.front())) {
    return false;
  }
  for (auto [result, value] :
       llvm::zip(op->getResults(), region.front().getTerminator()->getOperands())) {
    Sample sample = of(value);
    samples[result] = sample;
  }
  return true;
}

bool Trial::evaluateLoop(Operation *op) {
  auto loop = cast<graph::LoopOp>(op);
  Block &body = loop.getBody().front();
  unsigned carriedCount = loop.getCarried().size();
  unsigned scannedCount = op->getNumResults() - carriedCount;
  std::vector<Sample> carried;
  for (Value value : loop.getCarried()) {
    carried.push_back(of(value));
  }
  std::vector<std::vector<Sample>> scanned(scannedCount);
  bool goesOn = !loop.getCondition() || of(loop.getCondition()).plain.asInt(0);
  int64_t trips = of(loop.getTripCount()).plain.asInt(0);
  for (int64_t i = 0; i < trips && goesOn; ++i) {
    define(body.getArgument(0), Tensor::scalar(ElementType::I64, i));
    define(body.getArgument(1), Tensor::scalar(ElementType::Bool, 1));
    for (auto [argument, sample] : llvm::zip(body.getArguments().drop_front(2), carried)) {
      define(argument, sample);
    }
    if (!evaluate(body)) {
      return false;
    }
    OperandRange yielded = body.getTerminator()->getOperands();
    goesOn = of(yielded[0]).plain.asInt(0);
    for (unsigned c = 0; c < carriedCount; ++c) {
      carried[c] = of(yielded[1 + c]);
    }
    for (unsigned s = 0; s < scannedCount; ++s) {
      scanned[s].push_back(of(yielded[1 + carriedCount + s]));
    }
  }
  for (unsigned c = 0; c < carriedCount; ++c) {
    samples[op->getResult(c)] = carried[c];
  }
  for (unsigned s = 0; s < scannedCount; ++s) {
    Value result = op->getResult(carriedCount + s);
    samples[result] = stacked(scanned[s], result.getType(), 0);
  }
  return true;
}

bool Trial::evaluateScan(Operation *op) {
  auto scan = cast<graph::ScanOp>(op);
  Block &body = scan.getBody().front();
  unsigned stateCount = scan.getStates().size();
  unsigned scannedCount = scan.getScanned().size();
  std::vector<Sample> states;
  for (Value value : scan.getStates()) {
    states.push_back(of(value));
  }
  std::vector<std::vector<Sample>> outputs(op->getNumResults() - stateCount);
  int64_t steps = of(scan.getScanned()[0]).plain.dim(scan.getInputAxes()[0]);
  for (int64_t step = 0; step < steps; ++step) {
    for (unsigned i = 0; i < stateCount; ++i) {
      define(body.getArgument(i), states[i]);
    }
    for (unsigned i = 0; i < scannedCount; ++i) {
      int64_t at = scan.getInputReverse()[i] ? steps - 1 - step : step;
      define(body.getArgument(stateCount + i),
             mapped(of(scan.getScanned()[i]),
                    [&](const Tensor &t) { return sliceOf(t, scan.getInputAxes()[i], at); }));
    }
    if (!evaluate(body)) {
      return false;
    }
    OperandRange yielded = body.getTerminator()->getOperands();
    for (unsigned i = 0; i < stateCount; ++i) {
      states[i] = of(yielded[i]);
    }
    for (auto [i, slices] : llvm::enumerate(outputs)) {
      slices.push_back(of(yielded[stateCount + i]));
    }
  }
  for (unsigned i = 0; i < stateCount; ++i) {
    samples[op->getResult(i)] = states[i];
  }
  for (auto [i, slices] : llvm::enumerate(outputs)) {
    if (scan.getOutputReverse()[i]) {
      std::reverse(slices.begin(), slices.end());
    }
    Value result = op->getResult(stateCount + i);
    samples[result] = stacked(slices, result.getType(), scan.getOutputAxes()[i]);
  }
  return true;
}

} // namespace convoy::test
