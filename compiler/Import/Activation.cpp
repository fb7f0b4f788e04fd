// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports activations and Dropout.

#include "Import/OpTable.h"

using namespace mlir;
using convoy::graph::ActivationKind;
using convoy::graph::BinaryKind;
using convoy::graph::UnaryKind;

namespace convoy::import {
namespace {

template <UnaryKind kKind>
LogicalResult importUnary(NodeContext &n) {
  return n.yield(n.unary(kKind, n.input(0)));
}

LogicalResult importActivation(NodeContext &n, ActivationKind kind, double alpha, double beta) {
  return n.yield(n.emit<graph::ActivationOp>(kind, n.input(0), APFloat(alpha), APFloat(beta)));
}

// ONNX defines these defaults as f32 values: 0.01 means 0.01f.

LogicalResult importLeakyRelu(NodeContext &n) {
  return importActivation(n, ActivationKind::LeakyRelu, n.floatAttr("alpha", 0.01f), 0);
}

LogicalResult importElu(NodeContext &n) {
  return importActivation(n, ActivationKind::Elu, n.floatAttr("alpha", 1), 0);
}

LogicalResult importSelu(NodeContext &n) {
  // Opset 1 defines the constants with fewer digits.
  float alpha = n.opset() < 6 ? 1.6732f : 1.67326319217681884765625f;
  float gamma = n.opset() < 6 ? 1.0507f : 1.05070102214813232421875f;
  return importActivation(n, ActivationKind::Selu, n.floatAttr("alpha", alpha),
                          n.floatAttr("gamma", gamma));
}

LogicalResult importCelu(NodeContext &n) {
  return importActivation(n, ActivationKind::Celu, n.floatAttr("alpha", 1), 0);
}

LogicalResult importHardSigmoid(NodeContext &n) {
  return importActivation(n, ActivationKind::HardSigmoid, n.floatAttr("alpha", 0.2f),
                          n.floatAttr("beta", 0.5f));
}

LogicalResult importThresholdedRelu(NodeContext &n) {
  return importActivation(n, ActivationKind::ThresholdedRelu, n.floatAttr("alpha", 1), 0);
}

LogicalResult importShrink(NodeContext &n) {
  return importActivation(n, ActivationKind::Shrink, n.floatAttr("lambd", 0.5f),
                          n.floatAttr("bias", 0));
}

LogicalResult importSwish(NodeContext &n) {
  return importActivation(n, ActivationKind::Swish, n.floatAttr("alpha", 1), 0);
}

LogicalResult importGelu(NodeContext &n) {
  std::string approximate = n.stringAttr("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    return n.error() << "has approximate '" << approximate << "', expected 'none' or 'tanh'";
  }
  return n.yield(
      n.unary(approximate == "none" ? UnaryKind::Gelu : UnaryKind::GeluTanh, n.input(0)));
}

/// Imports the forms of com.microsoft: Gelu of X, or of X + bias. BiasGelu requires the bias.
template <UnaryKind kKind>
LogicalResult importBiasedGelu(NodeContext &n) {
  if (failed(n.require(0, "X")) || (n.opType() == "BiasGelu" && failed(n.require(1, "B")))) {
    return failure();
  }
  return n.yield(n.unary(kKind, n.input(1) ? n.add(n.input(0), n.input(1)) : n.input(0)));
}

LogicalResult importQuickGelu(NodeContext &n) {
  return importActivation(n, ActivationKind::Swish, n.floatAttr("alpha", 1.702f), 0);
}

/// Imports PRelu. Before opset 7, a slope vector has one entry per channel
/// (dimension 1).
LogicalResult importPRelu(NodeContext &n) {
  Value slope = n.input(1);
  bool isPerChannel = n.opset() < 7 && n.hasRank(slope) && *n.rank(slope) == 1;
  if (isPerChannel) {
    FailureOr<int64_t> rank = n.rank(n.input(0));
    if (failed(rank)) {
      return failure();
    }
    Shape shape(std::max<int64_t>(*rank - 1, 1), 1);
    shape[0] = -1;
    slope = n.reshape(slope, shape);
  }
  return n.yield(n.binary(BinaryKind::PRelu, n.input(0), slope));
}

//===-- Dropout ----------------------------------------------------------------------------===//

/// Returns a tensor with the shape of `x` in which every element is `scalar`.
Value filledLike(NodeContext &n, Value x, Value scalar) {
  Value shape = n.emit<graph::ShapeOp>(x, int64_t(0), IntegerAttr());
  return n.emit<graph::ExpandOp>(scalar, shape);
}

/// Imports Dropout in inference mode: y = x, and the mask is all ones in the
/// type that the opset defines.
LogicalResult importInferenceDropout(NodeContext &n) {
  SmallVector<Value> outputs = {n.input(0)};
  if (n.hasOutput(1)) {
    Value one = n.opset() < 10 ? n.scalarLike(n.input(0), 1) : n.scalar(ElementType::Bool, 1);
    outputs.push_back(filledLike(n, n.input(0), one));
  }
  return n.yield(outputs);
}

/// Imports Dropout with a training_mode input:
///   mask = training ? random >= ratio : true
///   y    = mask ? x / (1 - ratio) : 0
/// Outside training the ratio is 0.
LogicalResult importTrainingDropout(NodeContext &n) {
  Value x = n.input(0);
  Value training = n.input(2);
  ElementType type = n.element(x);
  Value given = n.input(1) ? n.cast(n.input(1), type) : n.scalarLike(x, 0.5);
  Value ratio = n.select(training, given, n.scalarLike(given, 0));
  FloatAttr seed;
  if (n.hasAttr("seed")) {
    seed = n.builder.getF64FloatAttr(static_cast<double>(n.intAttr("seed", 0)));
  }
  Value random = n.emit<graph::RandomOp>(x, "uniform", Float64Type::get(n.builder.getContext()),
                                         ArrayRef<int64_t>(), APFloat(0.0), APFloat(1.0), seed);
  Value mask = n.binary(BinaryKind::GreaterEqual, random, n.cast(ratio, ElementType::F64));
  Value scaled = n.div(x, n.sub(n.scalarLike(x, 1), ratio));
  return n.yield({n.select(mask, scaled, n.scalarLike(x, 0)), mask});
}

LogicalResult importDropout(NodeContext &n) {
  if (failed(n.require(0, "data"))) {
    return failure();
  }
  // Up to opset 11 the importer assumes inference mode and ignores `is_test`.
  Value training = n.opset() >= 12 ? n.input(2) : Value();
  if (!training) {
    return importInferenceDropout(n);
  }
  std::optional<Tensor> known = n.known(training);
  bool isOff =
      known && known->type() == ElementType::Bool && known->size() == 1 && known->asInt(0) == 0;
  return isOff ? importInferenceDropout(n) : importTrainingDropout(n);
}

} // namespace

llvm::ArrayRef<OpRow> activationRows() {
  static const OpRow kRows[] = {
      {"BiasGelu", importBiasedGelu<UnaryKind::Gelu>, "", kMicrosoft},
      {"Celu", importCelu},
      {"Dropout", importDropout,
       "in training mode, every inference draws the same numbers, without 'seed' with seed 0; on "
       "host at most 2^24 numbers"},
      {"Elu", importElu},
      {"FastGelu", importBiasedGelu<UnaryKind::GeluTanh>, "", kMicrosoft},
      {"Gelu", importGelu},
      {"Gelu", importUnary<UnaryKind::Gelu>, "", kMicrosoft},
      {"HardSigmoid", importHardSigmoid},
      {"HardSwish", importUnary<UnaryKind::HardSwish>},
      {"LeakyRelu", importLeakyRelu},
      {"Mish", importUnary<UnaryKind::Mish>},
      {"PRelu", importPRelu},
      {"QuickGelu", importQuickGelu, "", kMicrosoft},
      {"Relu", importUnary<UnaryKind::Relu>},
      {"Selu", importSelu},
      {"Shrink", importShrink},
      {"Sigmoid", importUnary<UnaryKind::Sigmoid>},
      {"Softplus", importUnary<UnaryKind::Softplus>},
      {"Softsign", importUnary<UnaryKind::Softsign>},
      {"Swish", importSwish},
      {"Tanh", importUnary<UnaryKind::Tanh>},
      {"ThresholdedRelu", importThresholdedRelu},
  };
  return kRows;
}

} // namespace convoy::import
