// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Observes activations: one TensorObserver per tensor and worker, merged in the order of workers.

#include "quantizer/observe/Observe.h"
#include "quantizer/observe/TensorObserver.h"

namespace convoy::quantizer {

Result<std::map<std::string, TensorStatistics>>
observe(const onnx::ModelProto &prepared, const plan::Points &points, const InputPins &pins,
        const io::Dataset &data, const std::vector<size_t> &samples,
        const ObserveOptions &options) {
  std::vector<std::string> tensors;
  for (const plan::Activation &activation : points.activations) {
    tensors.push_back(activation.tensor);
  }
  Result<ProbedModel> model = ProbedModel::compile(prepared, tensors, pins);
  if (!model) {
    return model.problems();
  }
  size_t workers = ProbedModel::workersFor(options, samples.size());
  std::vector<std::vector<TensorObserver>> observers(workers,
                                                     std::vector<TensorObserver>(tensors.size()));
  Problems problems =
      model->run(data, samples, options, [&](size_t worker, llvm::ArrayRef<ProbeValue> values) {
        for (size_t i = 0; i < values.size(); ++i) {
          observers[worker][i].add(values[i]);
        }
      });
  if (problems.hasErrors()) {
    return problems;
  }
  std::map<std::string, TensorStatistics> result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t worker = 1; worker < workers; ++worker) {
      observers[0][i].merge(observers[worker][i]);
    }
    result[tensors[i]] = observers[0][i].statistics();
  }
  return Result<std::map<std::string, TensorStatistics>>(std::move(result), problems);
}

} // namespace convoy::quantizer
