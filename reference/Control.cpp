// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates control flow: runs the regions and collects their values.

#include "reference/Evaluation.h"
#include <cstring>

using namespace mlir;

namespace convoy::reference {
namespace {

/// Returns the element of a condition. The type rule has checked the type if it
/// was known.
FailureOr<bool> conditionOf(const Datum &datum, Evaluation &e) {
  const Tensor &tensor = datum.tensor;
  if (!datum.isTensor() || tensor.type() != ElementType::Bool || tensor.size() != 1) {
    return FailureOr<bool>(e.error()
                           << "expects a condition of one element, got " << tensor.size());
  }
  return tensor.asInt(0) != 0;
}

LogicalResult evaluateIf(graph::IfOp op, Evaluation &e) {
  FailureOr<bool> isTaken = conditionOf(e.datum(op.getCondition()), e);
  if (failed(isTaken)) {
    return failure();
  }
  FailureOr<std::vector<Datum>> values =
      e.runRegion(*isTaken ? op.getThenBranch() : op.getElseBranch(), {});
  if (failed(values)) {
    return failure();
  }
  for (auto [i, value] : llvm::enumerate(*values)) {
    e.set(i, std::move(value));
  }
  return success();
}

/// Copies `slice` to position `index` of a new dimension `axis` of `whole`.
void storeSlice(Tensor &whole, int64_t axis, int64_t index, const Tensor &slice) {
  int64_t inner = 1;
  for (int64_t i = axis; i < slice.rank(); ++i) {
    inner *= slice.dim(i);
  }
  int64_t outer = inner ? slice.size() / inner : 0;
  int64_t length = whole.dim(axis);
  for (int64_t o = 0; o < outer; ++o) {
    int64_t from = o * inner;
    int64_t to = (o * length + index) * inner;
    if (whole.type() == ElementType::String) {
      std::copy_n(slice.strings().begin() + from, inner, whole.mutableStrings().begin() + to);
    } else {
      int64_t step = storageBytes(whole.type());
      std::memcpy(whole.mutableData<char>() + to * step, slice.data<char>() + from * step,
                  inner * step);
    }
  }
}

/// Copies position `index` of dimension `axis` out of `whole`.
Tensor loadSlice(const Tensor &whole, int64_t axis, int64_t index) {
  Shape shape(whole.shape().begin(), whole.shape().end());
  int64_t length = shape[axis];
  shape.erase(shape.begin() + axis);
  Tensor slice(whole.type(), shape);
  int64_t inner = 1;
  for (size_t i = axis; i < shape.size(); ++i) {
    inner *= shape[i];
  }
  int64_t outer = inner ? slice.size() / inner : 0;
  for (int64_t o = 0; o < outer; ++o) {
    int64_t from = (o * length + index) * inner;
    int64_t to = o * inner;
    if (whole.type() == ElementType::String) {
      std::copy_n(whole.strings().begin() + from, inner, slice.mutableStrings().begin() + to);
    } else {
      int64_t step = storageBytes(whole.type());
      std::memcpy(slice.mutableData<char>() + to * step, whole.data<char>() + from * step,
                  inner * step);
    }
  }
  return slice;
}

/// Returns the slice shape for a loop without iterations: the body's type, with
/// 0 for dynamic dimensions.
Shape shapeWithoutSlices(Type slice) {
  auto ranked = dyn_cast<RankedTensorType>(slice);
  Shape shape = ranked ? Shape(ranked.getShape().begin(), ranked.getShape().end()) : Shape();
  for (int64_t &dim : shape) {
    dim = dim == graph::kDynamic ? 0 : dim;
  }
  return shape;
}

/// Stacks slices of one shape as result `i`.
LogicalResult stack(unsigned i, ArrayRef<Datum> slices, Type sliceType, int64_t axis,
                    bool isReversed, Evaluation &e) {
  Shape shape = shapeWithoutSlices(sliceType);
  if (!slices.empty()) {
    ArrayRef<int64_t> first = slices.front().tensor.shape();
    shape.assign(first.begin(), first.end());
  }
  for (const Datum &slice : slices) {
    if (!slice.isTensor() || slice.tensor.shape() != ArrayRef<int64_t>(shape)) {
      return e.error() << "expects slices of one shape to stack, but the body yields different "
                          "shapes for output "
                       << i;
    }
  }
  if (axis > static_cast<int64_t>(shape.size())) {
    return e.error() << "cannot stack slices of rank " << shape.size() << " along axis " << axis;
  }
  int64_t length = slices.size();
  shape.insert(shape.begin() + axis, length);
  Tensor &whole = e.allocate(i, shape);
  if (whole.shape() != ArrayRef<int64_t>(shape)) {
    return failure(); // Too large: allocate emitted an error.
  }
  for (auto [index, slice] : llvm::enumerate(slices)) {
    int64_t at = isReversed ? length - 1 - static_cast<int64_t>(index) : index;
    storeSlice(whole, axis, at, slice.tensor);
  }
  return success();
}

/// The state of a running loop.
struct LoopState {
  std::vector<Datum> carried;
  std::vector<std::vector<Datum>> scanned;
};

/// Runs the body once and returns whether the loop continues.
FailureOr<bool> runIteration(graph::LoopOp op, int64_t i, LoopState &state, Evaluation &e) {
  if (failed(e.countIteration())) {
    return failure();
  }
  std::vector<Datum> arguments = {Tensor::scalar(ElementType::I64, i),
                                  Tensor::scalar(ElementType::Bool, 1)};
  llvm::append_range(arguments, state.carried);
  FailureOr<std::vector<Datum>> yielded = e.runRegion(op.getBody(), arguments);
  if (failed(yielded)) {
    return failure();
  }
  FailureOr<bool> goesOn = conditionOf(yielded->front(), e);
  for (size_t k = 0; k < state.carried.size(); ++k) {
    state.carried[k] = std::move((*yielded)[1 + k]);
  }
  for (size_t k = 0; k < state.scanned.size(); ++k) {
    state.scanned[k].push_back(std::move((*yielded)[1 + state.carried.size() + k]));
  }
  return goesOn;
}

LogicalResult evaluateLoop(graph::LoopOp op, Evaluation &e) {
  int64_t trips = std::numeric_limits<int64_t>::max();
  if (op.getTripCount()) {
    const Tensor &count = e.input(op.getTripCount());
    if (count.size() != 1) {
      return e.error() << "expects a trip count of one element, got " << count.size();
    }
    trips = count.asInt(0);
  }
  bool goesOn = true;
  if (op.getCondition()) {
    FailureOr<bool> first = conditionOf(e.datum(op.getCondition()), e);
    if (failed(first)) {
      return failure();
    }
    goesOn = *first;
  }
  LoopState state;
  for (Value value : op.getCarried()) {
    state.carried.push_back(e.datum(value));
  }
  state.scanned.resize(op.getNumResults() - state.carried.size());
  for (int64_t i = 0; goesOn && i < trips; ++i) {
    FailureOr<bool> next = runIteration(op, i, state, e);
    if (failed(next)) {
      return failure();
    }
    goesOn = *next;
  }
  ValueRange yielded = op.getBody().front().getTerminator()->getOperands();
  size_t carried = state.carried.size();
  for (size_t k = 0; k < state.scanned.size(); ++k) {
    if (failed(stack(carried + k, state.scanned[k], yielded[1 + carried + k].getType(),
                     /*axis=*/0, /*isReversed=*/false, e))) {
      return failure();
    }
  }
  for (size_t k = 0; k < carried; ++k) {
    e.set(k, std::move(state.carried[k]));
  }
  return success();
}

/// Returns the number of steps of a scan, which all its inputs share.
FailureOr<int64_t> scanSteps(graph::ScanOp op, Evaluation &e) {
  int64_t steps = -1;
  for (auto [value, axis] : llvm::zip(op.getScanned(), op.getInputAxes())) {
    const Tensor &tensor = e.input(value);
    bool fits = axis < tensor.rank() && (steps < 0 || tensor.dim(axis) == steps);
    if (!fits) {
      return FailureOr<int64_t>(e.error() << "expects scanned inputs of equal length");
    }
    steps = tensor.dim(axis);
  }
  return steps;
}

LogicalResult evaluateScan(graph::ScanOp op, Evaluation &e) {
  FailureOr<int64_t> steps = scanSteps(op, e);
  if (failed(steps)) {
    return failure();
  }
  std::vector<Datum> states;
  for (Value value : op.getStates()) {
    states.push_back(e.datum(value));
  }
  size_t stacked = op.getNumResults() - states.size();
  std::vector<std::vector<Datum>> slices(stacked);
  for (int64_t step = 0; step < *steps; ++step) {
    std::vector<Datum> arguments = states;
    for (auto [k, value] : llvm::enumerate(op.getScanned())) {
      int64_t at = op.getInputReverse()[k] ? *steps - 1 - step : step;
      arguments.push_back(loadSlice(e.input(value), op.getInputAxes()[k], at));
    }
    FailureOr<std::vector<Datum>> yielded = e.runRegion(op.getBody(), arguments);
    if (failed(yielded) || failed(e.countIteration())) {
      return failure();
    }
    std::move(yielded->begin(), yielded->begin() + states.size(), states.begin());
    for (size_t k = 0; k < stacked; ++k) {
      slices[k].push_back(std::move((*yielded)[states.size() + k]));
    }
  }
  ValueRange yielded = op.getBody().front().getTerminator()->getOperands();
  for (size_t k = 0; k < stacked; ++k) {
    if (failed(stack(states.size() + k, slices[k], yielded[states.size() + k].getType(),
                     op.getOutputAxes()[k], op.getOutputReverse()[k], e))) {
      return failure();
    }
  }
  for (auto [k, state] : llvm::enumerate(states)) {
    e.set(k, std::move(state));
  }
  return success();
}

LogicalResult evaluateFail(graph::FailOp op, Evaluation &e) {
  return e.error() << "ends the inference: " << op.getMessage();
}

LogicalResult evaluateKernel(graph::KernelOp op, Evaluation &e) {
  std::vector<Datum> arguments;
  for (Value value : op.getInputs()) {
    arguments.push_back(e.datum(value));
  }
  FailureOr<std::vector<Datum>> values = e.runRegion(op.getBody(), arguments);
  if (failed(values)) {
    return failure();
  }
  for (auto [i, value] : llvm::enumerate(*values)) {
    e.set(i, std::move(value));
  }
  return success();
}

} // namespace

void addControlEvaluators(EvaluatorTable &table) {
  table.add<graph::IfOp, evaluateIf>();
  table.add<graph::LoopOp, evaluateLoop>();
  table.add<graph::ScanOp, evaluateScan>();
  table.add<graph::FailOp, evaluateFail>();
  table.add<graph::KernelOp, evaluateKernel>();
}

} // namespace convoy::reference
