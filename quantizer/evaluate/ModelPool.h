// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model that several threads run side by side. Evaluate.cpp and Mistakes.cpp use it.

#pragma once

#include "Support/Tensor.h"
#include "convoy/workflow.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace convoy::quantizer {

/// Runs a model in several workers. If the code of the model has no state, the workers share the
/// code; otherwise each worker compiles a model of its own.
class ModelPool {
public:
  /// Compiles the model into this process for `workers` threads. `sample` determines the shapes of
  /// inputs that the workflow leaves open.
  static Result<ModelPool> compile(const Workflow &model, const NamedTensors &sample,
                                   int64_t workers);

  ModelPool(ModelPool &&other) noexcept;
  ModelPool &operator=(ModelPool &&other) noexcept;
  ~ModelPool();

  size_t workers() const;
  const std::vector<std::string> &outputNames() const;
  const CompileReport &summary() const;

  /// Runs the model. Different threads must use different workers. The outputs are valid until
  /// the next run of the worker.
  llvm::Expected<std::vector<Tensor>> run(size_t worker, const NamedTensors &inputs);

private:
  class Worker;
  class TableWorker;
  class CompiledWorker;
  ModelPool();

  std::vector<CompiledModel> models; // own the code that the workers run
  std::vector<std::unique_ptr<Worker>> list;
};

} // namespace convoy::quantizer
