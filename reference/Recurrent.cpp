// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates recurrent layers, one batch entry and one time step at a time. A
// step is computed in double. The hidden and cell state are rounded to the
// element type at the end of the step, because the next step reads the rounded
// values.

#include "reference/Evaluation.h"
#include <cmath>

using namespace mlir;

namespace convoy::reference {
namespace {

using Function = double (*)(double x, double alpha, double beta);

/// The activation of a gate with its parameters, applied to a clipped argument.
struct Activation {
  Function function = nullptr;
  double alpha = 0;
  double beta = 0;
  double clip = 0; // 0 disables clipping

  double operator()(double x) const {
    double argument = clip > 0 ? std::fmin(std::fmax(x, -clip), clip) : x;
    return function(std::isnan(x) ? x : argument, alpha, beta);
  }
};

Function functionOf(StringRef name) {
  return llvm::StringSwitch<Function>(name)
      .Case("relu", [](double x, double, double) { return x < 0 ? 0 : x; })
      .Case("tanh", [](double x, double, double) { return std::tanh(x); })
      .Case("sigmoid", [](double x, double, double) { return 1 / (1 + std::exp(-x)); })
      .Case("softsign", [](double x, double, double) { return x / (1 + std::fabs(x)); })
      .Case("softplus",
            [](double x, double, double) {
              return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
            })
      .Case("affine", [](double x, double a, double b) { return a * x + b; })
      .Case("leaky_relu", [](double x, double a, double) { return x < 0 ? a * x : x; })
      .Case("scaled_tanh", [](double x, double a, double b) { return a * std::tanh(b * x); })
      .Case("hard_sigmoid",
            [](double x, double a, double b) {
              double y = a * x + b; // a comparison with NaN is false, so NaN stays
              return y < 0 ? 0 : y > 1 ? 1 : y;
            })
      .Case("elu", [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; })
      .Case("thresholded_relu", [](double x, double a, double) { return x > a ? x : 0; })
      .Default(nullptr);
}

std::vector<double> widen(const Tensor &tensor) {
  std::vector<double> result(tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    result[i] = tensor.asDouble(i);
  }
  return result;
}

double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// The weights of one direction.
struct Direction {
  const double *weight;     // gates * H x I
  const double *recurrence; // gates * H x H
  const double *bias;       // input biases, then recurrent ones: 2 * gates * H
  const double *peepholes;  // i o f, each H; LSTM only
  ArrayRef<Activation> activations;
};

/// The operands of a layer, widened to double, and the sizes that they share.
struct Layer {
  int64_t time = 0;
  int64_t batch = 0;
  int64_t inputSize = 0;
  int64_t hidden = 0;
  int64_t directions = 0;
  int64_t gates = 0;
  std::vector<double> input;
  std::vector<double> weight;
  std::vector<double> recurrence;
  std::vector<double> bias;
  std::vector<double> peepholes;
  std::vector<int64_t> lengths;
  std::vector<Activation> activations;

  Direction direction(int64_t d) const {
    size_t functions = activations.size() / directions;
    return {weight.data() + d * gates * hidden * inputSize,
            recurrence.data() + d * gates * hidden * hidden, bias.data() + d * 2 * gates * hidden,
            peepholes.data() + d * 3 * hidden,
            ArrayRef<Activation>(activations).slice(d * functions, functions)};
  }
  /// Returns row `row` of W x + Wb, and of R h + Rb.
  double fromInput(const Direction &d, int64_t row, const double *x) const {
    return dot(d.weight + row * inputSize, x, inputSize) + d.bias[row];
  }
  double fromState(const Direction &d, int64_t row, const double *h) const {
    return dot(d.recurrence + row * hidden, h, hidden) + d.bias[gates * hidden + row];
  }
  double gate(const Direction &d, int64_t g, int64_t j, const double *x, const double *h) const {
    return fromInput(d, g * hidden + j, x) + fromState(d, g * hidden + j, h);
  }
};

/// The state between two steps of one batch entry; only LSTM uses `c`.
struct State {
  std::vector<double> h;
  std::vector<double> c;
};

using Step = llvm::function_ref<State(const Direction &, const double *x, const State &)>;

/// Returns an optional operand widened to double, or zeros.
std::vector<double> widenOr(Evaluation &e, Value value, int64_t zeros) {
  return value ? widen(e.input(value)) : std::vector<double>(zeros);
}

/// Fails unless an operand, if present, has `count` elements. Type rules check
/// only the shapes that are known; this function checks all shapes.
LogicalResult checkCount(Evaluation &e, Value value, StringRef name, int64_t count) {
  if (!value || e.input(value).size() == count) {
    return success();
  }
  return e.error() << "expects " << count << " elements in " << name << ", got "
                   << e.input(value).size();
}

template <typename OpT>
LogicalResult checkCounts(OpT op, Evaluation &e, const Layer &l) {
  int64_t rows = l.directions * l.gates * l.hidden;
  return success(
      succeeded(checkCount(e, op.getWeight(), "weight", rows * l.inputSize)) &&
      succeeded(checkCount(e, op.getRecurrence(), "recurrence", rows * l.hidden)) &&
      succeeded(checkCount(e, op.getBias(), "bias", 2 * rows)) &&
      succeeded(checkCount(e, op.getSequenceLens(), "sequenceLens", l.batch)) &&
      succeeded(checkCount(e, op.getInitialH(), "initialH", l.directions * l.batch * l.hidden)));
}

template <typename OpT>
LogicalResult readLengths(OpT op, Evaluation &e, Layer &layer) {
  layer.lengths.assign(layer.batch, layer.time);
  for (int64_t b = 0; op.getSequenceLens() && b < layer.batch; ++b) {
    int64_t length = e.input(op.getSequenceLens()).asInt(b);
    if (length < 0 || length > layer.time) {
      return e.error() << "has sequence length " << length << " for batch entry " << b
                       << ", expected 0 to " << layer.time;
    }
    layer.lengths[b] = length;
  }
  return success();
}

template <typename OpT>
FailureOr<Layer> readLayer(OpT op, Evaluation &e, int64_t gates) {
  const Tensor &input = e.input(op.getInput());
  Layer layer;
  if (input.rank() != 3) {
    return FailureOr<Layer>(e.error() << "expects an input of rank 3, got " << input.rank());
  }
  layer.time = input.dim(0);
  layer.batch = input.dim(1);
  layer.inputSize = input.dim(2);
  layer.hidden = static_cast<int64_t>(op.getHiddenSize());
  layer.directions = op.getDirection() == "bidirectional" ? 2 : 1;
  layer.gates = gates;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    (void)e.output(i);
  }
  // Results within the limits bound the batch size, for which memory is
  // allocated next.
  if (!e.isWhole() || failed(checkCounts(op, e, layer)) || failed(readLengths(op, e, layer))) {
    return failure();
  }
  layer.input = widen(input);
  layer.weight = widen(e.input(op.getWeight()));
  layer.recurrence = widen(e.input(op.getRecurrence()));
  layer.bias = widenOr(e, op.getBias(), layer.directions * 2 * gates * layer.hidden);
  double clip = op.getClip().convertToDouble();
  for (auto [name, alpha, beta] : llvm::zip(op.getActivations().template getAsRange<StringAttr>(),
                                            op.getActivationAlpha(), op.getActivationBeta())) {
    layer.activations.push_back({functionOf(name), alpha, beta, clip});
  }
  return layer;
}

/// Stores a vector in row `row` of a tensor and reads back the rounded values.
void storeRounded(Tensor &tensor, int64_t row, std::vector<double> &values) {
  for (auto [j, value] : llvm::enumerate(values)) {
    int64_t at = row * static_cast<int64_t>(values.size()) + static_cast<int64_t>(j);
    tensor.setDouble(at, value);
    value = tensor.asDouble(at);
  }
}

std::vector<double> rowOf(const std::vector<double> &values, int64_t row, int64_t count) {
  return {values.begin() + row * count, values.begin() + (row + 1) * count};
}

/// Runs all directions and batch entries. Steps beyond an entry's length leave
/// zeros in y and do not change the state. In the reverse direction, an entry
/// starts at its own end.
template <typename OpT>
LogicalResult runLayer(OpT op, Evaluation &e, const Layer &layer, Value initialC, Step step) {
  int64_t states = layer.directions * layer.batch * layer.hidden;
  std::vector<double> initialH = widenOr(e, op.getInitialH(), states);
  std::vector<double> initialCell = widenOr(e, initialC, states);
  bool hasCell = op->getNumResults() == 3;
  for (int64_t row = 0; row < layer.directions * layer.batch; ++row) {
    int64_t d = row / layer.batch;
    int64_t b = row % layer.batch;
    bool isReverse = op.getDirection() == "reverse" || d == 1;
    State state = {rowOf(initialH, row, layer.hidden), rowOf(initialCell, row, layer.hidden)};
    storeRounded(e.output(1), row, state.h);
    for (int64_t i = 0; i < layer.lengths[b]; ++i) {
      int64_t t = isReverse ? layer.lengths[b] - 1 - i : i;
      const double *x = layer.input.data() + (t * layer.batch + b) * layer.inputSize;
      state = step(layer.direction(d), x, state);
      storeRounded(e.output(0), (t * layer.directions + d) * layer.batch + b, state.h);
      storeRounded(e.output(1), row, state.h);
      if (hasCell) {
        storeRounded(e.output(2), row, state.c);
      }
    }
    if (hasCell) {
      storeRounded(e.output(2), row, state.c);
    }
  }
  return success();
}

LogicalResult evaluateRNN(graph::RNNOp op, Evaluation &e) {
  FailureOr<Layer> layer = readLayer(op, e, /*gates=*/1);
  if (failed(layer)) {
    return failure();
  }
  return runLayer(op, e, *layer, Value(),
                  [&](const Direction &d, const double *x, const State &last) {
                    State next = last;
                    for (int64_t j = 0; j < layer->hidden; ++j) {
                      next.h[j] = d.activations[0](layer->gate(d, 0, j, x, last.h.data()));
                    }
                    return next;
                  });
}

LogicalResult evaluateGRU(graph::GRUOp op, Evaluation &e) {
  FailureOr<Layer> layer = readLayer(op, e, /*gates=*/3);
  if (failed(layer)) {
    return failure();
  }
  int64_t hidden = layer->hidden;
  bool isLinear = op.getLinearBeforeReset();
  return runLayer(op, e, *layer, Value(),
                  [&](const Direction &d, const double *x, const State &last) {
                    const double *h = last.h.data();
                    std::vector<double> reset(hidden);
                    std::vector<double> kept(hidden); // r (.) h
                    for (int64_t j = 0; j < hidden; ++j) {
                      reset[j] = d.activations[0](layer->gate(d, 1, j, x, h));
                      kept[j] = reset[j] * h[j];
                    }
                    State next = last;
                    for (int64_t j = 0; j < hidden; ++j) {
                      int64_t row = 2 * hidden + j;
                      double update = d.activations[0](layer->gate(d, 0, j, x, h));
                      double recurrent = isLinear ? reset[j] * layer->fromState(d, row, h)
                                                  : layer->fromState(d, row, kept.data());
                      double candidate = d.activations[1](layer->fromInput(d, row, x) + recurrent);
                      next.h[j] = (1 - update) * candidate + update * h[j];
                    }
                    return next;
                  });
}

LogicalResult evaluateLSTM(graph::LSTMOp op, Evaluation &e) {
  FailureOr<Layer> layer = readLayer(op, e, /*gates=*/4);
  if (failed(layer)) {
    return failure();
  }
  int64_t hidden = layer->hidden;
  int64_t states = layer->directions * layer->batch * hidden;
  if (failed(checkCount(e, op.getInitialC(), "initialC", states)) ||
      failed(checkCount(e, op.getPeepholes(), "peepholes", layer->directions * 3 * hidden))) {
    return failure();
  }
  layer->peepholes = widenOr(e, op.getPeepholes(), layer->directions * 3 * hidden);
  bool isCoupled = op.getInputForget();
  bool hasPeepholes = static_cast<bool>(op.getPeepholes());
  return runLayer(
      op, e, *layer, op.getInitialC(), [&](const Direction &d, const double *x, const State &last) {
        State next = last;
        // Without peepholes, an infinite cell must not become 0 * infinity, which is NaN.
        auto peep = [&](int64_t g, double cell) {
          return hasPeepholes ? d.peepholes[g] * cell : 0;
        };
        for (int64_t j = 0; j < hidden; ++j) {
          auto gate = [&](int64_t g) { return layer->gate(d, g, j, x, last.h.data()); };
          double cell = last.c[j];
          double in = d.activations[0](gate(0) + peep(j, cell));
          double forget =
              isCoupled ? 1 - in : d.activations[0](gate(2) + peep(2 * hidden + j, cell));
          next.c[j] = forget * cell + in * d.activations[1](gate(3));
          double out = d.activations[0](gate(1) + peep(hidden + j, next.c[j]));
          next.h[j] = out * d.activations[2](next.c[j]);
        }
        return next;
      });
}

} // namespace

void addRecurrentEvaluators(EvaluatorTable &table) {
  table.add<graph::RNNOp, evaluateRNN>();
  table.add<graph::GRUOp, evaluateGRU>();
  table.add<graph::LSTMOp, evaluateLSTM>();
}

} // namespace convoy::reference
