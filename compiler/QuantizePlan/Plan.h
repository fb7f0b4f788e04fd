// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quantization plan: the type, scale and zero point of each tensor of a model, by its name in
// the ONNX file. A plan is data. PlanJson.h reads and writes it, WriteQdq.h applies it to a
// model.

#pragma once

#include "Support/ElementType.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convoy::plan {

/// The values that a tensor has on the samples.
struct TensorRange {
  double low = 0;
  double high = 0;
};

/// How an activation is stored.
struct ActivationPlan {
  std::string tensor;
  /// U8, I8, I16, or F32 for a tensor that stays in floating point.
  ElementType type = ElementType::U8;
  float scale = 1;
  int64_t zeroPoint = 0;
  /// Number of the group of tensors that must have the same type, scale and zero point, because
  /// an op copies or concatenates their elements; -1: no group.
  int64_t tie = -1;
  /// Why the tensor has this type, for the report; may be empty.
  std::string reason;
};

/// How the integers of weights are chosen.
enum class Rounding {
  Nearest, ///< Each weight is rounded by itself.
  Fitted,  ///< Closed-form rounding by the products of the layer's inputs.
};

/// How the weights of a layer are stored.
struct WeightPlan {
  std::string tensor;
  /// I8, I4, or F32 for weights that stay in floating point.
  ElementType type = ElementType::I8;
  /// The dimension of the output channels.
  int64_t axis = 0;
  /// One scale, or one per output channel. The integers are symmetric: I8 has -127 to 127, I4 has
  /// -7 to 7, and the zero point is 0.
  std::vector<float> scales;
  Rounding rounding = Rounding::Nearest;
  /// Whether the bias of the layer compensates the mean error of the integers.
  bool correctsBias = false;
  std::string reason;
};

struct Plan {
  /// In the order of the model's nodes.
  std::vector<ActivationPlan> activations;
  std::vector<WeightPlan> weights;

  const ActivationPlan *findActivation(const std::string &tensor) const;
  ActivationPlan *findActivation(const std::string &tensor);
  const WeightPlan *findWeights(const std::string &tensor) const;
  WeightPlan *findWeights(const std::string &tensor);
};

/// Integers of weights by the name of the initializer, in its order of elements, and corrected
/// biases by the name of the bias, or by the name of the weights if the layer has no bias. A bias
/// has one element per output channel. writeQdq rounds weights without an entry to nearest.
struct FittedWeights {
  std::map<std::string, std::vector<int8_t>> integers;
  std::map<std::string, std::vector<float>> biases;
};

/// Returns the largest integer that weights of a type use: 127 or 7.
int64_t highestWeight(ElementType type);

/// Sets scale and zero point for a range, which is extended to contain zero, by the type. U8 and I8
/// are asymmetric and have the same steps; I16 is symmetric with zero point 0.
void setRange(ActivationPlan &activation, const TensorRange &range);

/// Sets a scale that is at least the scale of setRange, and the zero point of the range.
void setScale(ActivationPlan &activation, const TensorRange &range, float scale);

} // namespace convoy::plan
