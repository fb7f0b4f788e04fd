// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads take samples in order, run the model and reduce its first output to an answer. An answer
// depends only on its sample, so the result does not depend on the number of threads.

#include "quantizer/evaluate/Evaluate.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "quantizer/evaluate/ModelPool.h"
#include "quantizer/observe/OnThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <atomic>
#include <cmath>
#include <mutex>

namespace convoy::quantizer {
namespace {

bool hasNaN(const Tensor &tensor) {
  if (tensor.type() == ElementType::String) {
    return false;
  }
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (std::isnan(tensor.asDouble(i))) {
      return true;
    }
  }
  return false;
}

/// Returns the index of the largest element; of equal elements, the first.
int64_t topOf(const Tensor &tensor) {
  int64_t top = tensor.size() > 0 ? 0 : -1;
  for (int64_t i = 1; i < tensor.size(); ++i) {
    top = tensor.asDouble(i) > tensor.asDouble(top) ? i : top;
  }
  return top;
}

/// Returns whether the element is among the K largest; of equal elements, the first ones count.
bool isInTop(const Tensor &tensor, int64_t index, int64_t k) {
  if (index >= tensor.size()) {
    return false;
  }
  double value = tensor.asDouble(index);
  int64_t before = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    double other = tensor.asDouble(i);
    before += other > value || (other == value && i < index);
  }
  return before < k;
}

double relativeL2(const Tensor &tensor, const Tensor &reference) {
  double difference = 0, square = 0;
  for (int64_t i = 0; i < std::min(tensor.size(), reference.size()); ++i) {
    double wanted = reference.asDouble(i), error = tensor.asDouble(i) - wanted;
    difference += error * error;
    square += wanted * wanted;
  }
  return square > 0 ? std::sqrt(difference / square) : difference > 0 ? INFINITY : 0;
}

/// One evaluation. Several threads call work().
class Evaluation {
public:
  Evaluation(const io::Dataset &data, const std::vector<size_t> &samples,
             const EvaluateOptions &options)
      : data(data), samples(samples), options(options), answers(samples.size()),
        hasNaNInput(samples.size()) {}

  Result<std::vector<Answer>> run(const Workflow &model) {
    if (samples.empty()) {
      return answers;
    }
    if (!compile(model)) {
      return problems;
    }
    onThreads(pool->workers(), [this](size_t worker) { work(worker); });
    if (failure.hasErrors()) {
      problems.append(failure);
    } else {
      warnOfNaN();
    }
    return problems.hasErrors() ? Result<std::vector<Answer>>(problems)
                                : Result<std::vector<Answer>>(std::move(answers), problems);
  }

private:
  /// Compiles the models for the shapes of the first sample.
  bool compile(const Workflow &model) {
    Result<NamedTensors> first = data.read(samples[0]);
    problems.append(first.problems());
    if (!first) {
      return false;
    }
    auto threads = std::min<int64_t>(options.threads, static_cast<int64_t>(samples.size()));
    auto add = [&](const Workflow &workflow, std::optional<ModelPool> &to) {
      Result<ModelPool> compiled = ModelPool::compile(workflow, *first, threads);
      problems.append(compiled.problems());
      if (compiled) {
        to = std::move(*compiled);
      }
      return bool(compiled);
    };
    return add(model, pool) && (!options.reference || add(*options.reference, reference));
  }

  /// Reports samples with a NaN and outputs without an answer.
  void warnOfNaN() {
    warnOf("the data has a NaN in ", ", first in '",
           "'; a NaN usually is a missing value; replace it or remove these samples",
           [&](size_t i) { return hasNaNInput[i] != 0; });
    warnOf("the output has a NaN on ", ", first on '",
           "'; a NaN is no class and counts as a wrong answer; check the values of these samples "
           "and their preprocessing",
           [&](size_t i) { return answers[i].isNaN; });
  }

  void warnOf(const char *begin, const char *middle, const char *end,
              llvm::function_ref<bool(size_t)> isConcerned) {
    auto places = llvm::seq<size_t>(0, answers.size());
    auto first = llvm::find_if(places, isConcerned);
    if (first != places.end()) {
      problems.add({ProblemKind::Warning,
                    begin + std::to_string(llvm::count_if(places, isConcerned)) + " of " +
                        std::to_string(answers.size()) + " samples" + middle +
                        data.nameOf(samples[*first]) + end,
                    {}});
    }
  }

  void work(size_t worker) {
    for (size_t i = next++; i < samples.size() && !hasFailed; i = next++) {
      llvm::Error error = answer(worker, i);
      std::lock_guard<std::mutex> lock(mutex);
      if (error) {
        hasFailed = true;
        // Threads take samples in order and finish them, so the first error is always the same.
        Problems found;
        addError(found, std::move(error));
        failure = i < failedAt ? found : failure;
        failedAt = std::min(i, failedAt);
      } else if (++done; options.progress) {
        options.progress(done, samples.size());
      }
    }
  }

  llvm::Error answer(size_t worker, size_t i) {
    Result<NamedTensors> sample = data.read(samples[i]);
    if (!sample) {
      return firstErrorOf(sample.problems());
    }
    llvm::Expected<std::vector<Tensor>> outputs = pool->run(worker, *sample);
    if (!outputs) {
      return withPrefix("sample '" + data.nameOf(samples[i]) + "': ", outputs.takeError());
    }
    if (outputs->empty() || (*outputs)[0].type() == ElementType::String) {
      return llvm::createStringError("the model has no output of numbers to evaluate");
    }
    const Tensor &output = (*outputs)[0];
    Answer &result = answers[i];
    for (const auto &[name, value] : *sample) {
      llvm::Expected<Tensor> tensor = driver::toTensor(value);
      if (!tensor) {
        return tensor.takeError();
      }
      hasNaNInput[i] |= static_cast<char>(hasNaN(*tensor));
    }
    result.isNaN = hasNaN(output);
    result.top = result.isNaN ? -1 : topOf(output);
    if (std::optional<int64_t> label = data.label(samples[i]); label && !result.isNaN) {
      result.isRight = result.top == *label;
      result.isInTopK = isInTop(output, *label, options.topK);
    }
    if (reference) {
      llvm::Expected<std::vector<Tensor>> wanted = reference->run(worker, *sample);
      if (!wanted) {
        return wanted.takeError();
      }
      result.relativeL2 = relativeL2(output, (*wanted)[0]);
    }
    return options.output ? options.output(i, output) : llvm::Error::success();
  }

  const io::Dataset &data;
  const std::vector<size_t> &samples;
  const EvaluateOptions &options;
  std::vector<Answer> answers;
  std::vector<char> hasNaNInput; // of each sample; char, because threads write their samples
  std::optional<ModelPool> pool, reference;
  Problems problems;
  std::atomic<size_t> next{0};
  std::atomic<bool> hasFailed{false};
  std::mutex mutex; // of the members below and the progress
  size_t done = 0;
  size_t failedAt = SIZE_MAX;
  Problems failure;
};

} // namespace

Result<std::vector<Answer>> evaluate(const Workflow &model, const io::Dataset &data,
                                     const std::vector<size_t> &samples,
                                     const EvaluateOptions &options) {
  return Evaluation(data, samples, options).run(model);
}

Accuracy accuracyOf(const std::vector<Answer> &answers) {
  Accuracy accuracy;
  accuracy.samples = answers.size();
  for (const Answer &answer : answers) {
    accuracy.right += answer.isRight;
    accuracy.rightInTopK += answer.isInTopK;
  }
  return accuracy;
}

} // namespace convoy::quantizer
