// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs models in memory, for the compiler's tools and for programs that embed the compiler.

#include "Driver/LoadedProgram.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "Support/TypedError.h"
#include "convoy/artifact.h"

using namespace mlir;

namespace convoy {
namespace driver {

std::vector<Tensor> tensorsOf(ArrayRef<Datum> data) {
  std::vector<Tensor> tensors;
  for (const Datum &datum : data) {
    tensors.push_back(datum.tensor);
  }
  return tensors;
}

} // namespace driver

Result<std::vector<driver::Datum>> LoadedProgram::run(const driver::NamedData &data) {
  Problems &problems = context->log.problems();
  problems.clear();
  std::vector<driver::Datum> arguments = signature.argumentsOf(data, problems);
  if (problems.hasErrors()) {
    return problems;
  }
  FailureOr<std::vector<driver::Datum>> results = executable->run(arguments);
  if (failed(results)) {
    if (!problems.hasErrors()) {
      problems.addError("this is a bug in convoy: a run failed without a diagnostic",
                        ProblemKind::Bug);
    }
    return problems;
  }
  return Result<std::vector<driver::Datum>>(signature.outputsOf(std::move(*results)), problems);
}

InMemoryModel::InMemoryModel(std::unique_ptr<LoadedProgram> program) : loaded(std::move(program)) {}
InMemoryModel::~InMemoryModel() = default;

const std::vector<std::string> &InMemoryModel::inputNames() const { return loaded->inputNames(); }
const std::vector<std::string> &InMemoryModel::outputNames() const { return loaded->outputNames(); }

const convoy_model *InMemoryModel::table() const { return loaded->table(); }

Result<std::vector<TensorData>> InMemoryModel::run(const NamedTensors &inputs) {
  driver::NamedData data;
  Problems problems;
  for (const auto &[name, value] : inputs) {
    if (llvm::Expected<Tensor> tensor = driver::toTensor(value)) {
      data[name] = std::move(*tensor);
    } else {
      addError(problems, withPrefix("input '" + name + "': ", tensor.takeError()));
    }
  }
  if (problems.hasErrors()) {
    return problems;
  }
  Result<std::vector<driver::Datum>> results = loaded->run(data);
  if (!results) {
    return results.problems();
  }
  std::vector<TensorData> outputs;
  for (const driver::Datum &result : *results) {
    if (!result.isTensor()) {
      addUnsupported(problems, "not supported: an output that is not a tensor");
      return problems;
    }
    outputs.push_back(driver::toTensorData(result.tensor));
  }
  return Result<std::vector<TensorData>>(std::move(outputs), results.problems());
}

} // namespace convoy
