// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the model up to its first convolution, measures mean and variance of each channel in
// each form, and compares them with the BatchNormalization. The distance of a channel is the
// Kullback-Leibler divergence of two normal distributions:
//
//     (v / s - 1 - ln(v / s) + (m - r)^2 / s) / 2
//
// with the measured mean m and variance v, and the stored mean r and variance s. The distance of a
// form is the median of its channels, because a few channels of trained models are degenerate.

#include "quantizer/mistakes/NormStatistics.h"
#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "quantizer/evaluate/Evaluate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <numeric>

namespace convoy::quantizer {
namespace {

constexpr size_t kSamples = 100; // an image has many pixels, so that few images suffice
// Measured on ResNet-20 for CIFAR-10: the right form is at 0.04, a mistake of the sign at 0.3, of
// the mean at 1.1, and of the range at 60,000. The wrong channel order is at 0.07, below the limit.
constexpr double kLeastDistance = 0.2;
constexpr double kLeastRatio = 4; // of the distances of the given form and the better form

/// The stored statistics of a BatchNormalization and the convolution that it reads.
struct Norm {
  std::string tensor; // output of the convolution
  std::string node;
  std::vector<double> mean, variance;
};

std::vector<double> floatsOf(const onnx::GraphProto &graph, const std::string &name) {
  std::vector<double> values;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (tensor.name() != name || tensor.data_type() != onnx::TensorProto::FLOAT) {
      continue;
    }
    if (tensor.raw_data().empty()) {
      return {tensor.float_data().begin(), tensor.float_data().end()};
    }
    std::vector<float> floats(tensor.raw_data().size() / sizeof(float));
    std::memcpy(floats.data(), tensor.raw_data().data(), floats.size() * sizeof(float));
    values.assign(floats.begin(), floats.end());
  }
  return values;
}

/// Finds the first BatchNormalization that reads a convolution.
std::optional<Norm> firstNorm(const onnx::GraphProto &graph) {
  std::map<std::string, const onnx::NodeProto *> convolutions; // by output
  for (const onnx::NodeProto &node : graph.node()) {
    if (node.op_type() == "Conv") {
      convolutions[node.output(0)] = &node;
    }
    if (node.op_type() != "BatchNormalization" || node.input_size() < 5 ||
        !convolutions.count(node.input(0))) {
      continue;
    }
    Norm norm{node.input(0), node.name(), floatsOf(graph, node.input(3)),
              floatsOf(graph, node.input(4))};
    if (!norm.mean.empty() && norm.mean.size() == norm.variance.size()) {
      return norm;
    }
  }
  return std::nullopt;
}

/// Returns the model with the tensor as its only output. The importer removes unused nodes.
Model truncated(const Model &model, const std::string &tensor) {
  auto proto = std::make_shared<onnx::ModelProto>(*model.file().proto);
  onnx::GraphProto &graph = *proto->mutable_graph();
  while (graph.node_size() > 0 && !llvm::is_contained(graph.node().rbegin()->output(), tensor)) {
    graph.mutable_node()->RemoveLast();
  }
  graph.clear_output();
  onnx::ValueInfoProto *output = graph.add_output();
  output->set_name(tensor);
  output->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return Model(std::make_shared<import::Model>(
      import::Model{proto, model.file().directory, model.file().name}));
}

/// Sums of one form.
struct Sums {
  std::vector<double> sum, squares;
  double count = 0;

  void add(const Tensor &tensor) {
    int64_t channels = tensor.dim(1), inner = tensor.size() / channels / tensor.dim(0);
    sum.resize(channels);
    squares.resize(channels);
    const auto *values = tensor.data<float>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      int64_t c = i / inner % channels;
      sum[c] += values[i];
      squares[c] += static_cast<double>(values[i]) * values[i];
    }
    count += static_cast<double>(tensor.size()) / static_cast<double>(channels);
  }

  /// Returns the distance from the stored statistics.
  double distance(const Norm &norm) const {
    std::vector<double> distances;
    for (size_t c = 0; c < std::min(sum.size(), norm.mean.size()); ++c) {
      double stored = std::max(norm.variance[c], 1e-12), mean = sum[c] / count;
      double ratio = std::max(squares[c] / count - mean * mean, 1e-12) / stored;
      double shift = mean - norm.mean[c];
      distances.push_back((ratio - 1 - std::log(ratio) + shift * shift / stored) / 2);
    }
    if (distances.empty()) {
      return 0;
    }
    auto middle = distances.begin() + static_cast<ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }
};

/// Measures each form.
Result<std::vector<double>> distancesOf(const Model &model, const InputPins &pins,
                                        const AlteredData &altered, size_t count, const Norm &norm,
                                        const MistakeOptions &options) {
  std::vector<Sums> sums(altered.size() / count);
  std::vector<size_t> numbers(altered.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  EvaluateOptions evaluation;
  evaluation.threads = 1; // sums depend on the order of the samples
  evaluation.progress = options.progress;
  evaluation.output = [&](size_t index, const Tensor &output) -> llvm::Error {
    if (output.rank() < 2 || output.type() != ElementType::F32) {
      return llvm::createStringError("the convolution has no channels");
    }
    sums[index / count].add(output);
    return llvm::Error::success();
  };
  Workflow workflow = Workflow(truncated(model, norm.tensor)).with([&](CompileRequest &request) {
    request.inputs = pins;
  });
  Result<std::vector<Answer>> result = evaluate(workflow, altered, numbers, evaluation);
  if (!result) {
    return result.problems();
  }
  std::vector<double> distances;
  for (const Sums &form : sums) {
    distances.push_back(form.distance(norm));
  }
  return distances;
}

} // namespace

Result<std::vector<Mistake>> findNormMistakes(const Model &model, const InputPins &pins,
                                              const io::Dataset &data,
                                              const std::vector<size_t> &samples,
                                              const std::vector<Alternative> &forms,
                                              const MistakeOptions &options) {
  std::optional<Norm> norm = firstNorm(model.file().proto->graph());
  if (!norm || samples.empty()) {
    return std::vector<Mistake>();
  }
  std::vector<const Alternative *> all{nullptr};
  for (const Alternative &form : forms) {
    // The size of images changes these statistics too little.
    if (form.kind != MistakeKind::Size) {
      all.push_back(&form);
    }
  }
  std::vector<size_t> chosen(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(std::min(
                                                                    samples.size(), kSamples)));
  Result<std::vector<double>> distances =
      distancesOf(model, pins, AlteredData(data, chosen, all), chosen.size(), *norm, options);
  if (!distances) {
    return distances.problems();
  }
  auto best = std::min_element(distances->begin() + 1, distances->end());
  double given = distances->front();
  if (best == distances->end() || given < kLeastDistance || *best * kLeastRatio > given) {
    return std::vector<Mistake>();
  }
  const Alternative &form = *all[best - distances->begin()];
  std::string text;
  llvm::raw_string_ostream os(text);
  os << form.mistake << ": the first convolution of " << chosen.size()
     << " samples differs from the statistics of the batch normalization '" << norm->node << "' by "
     << llvm::format("%.2g as given and %.2g with the remedy", given, *best)
     << " (median divergence of the channels); " << form.remedy;
  return std::vector<Mistake>{{form.kind, Severity::Warning, text}};
}

} // namespace convoy::quantizer
