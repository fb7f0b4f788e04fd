// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type rules of the recurrent layers of NN.td. RNN, GRU and LSTM share one
// rule. They differ in the number of gates and in optional operands.

#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::graph {
namespace {

/// The sizes that the operands of a layer share; kDynamic if unknown.
struct LayerSizes {
  int64_t time;
  int64_t batch;
  int64_t input;
  int64_t directions;
  int64_t gatesHidden; // gates * hidden
  int64_t hidden;
};

/// Returns whether a gate supports the activation, which has its name in
/// Elementwise.td.
bool isGateFunction(StringRef name) {
  static constexpr StringLiteral kNames[] = {
      "relu",       "tanh",        "sigmoid",      "softsign", "softplus",        "affine",
      "leaky_relu", "scaled_tanh", "hard_sigmoid", "elu",      "thresholded_relu"};
  return llvm::is_contained(kNames, name);
}

/// Checks the shape of one operand against the sizes of the layer
/// ([recurrent.3]).
LogicalResult checkShape(TypeInference &inference, Value value, StringRef name,
                         ArrayRef<int64_t> expected) {
  if (!inference.hasRank(value)) {
    return success();
  }
  Shape actual = inference.shape(value);
  auto fits = [](auto pair) {
    auto [a, b] = pair;
    return a == b || a == kDynamic || b == kDynamic;
  };
  if (actual.size() == expected.size() && llvm::all_of(llvm::zip(actual, expected), fits)) {
    return success();
  }
  InFlightDiagnostic diag = inference.error() << "expects " << name << " of shape ";
  llvm::interleave(
      expected, [&](int64_t dim) { dim == kDynamic ? diag << "?" : diag << dim; },
      [&] { diag << "x"; });
  return diag << ", got " << inference.type(value);
}

/// Checks that an operand has the element type of the input ([recurrent.1]).
LogicalResult checkElement(TypeInference &inference, Value value, StringRef name, Type element) {
  if (inference.elementType(value) == element) {
    return success();
  }
  return inference.error() << "expects " << name << " of element type " << element << ", got "
                           << inference.elementType(value);
}

/// Checks the attributes that the layers share ([recurrent.2], [recurrent.4],
/// [recurrent.5]).
template <typename OpT>
LogicalResult checkAttributes(OpT op, TypeInference &inference, int64_t directions,
                              size_t functions) {
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, op.getDirection())) {
    return inference.error() << "expects direction 'forward', 'reverse' or 'bidirectional', got '"
                             << op.getDirection() << "'";
  }
  size_t count = functions * directions;
  if (op.getActivations().size() != count || op.getActivationAlpha().size() != count ||
      op.getActivationBeta().size() != count) {
    return inference.error()
           << "expects " << count
           << " values each in activations, activationAlpha and activationBeta, got "
           << op.getActivations().size() << ", " << op.getActivationAlpha().size() << " and "
           << op.getActivationBeta().size();
  }
  for (StringAttr name : op.getActivations().template getAsRange<StringAttr>()) {
    if (!isGateFunction(name)) {
      return inference.error() << "has activation '" << name.getValue()
                               << "', which gates do not support";
    }
  }
  if (op.getHiddenSize() == 0 || !(op.getClip().convertToDouble() >= 0)) {
    return inference.error() << "expects a positive hiddenSize and a non-negative clip, got "
                             << op.getHiddenSize() << " and " << op.getClip().convertToDouble();
  }
  return success();
}

/// Checks the operands that the layers share ([recurrent.1], [recurrent.3]).
template <typename OpT>
LogicalResult checkOperands(OpT op, TypeInference &inference, const LayerSizes &s) {
  struct Expected {
    Value value;
    StringRef name;
    Shape shape;
  };
  Type element = inference.elementType(op.getInput());
  if (!isa<FloatType>(element)) {
    return inference.error() << "expects an input of a floating-point type, got " << element;
  }
  const Expected all[] = {
      {op.getInput(), "input", {s.time, s.batch, s.input}},
      {op.getWeight(), "weight", {s.directions, s.gatesHidden, s.input}},
      {op.getRecurrence(), "recurrence", {s.directions, s.gatesHidden, s.hidden}},
      {op.getBias(), "bias", {s.directions, 2 * s.gatesHidden}},
      {op.getInitialH(), "initialH", {s.directions, s.batch, s.hidden}}};
  for (const Expected &expected : all) {
    if (expected.value &&
        (failed(checkElement(inference, expected.value, expected.name, element)) ||
         failed(checkShape(inference, expected.value, expected.name, expected.shape)))) {
      return failure();
    }
  }
  Value lens = op.getSequenceLens();
  if (lens && !inference.elementType(lens).isIntOrIndex()) {
    return inference.error() << "expects sequenceLens of an integer type, got "
                             << inference.elementType(lens);
  }
  return lens ? checkShape(inference, lens, "sequenceLens", {s.batch}) : success();
}

template <typename OpT>
FailureOr<LayerSizes> inferLayer(OpT op, TypeInference &inference, int64_t gates,
                                 size_t functions) {
  int64_t directions = op.getDirection() == "bidirectional" ? 2 : 1;
  // This limit exceeds the size of real layers and keeps the products below
  // within int64.
  constexpr uint64_t kMaxHidden = uint64_t(1) << 40;
  if (failed(checkAttributes(op, inference, directions, functions))) {
    return failure();
  }
  if (op.getHiddenSize() > kMaxHidden) {
    return FailureOr<LayerSizes>(inference.error() << "has hiddenSize " << op.getHiddenSize()
                                                   << ", expected at most 2^40");
  }
  auto hidden = static_cast<int64_t>(op.getHiddenSize());
  LayerSizes sizes = {kDynamic, kDynamic, kDynamic, directions, gates * hidden, hidden};
  if (inference.hasRank(op.getInput()) && inference.shape(op.getInput()).size() == 3) {
    Shape input = inference.shape(op.getInput());
    sizes.time = input[0];
    sizes.batch = input[1];
    sizes.input = input[2];
  }
  if (failed(checkOperands(op, inference, sizes))) {
    return failure();
  }
  Type element = inference.elementType(op.getInput());
  inference.set(0, element, {sizes.time, directions, sizes.batch, hidden});
  inference.set(1, element, {directions, sizes.batch, hidden});
  return sizes;
}

} // namespace

LogicalResult RNNOp::inferTypes(TypeInference &inference) {
  return inferLayer(*this, inference, /*gates=*/1, /*functions=*/1);
}

LogicalResult GRUOp::inferTypes(TypeInference &inference) {
  return inferLayer(*this, inference, /*gates=*/3, /*functions=*/2);
}

LogicalResult LSTMOp::inferTypes(TypeInference &inference) {
  FailureOr<LayerSizes> s = inferLayer(*this, inference, /*gates=*/4, /*functions=*/3);
  if (failed(s)) {
    return failure();
  }
  Type element = inference.elementType(getInput());
  if (getInitialC() && (failed(checkElement(inference, getInitialC(), "initialC", element)) ||
                        failed(checkShape(inference, getInitialC(), "initialC",
                                          {s->directions, s->batch, s->hidden})))) {
    return failure();
  }
  if (getPeepholes() && (failed(checkElement(inference, getPeepholes(), "peepholes", element)) ||
                         failed(checkShape(inference, getPeepholes(), "peepholes",
                                           {s->directions, 3 * s->hidden})))) {
    return failure();
  }
  inference.set(2, element, {s->directions, s->batch, s->hidden});
  return success();
}

} // namespace convoy::graph
