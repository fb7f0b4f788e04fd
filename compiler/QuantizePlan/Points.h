// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tensors of a model that a plan quantizes: activations between layers, and weights.

#pragma once

#include "QuantizePlan/Plan.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace convoy::plan {

/// A convolution or matrix product with constant weights.
struct Layer {
  std::string node;   // name, or the output's name if the node has none
  std::string op;     // Conv, Gemm, MatMul
  std::string input;  // the activation that it reads
  std::string weight; // initializer
  std::string bias;   // initializer; empty: none
  std::string output; // the activation after its Relu or Clip
  std::string sums;   // the output of the node with its bias, before Relu or Clip
  int64_t axis = 0;   // dimension of the output channels in the weights
  int64_t groups = 1; // of a convolution
};

/// A tensor between layers.
struct Activation {
  std::string tensor;
  int64_t tie = -1; // as in ActivationPlan
  /// Whether the integer forms of the ops that read it support 16 bits; products of two activations
  /// do not.
  bool supportsI16 = true;
  /// The range of all possible values, if the op that computes the tensor determines it.
  std::optional<TensorRange> range = {};
};

struct Points {
  std::vector<Activation> activations; // in the order of nodes; inputs of the model first
  std::vector<Layer> layers;           // in the order of nodes
  /// Pairs of activations that an Add reads; a device may need scales that differ by a power of
  /// two.
  std::vector<std::pair<std::string, std::string>> addends;
};

/// Copies the external data of initializers in a folder into the model. prepareModel and findPoints
/// do not read other files, so a layer with external weights is no layer to them.
llvm::Error loadExternalData(onnx::ModelProto &model, const std::string &directory);

/// Returns a model with the same results whose layers have constant weights and biases: the
/// function folds BatchNormalization into the convolution or product before it, folds reshapes,
/// transposes, casts and DequantizeLinear of initializers, converts Constant nodes to
/// initializers, and removes Identity, Dropout and dead nodes. Tensors keep their names.
/// Initializers are no inputs of the graph, so the IR version is at least 4; the opset stays.
onnx::ModelProto prepareModel(const onnx::ModelProto &model);

/// Finds the points of a prepared model. A model without layers has none.
Points findPoints(const onnx::ModelProto &prepared);

/// Adds the outputs of the model that a Softmax computes from an activation. Their integers make
/// the whole model an integer model; without them, the end of the model is float.
void addOutputPoints(const onnx::ModelProto &prepared, Points &points);

/// Returns the plan of `--calibrate`: activations of `type` (U8 or I8) from minimum to maximum, I8
/// weights with one scale per output channel, addends with scales that differ by a power of two.
Plan minMaxPlan(const onnx::ModelProto &prepared, const Points &points,
                const std::map<std::string, TensorRange> &ranges, ElementType type);

/// Returns weights with scales from their largest element. `type` is I8 or I4.
WeightPlan weightPlan(const onnx::ModelProto &prepared, const Layer &layer, ElementType type);

/// Returns the elements of an initializer of floats (F32, F16, BF16, F64).
std::vector<float> floatsOf(const onnx::ModelProto &prepared, const std::string &initializer);
std::vector<int64_t> shapeOf(const onnx::ModelProto &prepared, const std::string &initializer);

} // namespace convoy::plan
