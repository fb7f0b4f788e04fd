// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses scales and integers per layer, and corrects biases. FitRows.cpp contains the rounding.
// A layer without a closed form is rounded to nearest, and the plan says why.

#include "quantizer/weights/FitWeights.h"
#include "Import/OnnxProto.h"
#include "quantizer/observe/LayerInputs.h"
#include "quantizer/weights/FitRows.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

namespace convoy::quantizer {
namespace {

/// Fitted scales are at least this share of the scales of the plan. The factors of scaleFactors are
/// larger.
constexpr float kLeastFittedScale = 0.39F;

/// The weights of a layer as rows of taps, one row per output channel.
struct LayerWeights {
  LayerWeights(const LayerGeometry &geometry, int64_t axis, const std::vector<float> &elements)
      : geometry(geometry), isTransposed(!geometry.isConv && axis == 1), elements(elements) {}

  size_t indexOf(int64_t channel, int64_t tap) const {
    return isTransposed ? tap * geometry.channels + channel : channel * geometry.taps + tap;
  }

  int64_t rowsPerGroup() const { return geometry.channels / geometry.groups; }

  WeightRows group(int64_t number) const {
    WeightRows result{{}, rowsPerGroup(), geometry.taps};
    for (int64_t row = 0; row < result.rows; ++row) {
      for (int64_t tap = 0; tap < geometry.taps; ++tap) {
        result.weights.push_back(elements[indexOf(number * result.rows + row, tap)]);
      }
    }
    return result;
  }

  const LayerGeometry &geometry;
  bool isTransposed;
  const std::vector<float> &elements;
};

/// Returns the scale with which the largest weight is the largest integer; 1 for zeros.
double fullScale(const double *weights, int64_t count, double highest) {
  double most = 0;
  for (int64_t i = 0; i < count; ++i) {
    most = std::max(most, std::abs(weights[i]));
  }
  return most > 0 ? most / highest : 1;
}

/// Fits one layer.
class LayerFit {
public:
  LayerFit(const LayerGeometry &geometry, const std::vector<float> &elements,
           const InputProducts &products, plan::WeightPlan &plan)
      : geometry(geometry), weights(geometry, plan.axis, elements), products(products), plan(plan),
        highest(static_cast<double>(plan::highestWeight(plan.type))) {}

  /// Returns the integers in the order of the weights; nothing if no group has usable products.
  std::vector<int8_t> fit() {
    for (int64_t group = 0; group < geometry.groups; ++group) {
      groups.push_back(weights.group(group));
      orders.push_back(
          RoundingOrder::create(products.products[group], geometry.taps, products.positions));
    }
    chooseScales();
    std::vector<int8_t> integers(geometry.channels * geometry.taps);
    std::vector<double> row(geometry.taps), losses;
    for (int64_t channel = 0; channel < geometry.channels; ++channel) {
      int64_t group = channel / weights.rowsPerGroup();
      roundRow(group, channel % weights.rowsPerGroup(), scaleOf(channel), row);
      for (int64_t tap = 0; tap < geometry.taps; ++tap) {
        integers[weights.indexOf(channel, tap)] = static_cast<int8_t>(row[tap]);
      }
    }
    return integers;
  }

private:
  double scaleOf(int64_t channel) const {
    return plan.scales.size() == 1 ? plan.scales[0] : plan.scales[channel];
  }

  void roundRow(int64_t group, int64_t number, double scale, std::vector<double> &row) const {
    const double *values = groups[group].weights.data() + number * geometry.taps;
    if (orders[group]) {
      std::vector<double> losses;
      orders[group]->round(values, {scale}, highest, losses, row.data());
      return;
    }
    for (int64_t tap = 0; tap < geometry.taps; ++tap) {
      row[tap] = std::clamp(std::nearbyint(values[tap] / scale), -highest, highest);
    }
  }

  /// Chooses the factor with the least loss for each channel, or one factor for all channels.
  void chooseScales() {
    std::vector<double> factors = scaleFactors(highest);
    bool isPerTensor = plan.scales.size() == 1 && geometry.channels > 1;
    std::vector<double> full, sums(factors.size());
    for (const WeightRows &group : groups) {
      for (int64_t row = 0; row < group.rows; ++row) {
        full.push_back(fullScale(group.weights.data() + row * group.taps, group.taps, highest));
      }
    }
    if (isPerTensor) {
      std::vector<double> values(weights.elements.begin(), weights.elements.end());
      double scale = fullScale(values.data(), static_cast<int64_t>(values.size()), highest);
      std::fill(full.begin(), full.end(), scale);
    }
    std::vector<float> chosen(full.begin(), full.end());
    for (size_t group = 0; group < groups.size(); ++group) {
      if (!orders[group]) {
        continue;
      }
      int64_t first = static_cast<int64_t>(group) * weights.rowsPerGroup();
      std::vector<double> scales(full.begin() + first,
                                 full.begin() + first + weights.rowsPerGroup());
      std::vector<std::vector<double>> losses =
          lossesOf(groups[group], *orders[group], scales, highest, factors);
      for (size_t row = 0; row < losses.size(); ++row) {
        auto best = std::min_element(losses[row].begin(), losses[row].end());
        chosen[first + row] = static_cast<float>(scales[row] * factors[best - losses[row].begin()]);
        for (size_t i = 0; i < factors.size(); ++i) {
          sums[i] += losses[row][i];
        }
      }
    }
    if (isPerTensor) {
      auto best = std::min_element(sums.begin(), sums.end()) - sums.begin();
      chosen = {static_cast<float>(full[0] * factors[best])};
    }
    // A channel near zero keeps the scale of the plan, which its bias needs.
    for (auto [scale, given] : llvm::zip(chosen, plan.scales)) {
      scale = std::max(scale, given * kLeastFittedScale);
    }
    plan.scales = chosen;
  }

  const LayerGeometry &geometry;
  LayerWeights weights;
  const InputProducts &products;
  plan::WeightPlan &plan;
  double highest;
  std::vector<WeightRows> groups;
  std::vector<std::optional<RoundingOrder>> orders;
};

/// Returns the integers of rounding to nearest with the scales of the plan.
std::vector<int8_t> nearestIntegers(const LayerWeights &weights, const plan::WeightPlan &plan) {
  auto highest = static_cast<float>(plan::highestWeight(plan.type));
  std::vector<int8_t> integers(weights.elements.size());
  for (int64_t channel = 0; channel < weights.geometry.channels; ++channel) {
    float scale = plan.scales[plan.scales.size() == 1 ? 0 : channel];
    for (int64_t tap = 0; tap < weights.geometry.taps; ++tap) {
      size_t index = weights.indexOf(channel, tap);
      float integer = std::nearbyint(weights.elements[index] / scale);
      integers[index] = static_cast<int8_t>(std::clamp(integer, -highest, highest));
    }
  }
  return integers;
}

/// Adds the mean of what the rounded weights take from each channel to the bias.
std::vector<float> correctedBias(const LayerWeights &weights, const plan::WeightPlan &plan,
                                 const InputProducts &products, const std::vector<int8_t> &integers,
                                 std::vector<float> bias) {
  const LayerGeometry &geometry = weights.geometry;
  for (int64_t channel = 0; channel < geometry.channels; ++channel) {
    const std::vector<double> &sums = products.sums[channel / weights.rowsPerGroup()];
    double scale = plan.scales[plan.scales.size() == 1 ? 0 : channel], shift = 0;
    for (int64_t tap = 0; tap < geometry.taps; ++tap) {
      size_t index = weights.indexOf(channel, tap);
      shift += sums[tap] * (weights.elements[index] - integers[index] * scale);
    }
    shift *= geometry.alpha / (geometry.beta * static_cast<double>(products.positions));
    bias[channel] += static_cast<float>(shift);
  }
  return bias;
}

/// Fits the layers of a model in order.
class ModelFit {
public:
  ModelFit(const onnx::ModelProto &prepared, const plan::Points &points,
           const std::map<std::string, InputProducts> &products, plan::Plan &plan)
      : prepared(prepared), points(points), products(products), plan(plan) {}

  llvm::Expected<plan::FittedWeights> run() {
    for (const plan::Layer &layer : points.layers) {
      plan::WeightPlan *entry = plan.findWeights(layer.weight);
      bool isWanted = entry && (entry->rounding == Rounding::Fitted || entry->correctsBias);
      if (!isWanted || entry->type == ElementType::F32 || fitted.integers.count(layer.weight)) {
        continue;
      }
      if (llvm::Error error = checkScales(layer, *entry)) {
        return error;
      }
      fitLayer(layer, *entry);
    }
    return std::move(fitted);
  }

private:
  using Rounding = plan::Rounding;

  static llvm::Error checkScales(const plan::Layer &layer, const plan::WeightPlan &entry) {
    bool isValid = !entry.scales.empty() &&
                   std::all_of(entry.scales.begin(), entry.scales.end(),
                               [](float scale) { return std::isfinite(scale) && scale > 0; });
    return isValid ? llvm::Error::success()
                   : llvm::createStringError(
                         "cannot round the weights '" + layer.weight + "' of node '" + layer.node +
                         "': expects positive scales in the plan, got none or others; write one "
                         "scale, or one per output channel");
  }

  /// Returns why a layer has no closed form; an empty text if it has.
  static std::string whyNearest(const std::optional<LayerGeometry> &geometry,
                                const InputProducts *found, const std::string &why) {
    if (!geometry) {
      return why;
    }
    if (geometry->taps > kMostTaps) {
      return "the layer has " + std::to_string(geometry->taps) +
             " inputs per output; rounding by their products is limited to " +
             std::to_string(kMostTaps);
    }
    return found && !found->products.empty() && found->positions > 0
               ? ""
               : "the inputs of the layer were not observed";
  }

  void fitLayer(const plan::Layer &layer, plan::WeightPlan &entry) {
    std::string why;
    std::optional<LayerGeometry> geometry = geometryOf(prepared, layer, why);
    auto place = products.find(layer.weight);
    const InputProducts *found = place == products.end() ? nullptr : &place->second;
    if (entry.rounding == Rounding::Fitted) {
      if (std::string reason = whyNearest(geometry, found, why); !reason.empty()) {
        entry.rounding = Rounding::Nearest;
        entry.reason += (entry.reason.empty() ? "" : "; ") + ("rounded to nearest: " + reason);
      }
    }
    if (!geometry) {
      return;
    }
    std::vector<float> elements = plan::floatsOf(prepared, layer.weight);
    LayerWeights weights(*geometry, entry.axis, elements);
    std::vector<int8_t> integers = entry.rounding == Rounding::Fitted
                                       ? LayerFit(*geometry, elements, *found, entry).fit()
                                       : nearestIntegers(weights, entry);
    if (entry.correctsBias && canCorrect(layer, *geometry, found)) {
      fitted.biases[layer.bias] =
          correctedBias(weights, entry, *found, integers, plan::floatsOf(prepared, layer.bias));
    }
    fitted.integers[layer.weight] = std::move(integers);
  }

  /// A bias that several layers share cannot correct one of them.
  bool canCorrect(const plan::Layer &layer, const LayerGeometry &geometry,
                  const InputProducts *found) const {
    auto users = std::count_if(points.layers.begin(), points.layers.end(),
                               [&](const plan::Layer &one) { return one.bias == layer.bias; });
    return !layer.bias.empty() && users == 1 && found && found->positions > 0 &&
           geometry.beta != 0 &&
           static_cast<int64_t>(plan::floatsOf(prepared, layer.bias).size()) == geometry.channels;
  }

  const onnx::ModelProto &prepared;
  const plan::Points &points;
  const std::map<std::string, InputProducts> &products;
  plan::Plan &plan;
  plan::FittedWeights fitted;
};

} // namespace

llvm::Expected<plan::FittedWeights> fitWeights(const onnx::ModelProto &prepared,
                                               const plan::Points &points,
                                               const std::map<std::string, InputProducts> &products,
                                               plan::Plan &plan) {
  return ModelFit(prepared, points, products, plan).run();
}

} // namespace convoy::quantizer
