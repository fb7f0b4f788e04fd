// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports RNN, GRU and LSTM. The graph ops are time-major and list every
// activation with its parameters. The importer transposes batch-major nodes
// (layout = 1) and fills in default activations.

#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// An activation of a gate, and ONNX's defaults for its parameters.
struct GateFunction {
  StringLiteral onnxName; // lower case; the comparison ignores case
  StringLiteral name;
  bool hasAlpha = false;
  bool hasBeta = false;
  double alpha = 0;
  double beta = 0;
};

constexpr GateFunction kGateFunctions[] = {
    {"relu", "relu"},
    {"tanh", "tanh"},
    {"sigmoid", "sigmoid"},
    {"softsign", "softsign"},
    {"softplus", "softplus"},
    {"affine", "affine", true, true, 1, 0},
    {"leakyrelu", "leaky_relu", true, false, 0.01},
    {"scaledtanh", "scaled_tanh", true, true, 1, 1},
    {"hardsigmoid", "hard_sigmoid", true, true, 0.2, 0.5},
    {"elu", "elu", true, false, 1},
    {"thresholdedrelu", "thresholded_relu", true, false, 1},
};

const GateFunction *findGateFunction(StringRef name) {
  const auto *it = llvm::find_if(kGateFunctions, [&](const GateFunction &function) {
    return function.onnxName.equals_insensitive(name);
  });
  return it == std::end(kGateFunctions) ? nullptr : it;
}

/// The attributes that RNN, GRU and LSTM share.
struct LayerAttributes {
  int64_t hiddenSize = 0;
  std::string direction;
  SmallVector<StringRef> activations;
  SmallVector<double> alphas;
  SmallVector<double> betas;
  double clip = 0;
  bool isBatchMajor = false;
};

/// Returns the next parameter in the list, or the default.
double nextParameter(ArrayRef<double> &given, bool isTaken, double otherwise) {
  if (!isTaken || given.empty()) {
    return otherwise;
  }
  double value = given.front();
  given = given.drop_front();
  return value;
}

LogicalResult readActivations(NodeContext &n, ArrayRef<StringRef> defaults, size_t directions,
                              LayerAttributes &layer) {
  std::vector<std::string> names = n.stringsAttr("activations");
  for (size_t d = 0; !n.hasAttr("activations") && d < directions; ++d) {
    names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * directions) {
    return n.error() << "expects " << defaults.size() * directions
                     << " activations, one per gate function and direction, got " << names.size();
  }
  SmallVector<double> alphaAttr = n.floatsAttr("activation_alpha");
  SmallVector<double> betaAttr = n.floatsAttr("activation_beta");
  ArrayRef<double> alphas = alphaAttr;
  ArrayRef<double> betas = betaAttr;
  for (const std::string &name : names) {
    const GateFunction *function = findGateFunction(name);
    if (!function) {
      return n.unsupported() << "with the unknown activation '" << name << "'";
    }
    layer.activations.push_back(function->name);
    layer.alphas.push_back(nextParameter(alphas, function->hasAlpha, function->alpha));
    layer.betas.push_back(nextParameter(betas, function->hasBeta, function->beta));
  }
  return success();
}

FailureOr<LayerAttributes> readLayer(NodeContext &n, ArrayRef<StringRef> defaultActivations) {
  static constexpr StringLiteral kInputs[] = {"X", "W", "R"};
  for (auto [i, name] : llvm::enumerate(kInputs)) {
    if (failed(n.require(i, name))) {
      return failure();
    }
  }
  LayerAttributes layer;
  layer.direction = n.stringAttr("direction", "forward");
  size_t directions = layer.direction == "bidirectional" ? 2 : 1;
  layer.clip = n.floatAttr("clip", 0);
  layer.isBatchMajor = n.intAttr("layout", 0) != 0;
  if (failed(readActivations(n, defaultActivations, directions, layer))) {
    return failure();
  }
  FailureOr<Shape> recurrence = n.shape(n.input(2));
  if (failed(recurrence)) {
    return failure();
  }
  // Exporters may omit hidden_size. R has shape directions x (gates * H) x H.
  int64_t implied = recurrence->size() == 3 ? recurrence->back() : graph::kDynamic;
  layer.hiddenSize = n.intAttr("hidden_size", implied);
  if (layer.hiddenSize <= 0) {
    return FailureOr<LayerAttributes>(n.error()
                                      << "expects a positive attribute 'hidden_size', got "
                                      << n.intAttr("hidden_size", 0));
  }
  return layer;
}

/// Swaps the first two dimensions of a batch-major operand of rank 3.
Value toTimeMajor(NodeContext &n, const LayerAttributes &layer, Value x) {
  return x && layer.isBatchMajor ? n.transpose(x, {1, 0, 2}) : x;
}

/// Binds y and the final states in the layout of the node.
LogicalResult yieldLayer(NodeContext &n, const LayerAttributes &layer, ValueRange results) {
  if (!layer.isBatchMajor) {
    return n.yield(results);
  }
  SmallVector<Value> outputs = {n.transpose(results[0], {2, 0, 1, 3})};
  for (Value state : results.drop_front()) {
    outputs.push_back(n.transpose(state, {1, 0, 2}));
  }
  return n.yield(outputs);
}

LogicalResult importRNN(NodeContext &n) {
  FailureOr<LayerAttributes> layer = readLayer(n, {"Tanh"});
  if (failed(layer)) {
    return failure();
  }
  return yieldLayer(n, *layer,
                    n.emitAll<graph::RNNOp, 2>(
                        toTimeMajor(n, *layer, n.input(0)), n.input(1), n.input(2), n.input(3),
                        n.input(4), toTimeMajor(n, *layer, n.input(5)), layer->hiddenSize,
                        layer->direction, n.builder.getStrArrayAttr(layer->activations),
                        layer->alphas, layer->betas, llvm::APFloat(layer->clip)));
}

LogicalResult importGRU(NodeContext &n) {
  FailureOr<LayerAttributes> layer = readLayer(n, {"Sigmoid", "Tanh"});
  if (failed(layer)) {
    return failure();
  }
  bool isLinear = n.intAttr("linear_before_reset", 0) != 0;
  return yieldLayer(n, *layer,
                    n.emitAll<graph::GRUOp, 2>(
                        toTimeMajor(n, *layer, n.input(0)), n.input(1), n.input(2), n.input(3),
                        n.input(4), toTimeMajor(n, *layer, n.input(5)), layer->hiddenSize,
                        layer->direction, n.builder.getStrArrayAttr(layer->activations),
                        layer->alphas, layer->betas, llvm::APFloat(layer->clip), isLinear));
}

LogicalResult importLSTM(NodeContext &n) {
  FailureOr<LayerAttributes> layer = readLayer(n, {"Sigmoid", "Tanh", "Tanh"});
  if (failed(layer)) {
    return failure();
  }
  bool isCoupled = n.intAttr("input_forget", 0) != 0;
  return yieldLayer(n, *layer,
                    n.emitAll<graph::LSTMOp, 3>(
                        toTimeMajor(n, *layer, n.input(0)), n.input(1), n.input(2), n.input(3),
                        n.input(4), toTimeMajor(n, *layer, n.input(5)),
                        toTimeMajor(n, *layer, n.input(6)), n.input(7), layer->hiddenSize,
                        layer->direction, n.builder.getStrArrayAttr(layer->activations),
                        layer->alphas, layer->betas, llvm::APFloat(layer->clip), isCoupled));
}

constexpr OpRow kRows[] = {
    {"GRU", importGRU},
    {"LSTM", importLSTM},
    {"RNN", importRNN},
};

} // namespace

llvm::ArrayRef<OpRow> recurrentRows() { return kRows; }

} // namespace convoy::import
