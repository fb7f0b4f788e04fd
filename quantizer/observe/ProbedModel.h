// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model on samples with compiled code and shows the values of its tensors. Observe.cpp and
// ObserveProducts.cpp use it.

#pragma once

#include "convoy/artifact.h"
#include "quantizer/observe/Observe.h"
#include "llvm/ADT/STLFunctionalExtras.h"

struct convoy_model; // convoy/table.h; NOLINT(readability-identifier-naming)

namespace convoy::quantizer {

/// The elements of a tensor in one inference.
struct ProbeValue {
  const float *elements = nullptr;
  std::vector<int64_t> shape;

  int64_t count() const { return elementCountOf(shape); }
};

/// A compiled model whose tensors can be read. All threads run the same code with their own memory.
class ProbedModel {
public:
  /// Compiles the model for this machine with the tensors as outputs. Inputs of the model can be
  /// tensors too.
  static Result<ProbedModel> compile(const onnx::ModelProto &prepared,
                                     const std::vector<std::string> &tensors,
                                     const InputPins &pins);

  /// Receives the values of the tensors in the order of compile, for one sample. Different workers
  /// call it at the same time.
  using Visitor = llvm::function_ref<void(size_t worker, llvm::ArrayRef<ProbeValue> values)>;

  /// Runs the samples: worker w runs samples w, w + threads, ..., so that the result of a sum per
  /// worker does not depend on timing. Returns the errors.
  Problems run(const io::Dataset &data, const std::vector<size_t> &samples,
               const ObserveOptions &options, Visitor visit) const;

  /// Returns the number of workers that `run` uses.
  static size_t workersFor(const ObserveOptions &options, size_t samples);

private:
  friend class ProbeWorker;
  std::shared_ptr<InMemoryModel> memory;
  const convoy_model *table = nullptr;
  /// For each tensor the number of the output, or of the input if isInput is set.
  struct Place {
    size_t index = 0;
    bool isInput = false;
  };
  std::vector<Place> places;
};

} // namespace convoy::quantizer
