// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes the products of layers' inputs, which FitWeights.cpp needs. Layers with many positions
// are sampled with a fixed step: the positions of a convolution are many and similar. If the sums
// of all layers need too much memory, the samples run several times, each time for some layers.

#include "quantizer/observe/IntegerLimits.h"
#include "quantizer/observe/ProbedModel.h"
#include "quantizer/observe/ProductSums.h"
#include <cmath>
#include <numeric>

namespace convoy::quantizer {
namespace {

/// The memory of the sums of one worker in one run over the samples.
constexpr int64_t kWorkerBytes = int64_t(96) << 20;
/// The positions over all samples that are enough for a layer: a minimum, and a multiple of its
/// taps. A layer with groups has few taps and many sums.
constexpr int64_t kLeastPositions = 20000, kLeastGroupPositions = 4000, kPositionsPerTap = 64;

/// A layer that is observed.
struct ObservedLayer {
  std::string weight;
  LayerGeometry geometry;
  size_t tensor = 0; // number of the input among the probes
  const plan::ActivationPlan *plan = nullptr;

  bool hasProducts() const { return geometry.taps <= kMostTaps; }
};

/// Quantizes and dequantizes values as QuantizeLinear and DequantizeLinear do. The limits are
/// integers, so clamping before rounding is the same.
void quantize(const plan::ActivationPlan &plan, float *values, int64_t count) {
  // Adding and subtracting 1.5 * 2^23 rounds half to even, for values below 2^22.
  constexpr float kRounder = 12582912;
  IntegerLimits limits = limitsOf(plan.type);
  auto zeroPoint = static_cast<double>(plan.zeroPoint);
  auto lowest = static_cast<float>(limits.lowest - zeroPoint);
  auto highest = static_cast<float>(limits.highest - zeroPoint);
  for (int64_t i = 0; i < count; ++i) {
    float scaled = values[i] / plan.scale;
    scaled = scaled < lowest ? lowest : scaled;
    scaled = scaled > highest ? highest : scaled;
    values[i] = (scaled + kRounder - kRounder) * plan.scale;
  }
}

/// Returns the distance between positions that are read, such that all columns are read in turn.
int64_t stepFor(const LayerGeometry &geometry, int64_t positions, size_t samples) {
  int64_t least = geometry.groups > 1 ? kLeastGroupPositions : kLeastPositions;
  int64_t wanted = std::max(least, kPositionsPerTap * geometry.taps);
  int64_t all = positions * static_cast<int64_t>(samples);
  int64_t step = std::max<int64_t>(1, all / wanted);
  auto width = std::max<int64_t>(1, std::lround(std::sqrt(static_cast<double>(positions))));
  while (step > 1 && std::gcd(step, width) != 1) {
    ++step;
  }
  return step;
}

void addLayer(const ObservedLayer &layer, const ProbeValue &value, size_t samples, int64_t number,
              ProductSums &sums) {
  LayerRows rows(layer.geometry, value.shape);
  int64_t step = stepFor(layer.geometry, rows.count(), samples);
  // Another first position for each sample; the factor spreads the positions of few samples.
  for (int64_t position = number * 7 % step; position < rows.count(); position += step) {
    float *row = sums.nextRow();
    rows.read(value.elements, position, row, sums.stride());
    if (layer.plan) {
      // The padding of a convolution is zero, and zero is exact in every plan.
      quantize(*layer.plan, row, layer.geometry.groups * sums.stride());
    }
  }
}

/// Returns the layers with a geometry, and the tensors that they read.
std::vector<ObservedLayer> observedLayers(const onnx::ModelProto &prepared,
                                          const plan::Points &points, const plan::Plan *plan,
                                          std::vector<std::string> &tensors) {
  std::vector<ObservedLayer> layers;
  std::map<std::string, size_t> numbers;
  for (const plan::Layer &layer : points.layers) {
    std::string why;
    std::optional<LayerGeometry> geometry = geometryOf(prepared, layer, why);
    if (!geometry) {
      continue;
    }
    auto [number, isNew] = numbers.try_emplace(layer.input, tensors.size());
    if (isNew) {
      tensors.push_back(layer.input);
    }
    const plan::ActivationPlan *found = plan ? plan->findActivation(layer.input) : nullptr;
    bool isQuantized = found && found->type != ElementType::F32;
    layers.push_back({layer.weight, *geometry, number->second, isQuantized ? found : nullptr});
  }
  return layers;
}

/// Returns the end of the layers from `begin` whose sums fit the memory of a worker.
size_t endOfRun(const std::vector<ObservedLayer> &layers, size_t begin) {
  int64_t bytes = 0;
  size_t end = begin;
  while (end < layers.size()) {
    bytes += ProductSums::bytesFor(layers[end].geometry, layers[end].hasProducts());
    if (bytes > kWorkerBytes && end > begin) {
      break;
    }
    ++end;
  }
  return end;
}

/// Adds the products of a further layer with the same weights.
void addProducts(InputProducts &sum, const InputProducts &other) {
  sum.positions += other.positions;
  for (size_t group = 0; group < sum.sums.size(); ++group) {
    for (size_t i = 0; i < sum.sums[group].size(); ++i) {
      sum.sums[group][i] += other.sums[group][i];
    }
  }
  for (size_t group = 0; group < sum.products.size(); ++group) {
    for (size_t i = 0; i < sum.products[group].size(); ++i) {
      sum.products[group][i] += other.products[group][i];
    }
  }
}

/// The sums of the layers of one run over the samples, per worker.
class Run {
public:
  Run(const std::vector<ObservedLayer> &layers, size_t begin, size_t end, size_t workers)
      : layers(layers), begin(begin), sums(workers), seen(workers) {
    for (std::vector<ProductSums> &worker : sums) {
      for (size_t i = begin; i < end; ++i) {
        worker.emplace_back(layers[i].geometry, layers[i].hasProducts());
      }
    }
  }

  void visit(size_t worker, llvm::ArrayRef<ProbeValue> values, size_t samples) {
    auto number = static_cast<int64_t>(seen[worker]++ * sums.size() + worker);
    for (size_t i = 0; i < sums[worker].size(); ++i) {
      const ObservedLayer &layer = layers[begin + i];
      addLayer(layer, values[layer.tensor], samples, number, sums[worker][i]);
    }
  }

  void takeInto(std::map<std::string, InputProducts> &result) {
    for (size_t i = 0; i < sums[0].size(); ++i) {
      for (size_t worker = 1; worker < sums.size(); ++worker) {
        sums[0][i].merge(sums[worker][i]);
      }
      InputProducts products = sums[0][i].take();
      auto [entry, isNew] = result.try_emplace(layers[begin + i].weight);
      if (isNew) {
        entry->second = std::move(products);
      } else {
        addProducts(entry->second, products);
      }
    }
  }

private:
  const std::vector<ObservedLayer> &layers;
  size_t begin;
  std::vector<std::vector<ProductSums>> sums;
  std::vector<size_t> seen;
};

} // namespace

Result<std::map<std::string, InputProducts>>
observeProducts(const onnx::ModelProto &prepared, const plan::Points &points, const InputPins &pins,
                const plan::Plan *plan, const io::Dataset &data, const std::vector<size_t> &samples,
                const ObserveOptions &options) {
  std::vector<std::string> tensors;
  std::vector<ObservedLayer> layers = observedLayers(prepared, points, plan, tensors);
  Result<ProbedModel> model = ProbedModel::compile(prepared, tensors, pins);
  if (!model) {
    return model.problems();
  }
  size_t workers = ProbedModel::workersFor(options, samples.size());
  std::map<std::string, InputProducts> result;
  Problems problems;
  for (size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
    end = endOfRun(layers, begin);
    Run run(layers, begin, end, workers);
    problems.append(
        model->run(data, samples, options, [&](size_t worker, llvm::ArrayRef<ProbeValue> values) {
          run.visit(worker, values, samples.size());
        }));
    if (problems.hasErrors()) {
      return problems;
    }
    run.takeInto(result);
  }
  return Result<std::map<std::string, InputProducts>>(std::move(result), problems);
}

} // namespace convoy::quantizer
