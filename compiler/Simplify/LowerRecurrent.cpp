// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers recurrent layers to graph.scan over time. One matrix product before the
// scan computes everything that depends on the input alone; the body computes
// everything that depends on the state:
//
//     p = x Wt + b                  T*N x I  times  I x G*H, once
//     scan t: (h, c), p[t]  ->  gates = p[t] + h Rt,  h', c'  ->  y[t] = h'
//
// A batch entry shorter than T is masked: beyond its length, y is zero and the
// state does not change. In the reverse direction the scan starts at T - 1, so an
// entry keeps its initial state until the end of its own sequence, and no tensor is
// reversed.
//
// The products of the body stay separate ops on whole rows of the state: in this form the fusion
// stage puts the scan into one kernel of the template `recurrent`, if the matrices are constant.

#include "Simplify/LowerRecurrent.h"

using namespace mlir;

namespace convoy::simplify {

using namespace graph;
namespace {

/// The sizes of a layer and the type in which it is computed. 16-bit floats are
/// computed in f32 and the state is rounded after each step, as in the reference
/// interpreter.
struct Sizes {
  int64_t time, batch, input, directions, gates, hidden;
  ElementType type, wide;
};

/// The activation of a gate.
struct Activation {
  StringRef name;
  double alpha, beta, clip;
};

/// The operands of one direction in the wide type; optional operands may be null.
struct Direction {
  Value weight;                     // I x G*H
  SmallVector<Value, 2> recurrence; // H x G*H, one part per product of the step
  Value inputBias;                  // G*H
  SmallVector<Value, 2> stateBias;  // as recurrence; null if inputBias includes it
  Value initialH, initialC;         // N x H, in the layer's type
  SmallVector<Value, 3> peepholes;  // i o f, each H
  SmallVector<Activation> activations;
  bool isReverse = false;
};

/// The inputs of the body of one step; the state is in the wide type.
struct Step {
  Value projected; // N x G*H, the product of the input plus its bias
  Value h, c;      // N x H
};

using StepFunction = llvm::function_ref<void(TypedBuilder &, const Direction &, Step &)>;

Value activate(TypedBuilder &b, const Activation &f, Value x) {
  if (f.clip > 0) {
    x = b.binary(BinaryKind::Max, x, b.scalarLike(x, -f.clip));
    x = b.binary(BinaryKind::Min, x, b.scalarLike(x, f.clip));
  }
  if (std::optional<UnaryKind> kind = symbolizeUnaryKind(f.name)) {
    return b.unary(*kind, x);
  }
  // [recurrent.4] allows only the two kinds.
  return b.emit<ActivationOp>(*symbolizeActivationKind(f.name), x, llvm::APFloat(f.alpha),
                              llvm::APFloat(f.beta));
}

/// Returns the columns of the gates [first, last) of a tensor of shape ... x G*H.
Value columnsOf(TypedBuilder &b, Value all, int64_t first, int64_t last, int64_t hidden) {
  int64_t axis = cast<RankedTensorType>(all.getType()).getRank() - 1;
  return b.slice(all, axis, first * hidden, last * hidden);
}

/// Returns row `d` of an operand with one entry per direction, or null.
Value entryOf(TypedBuilder &b, Value operand, int64_t d) {
  if (!operand) {
    return Value();
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
  Value entry = shape[0] == 1 ? operand : b.slice(operand, 0, d, d + 1);
  return b.reshape(entry, shape.drop_front());
}

Value castOrNull(TypedBuilder &b, Value x, ElementType to) { return x ? b.cast(x, to) : Value(); }

/// Reads R and the biases. The candidate of a GRU has its own product. If the reset
/// gate scales this product, its bias cannot be added to the input's bias.
template <typename OpT>
void readRecurrence(TypedBuilder &b, OpT op, const Sizes &s, int64_t d, Direction &result) {
  SmallVector<int64_t, 3> cuts = {0, s.gates}; // gate indices
  bool isLinear = false;
  if constexpr (std::is_same_v<OpT, GRUOp>) {
    cuts = {0, 2, 3};
    isLinear = op.getLinearBeforeReset();
  }
  Value all = b.transpose(b.cast(entryOf(b, op.getRecurrence(), d), s.wide), {1, 0});
  Value bias = castOrNull(b, entryOf(b, op.getBias(), d), s.wide);
  Value stateBias = bias ? columnsOf(b, bias, s.gates, 2 * s.gates, s.hidden) : Value();
  if (bias) {
    result.inputBias = columnsOf(b, bias, 0, s.gates, s.hidden);
    result.inputBias = isLinear ? result.inputBias : b.add(result.inputBias, stateBias);
  }
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    bool isWhole = cuts.size() == 2;
    result.recurrence.push_back(isWhole ? all : columnsOf(b, all, cuts[i], cuts[i + 1], s.hidden));
    result.stateBias.push_back(
        isLinear && bias ? columnsOf(b, stateBias, cuts[i], cuts[i + 1], s.hidden) : Value());
  }
}

template <typename OpT>
Direction readDirection(TypedBuilder &b, OpT op, const Sizes &s, int64_t d) {
  Direction result;
  result.weight = b.transpose(b.cast(entryOf(b, op.getWeight(), d), s.wide), {1, 0});
  readRecurrence(b, op, s, d, result);
  Value zeros = b.constant(Tensor(s.type, {s.batch, s.hidden}));
  result.initialH = op.getInitialH() ? entryOf(b, op.getInitialH(), d) : zeros;
  if constexpr (std::is_same_v<OpT, LSTMOp>) {
    result.initialC = op.getInitialC() ? entryOf(b, op.getInitialC(), d) : zeros;
    Value peepholes = castOrNull(b, entryOf(b, op.getPeepholes(), d), s.wide);
    for (int64_t g = 0; peepholes && g < 3; ++g) {
      result.peepholes.push_back(columnsOf(b, peepholes, g, g + 1, s.hidden));
    }
  }
  size_t functions = op.getActivations().size() / s.directions;
  for (size_t i = d * functions; i < (d + 1) * functions; ++i) {
    result.activations.push_back({cast<StringAttr>(op.getActivations()[i]).getValue(),
                                  op.getActivationAlpha()[i], op.getActivationBeta()[i],
                                  op.getClip().convertToDouble()});
  }
  result.isReverse = op.getDirection() == "reverse" || d == 1;
  return result;
}

/// Computes x Wt + b for all time steps, T x N x G*H.
Value projectInput(TypedBuilder &b, Value input, const Direction &d, const Sizes &s) {
  Value rows = b.reshape(b.cast(input, s.wide), {s.time * s.batch, s.input});
  Value projected = b.matmul(rows, d.weight);
  projected = d.inputBias ? b.add(projected, d.inputBias) : projected;
  return b.reshape(projected, {s.time, s.batch, s.gates * s.hidden});
}

/// Returns whether each time step is within each sequence, T x N x 1, or null
/// without lengths.
Value withinLengths(TypedBuilder &b, Value lengths, const Sizes &s) {
  if (!lengths) {
    return Value();
  }
  Value limits = b.reshape(b.cast(lengths, ElementType::I64), {1, s.batch, 1});
  return b.binary(BinaryKind::Less, b.iota(s.time, {s.time, 1, 1}), limits);
}

/// Builds one time step. Takes the states, the projected input and, with lengths,
/// the mask; returns the states and y.
SmallVector<Value> buildStep(TypedBuilder &b, ValueRange inputs, const Direction &d, const Sizes &s,
                             StepFunction step) {
  bool hasCell = static_cast<bool>(d.initialC);
  unsigned states = hasCell ? 2 : 1;
  Value lastH = inputs[0];
  Value lastC = hasCell ? inputs[1] : Value();
  Value mask = inputs.size() > states + 1 ? inputs[states + 1] : Value();
  Step now = {inputs[states], b.cast(lastH, s.wide), castOrNull(b, lastC, s.wide)};
  step(b, d, now);
  Value h = b.cast(now.h, s.type);
  Value c = castOrNull(b, now.c, s.type);
  Value y = h;
  if (mask) {
    y = b.select(mask, h, b.scalarLike(h, 0));
    h = b.select(mask, h, lastH);
    c = hasCell ? b.select(mask, c, lastC) : c;
  }
  return hasCell ? SmallVector<Value>{h, c, y} : SmallVector<Value>{h, y};
}

/// Builds all time steps as a scan. Returns the final states, then y of T x N x H.
SmallVector<Value> buildScan(TypedBuilder &b, ValueRange states, ValueRange scanned,
                             const Direction &d, const Sizes &s, StepFunction step) {
  SmallVector<Type> types(states.size() + 1, b.placeholder());
  SmallVector<int64_t> inputAxes(scanned.size(), 0);
  SmallVector<bool> reverse(scanned.size(), d.isReverse);
  auto scan = b.builder.create<ScanOp>(b.loc, types, states, scanned, inputAxes, reverse,
                                       ArrayRef<int64_t>{0}, ArrayRef<bool>{d.isReverse});
  OpBuilder::InsertionGuard guard(b.builder);
  Block *body = b.builder.createBlock(&scan.getBody());
  for (Value state : states) {
    body->addArgument(state.getType(), b.loc);
  }
  for (Value value : scanned) {
    auto type = cast<RankedTensorType>(value.getType());
    body->addArgument(RankedTensorType::get(type.getShape().drop_front(), type.getElementType()),
                      b.loc);
  }
  b.builder.create<YieldOp>(b.loc, buildStep(b, body->getArguments(), d, s, step));
  b.infer(scan);
  return SmallVector<Value>(scan.getResults());
}

/// Builds one direction. Returns the final states, then y of T x N x H. A single
/// step, which is common in streaming models, needs no scan.
SmallVector<Value> lowerDirection(TypedBuilder &b, const Direction &d, const Sizes &s, Value input,
                                  Value mask, StepFunction step) {
  SmallVector<Value> states = {d.initialH};
  if (d.initialC) {
    states.push_back(d.initialC);
  }
  SmallVector<Value> scanned = {projectInput(b, input, d, s)};
  if (mask) {
    scanned.push_back(mask);
  }
  if (s.time != 1) {
    return buildScan(b, states, scanned, d, s, step);
  }
  for (Value value : scanned) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    states.push_back(b.reshape(value, shape.drop_front()));
  }
  return buildStep(b, states, d, s, step);
}

/// Builds all directions and concatenates their results in the order of the layer:
/// y, then the final states.
template <typename OpT>
SmallVector<Value> lowerLayer(TypedBuilder &b, OpT op, int64_t gates, StepFunction step) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  ElementType type = b.element(op.getInput());
  bool isHalf = type == ElementType::F16 || type == ElementType::BF16;
  Sizes s = {input.getDimSize(0),
             input.getDimSize(1),
             input.getDimSize(2),
             op.getDirection() == "bidirectional" ? 2 : 1,
             gates,
             static_cast<int64_t>(op.getHiddenSize()),
             type,
             isHalf ? ElementType::F32 : type};
  Value mask = withinLengths(b, op.getSequenceLens(), s);
  SmallVector<SmallVector<Value>, 3> parts(op->getNumResults());
  for (int64_t d = 0; d < s.directions; ++d) {
    SmallVector<Value> results =
        lowerDirection(b, readDirection(b, op, s, d), s, op.getInput(), mask, step);
    parts[0].push_back(b.reshape(results.back(), {s.time, 1, s.batch, s.hidden}));
    for (size_t i = 0; i + 1 < results.size(); ++i) {
      parts[i + 1].push_back(b.reshape(results[i], {1, s.batch, s.hidden}));
    }
  }
  SmallVector<Value> joined = {b.concat(parts[0], 1)};
  for (ArrayRef<Value> part : ArrayRef<SmallVector<Value>>(parts).drop_front()) {
    joined.push_back(b.concat(part, 0));
  }
  return joined;
}

/// Returns part `i` of h Rt, plus its bias unless the input's bias includes it.
Value recurrentPart(TypedBuilder &b, const Direction &d, size_t i, Value h) {
  Value product = b.matmul(h, d.recurrence[i]);
  return d.stateBias[i] ? b.add(product, d.stateBias[i]) : product;
}

void stepRNN(TypedBuilder &b, const Direction &d, Step &step) {
  step.h = activate(b, d.activations[0], b.add(step.projected, recurrentPart(b, d, 0, step.h)));
}

void stepGRU(TypedBuilder &b, const Direction &d, Step &step, int64_t hidden, bool isLinear) {
  Value gates = b.add(columnsOf(b, step.projected, 0, 2, hidden), recurrentPart(b, d, 0, step.h));
  gates = activate(b, d.activations[0], gates);
  Value update = columnsOf(b, gates, 0, 1, hidden);
  Value reset = columnsOf(b, gates, 1, 2, hidden);
  Value recurrent = isLinear ? b.mul(reset, recurrentPart(b, d, 1, step.h))
                             : recurrentPart(b, d, 1, b.mul(reset, step.h));
  Value candidate =
      activate(b, d.activations[1], b.add(columnsOf(b, step.projected, 2, 3, hidden), recurrent));
  Value rest = b.sub(b.scalarLike(update, 1), update);
  step.h = b.add(b.mul(rest, candidate), b.mul(update, step.h));
}

void stepLSTM(TypedBuilder &b, const Direction &d, Step &step, int64_t hidden, bool isCoupled) {
  Value all = b.add(step.projected, recurrentPart(b, d, 0, step.h));
  // Gates are in the order i o f c, peepholes in the order i o f.
  auto gate = [&](int64_t g, Value cell) {
    Value x = columnsOf(b, all, g, g + 1, hidden);
    if (!d.peepholes.empty() && cell) {
      x = b.add(x, b.mul(d.peepholes[g], cell));
    }
    return activate(b, d.activations[g == 3 ? 1 : 0], x);
  };
  Value in = gate(0, step.c);
  Value forget = isCoupled ? b.sub(b.scalarLike(in, 1), in) : gate(2, step.c);
  step.c = b.add(b.mul(forget, step.c), b.mul(in, gate(3, Value())));
  Value out = gate(1, step.c);
  step.h = b.mul(out, activate(b, d.activations[2], step.c));
}

bool isStatic(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

} // namespace

std::optional<SmallVector<Value>> lowerRecurrent(TypedBuilder &b, Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op->getResultTypes(), isStatic)) {
    return std::nullopt;
  }
  if (auto rnn = dyn_cast<RNNOp>(op)) {
    return lowerLayer(b, rnn, /*gates=*/1, stepRNN);
  }
  if (auto gru = dyn_cast<GRUOp>(op)) {
    auto hidden = static_cast<int64_t>(gru.getHiddenSize());
    return lowerLayer(b, gru, /*gates=*/3, [&](TypedBuilder &body, const Direction &d, Step &step) {
      stepGRU(body, d, step, hidden, gru.getLinearBeforeReset());
    });
  }
  if (auto lstm = dyn_cast<LSTMOp>(op)) {
    auto hidden = static_cast<int64_t>(lstm.getHiddenSize());
    return lowerLayer(b, lstm, /*gates=*/4,
                      [&](TypedBuilder &body, const Direction &d, Step &step) {
                        stepLSTM(body, d, step, hidden, lstm.getInputForget());
                      });
  }
  return std::nullopt;
}

} // namespace convoy::simplify
