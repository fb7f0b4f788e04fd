// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the model with switches. Threads share the compiled code.

#include "quantizer/search/Sensitivity.h"
#include "Driver/AddProblem.h"
#include "quantizer/evaluate/ModelPool.h"
#include "quantizer/evaluate/WorkflowOf.h"
#include "quantizer/observe/OnThreads.h"
#include "quantizer/search/SortByKey.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <cmath>
#include <mutex>

namespace convoy::quantizer {
namespace {

double squaredNorm(const Tensor &tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    sum += tensor.asDouble(i) * tensor.asDouble(i);
  }
  return sum;
}

double squaredDistance(const Tensor &a, const Tensor &b) {
  double sum = 0;
  for (int64_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    double difference = a.asDouble(i) - b.asDouble(i);
    sum += difference * difference;
  }
  return sum;
}

/// Returns a copy that stays valid when the worker runs again.
Tensor copyOf(const Tensor &tensor) {
  Tensor copy(tensor.type(), tensor.shape());
  std::memcpy(copy.mutableRaw(), tensor.raw(), static_cast<size_t>(tensor.bytes()));
  return copy;
}

/// Distributes the switches over the workers of a pool.
class Ranking {
public:
  Ranking(ModelPool &pool, const plan::Switches &switches, std::vector<NamedTensors> samples,
          const SensitivityOptions &options)
      : pool(pool), switches(switches), samples(std::move(samples)), options(options) {}

  /// Returns the error of each switch.
  llvm::Expected<std::vector<double>> run() {
    if (llvm::Error error = runFloat()) {
      return std::move(error);
    }
    squaredErrors.assign(switches.inputs.size(), 0);
    onThreads(pool.workers(), [this](size_t worker) { work(worker); });
    if (failure.hasErrors()) {
      return firstErrorOf(failure);
    }
    std::vector<double> errors;
    for (double error : squaredErrors) {
      errors.push_back(norm > 0 ? std::sqrt(error / norm) : 0);
    }
    return errors;
  }

private:
  /// Adds the switches, all off, to the samples and computes the outputs of the float model.
  llvm::Error runFloat() {
    for (NamedTensors &sample : samples) {
      for (const std::string &input : switches.inputs) {
        sample[input] = off;
      }
      llvm::Expected<std::vector<Tensor>> result = pool.run(0, sample);
      if (!result) {
        return result.takeError();
      }
      if (result->empty() || !isFloat(result->front().type())) {
        return createUnsupported(
            "not supported: the ranking of tensors expects a model whose first output is a tensor "
            "of floats; use --sensitivity-samples 0");
      }
      outputs.push_back(copyOf(result->front()));
      norm += squaredNorm(outputs.back());
    }
    return llvm::Error::success();
  }

  void work(size_t worker) {
    for (size_t job = next++; job < squaredErrors.size() && !hasFailed; job = next++) {
      llvm::Expected<double> error = errorOf(worker, switches.inputs[job]);
      std::lock_guard<std::mutex> lock(mutex);
      if (!error) {
        hasFailed = true;
        addError(failure, error.takeError());
        return;
      }
      squaredErrors[job] = *error;
      if (++done; options.progress) {
        options.progress(done, squaredErrors.size());
      }
    }
  }

  llvm::Expected<double> errorOf(size_t worker, const std::string &input) {
    double sum = 0;
    for (auto [sample, expected] : llvm::zip_equal(samples, outputs)) {
      NamedTensors switched = sample;
      switched[input] = on;
      llvm::Expected<std::vector<Tensor>> result = pool.run(worker, switched);
      if (!result) {
        return result.takeError();
      }
      sum += squaredDistance(result->front(), expected);
    }
    return sum;
  }

  ModelPool &pool;
  const plan::Switches &switches;
  std::vector<NamedTensors> samples;
  const SensitivityOptions &options;
  const TensorData on = tensorOf({}, {1}), off = tensorOf({}, {0});
  std::vector<Tensor> outputs;       // of the float model, by sample
  double norm = 0;                   // the sum of their squares
  std::vector<double> squaredErrors; // by switch
  std::atomic<size_t> next{0};
  std::atomic<bool> hasFailed{false};
  std::mutex mutex; // of the members below and the progress
  size_t done = 0;
  Problems failure;
};

Result<std::vector<NamedTensors>> readSamples(const io::Dataset &data,
                                              const std::vector<size_t> &samples) {
  std::vector<NamedTensors> read;
  for (size_t index : samples) {
    Result<NamedTensors> sample = data.read(index);
    if (!sample) {
      return sample.problems();
    }
    read.push_back(std::move(*sample));
  }
  return read;
}

Problems problemOf(llvm::Error error) {
  Problems problems;
  addError(problems, std::move(error));
  return problems;
}

std::vector<TensorSensitivity> rank(const plan::Plan &plan, const plan::Switches &switches,
                                    const std::vector<double> &errors) {
  std::vector<TensorSensitivity> ranked;
  for (auto [tensor, error] : llvm::zip_equal(switches.tensors, errors)) {
    ranked.push_back({tensor, plan.findWeights(tensor) != nullptr, error});
  }
  sortByKey(ranked, [](const TensorSensitivity &tensor) { return -tensor.relativeError; });
  return ranked;
}

} // namespace

Result<std::vector<TensorSensitivity>>
measureSensitivity(const onnx::ModelProto &prepared, const plan::Points &points,
                   const plan::Plan &plan, const plan::FittedWeights &fitted, const InputPins &pins,
                   const io::Dataset &data, const std::vector<size_t> &samples,
                   const SensitivityOptions &options) {
  plan::Switches switches;
  llvm::Expected<onnx::ModelProto> switched =
      plan::addSwitches(prepared, points, plan, fitted, switches);
  if (!switched) {
    return problemOf(switched.takeError());
  }
  Result<std::vector<NamedTensors>> read = readSamples(data, samples);
  if (!read || read->empty()) {
    return read ? Result<std::vector<TensorSensitivity>>(std::vector<TensorSensitivity>())
                : Result<std::vector<TensorSensitivity>>(read.problems());
  }
  Result<ModelPool> pool =
      ModelPool::compile(workflowOf(std::move(*switched), pins), read->front(), options.threads);
  if (!pool) {
    return pool.problems();
  }
  llvm::Expected<std::vector<double>> errors =
      Ranking(*pool, switches, std::move(*read), options).run();
  if (!errors) {
    return problemOf(errors.takeError());
  }
  return rank(plan, switches, *errors);
}

} // namespace convoy::quantizer
