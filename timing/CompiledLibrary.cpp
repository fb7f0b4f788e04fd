// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the table of a compiled library (convoy/table.h). Driver/InspectLibrary.h prints it.

#include "timing/CompiledLibrary.h"
#include "convoy/load.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace convoy::timing {
namespace {

std::vector<TensorInfo> tensorsOf(const convoy_tensor *tensors, uint32_t count) {
  std::vector<TensorInfo> result;
  for (const convoy_tensor &tensor : llvm::ArrayRef(tensors, count)) {
    TensorInfo &info = result.emplace_back();
    info.name = tensor.name;
    info.type = static_cast<ElementType>(tensor.element_type); // both are ONNX's numbers
    info.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    info.bytes = static_cast<int64_t>(tensor.bytes);
  }
  return result;
}

CompileReport reportOf(const convoy_model &model) {
  CompileReport report;
  report.model = model.name;
  report.target = model.target;
  report.hash = model.hash;
  report.inputs = tensorsOf(model.inputs, model.input_count);
  report.outputs = tensorsOf(model.outputs, model.output_count);
  report.workspaceBytes = static_cast<int64_t>(model.workspace_bytes);
  report.weightsBytes = static_cast<int64_t>(model.weights_bytes);
  report.threads = model.threads;
  return report;
}

} // namespace

llvm::Expected<Artifact> describeLibrary(const std::string &path) {
  char problem[1024] = "";
  std::unique_ptr<convoy_loaded, void (*)(convoy_loaded *)> loaded(
      convoy_load(path.c_str(), problem, sizeof(problem)), convoy_unload);
  if (!loaded) {
    return llvm::createStringError(problem);
  }
  const convoy_model &model = *convoy_loaded_model(loaded.get());
  if (model.programs > 0) {
    return llvm::createStringError("'" + path +
                                   "' has programs for a device, and `convoy bench` "
                                   "measures libraries of the CPU; pass the ONNX model");
  }
  Artifact artifact;
  artifact.files.library = path;
  artifact.report = reportOf(model);
  return artifact;
}

} // namespace convoy::timing
