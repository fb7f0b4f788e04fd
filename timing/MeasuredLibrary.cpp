// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes inputs as raw bytes and the interface of the library as JSON.

#include "timing/MeasuredLibrary.h"
#include "Driver/TensorConversion.h"
#include "Support/ElementType.h"
#include "Support/ShapeText.h"
#include "Support/TemporaryFolder.h"
#include "io/Files.h"
#include "io/InputData.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::timing {
namespace {

llvm::json::Object toJson(const TensorInfo &tensor) {
  return llvm::json::Object{{"name", llvm::json::fixUTF8(tensor.name)},
                            {"type", static_cast<int64_t>(tensor.type)},
                            {"shape", llvm::json::Array(tensor.shape)},
                            {"bytes", tensor.bytes}};
}

} // namespace

llvm::Expected<Tensor> inputData(const TensorInfo &input, size_t index, const NamedTensors &given) {
  auto found = given.find(input.name);
  if (found == given.end()) {
    return io::randomTensor(input.type, input.shape, index);
  }
  llvm::Expected<Tensor> tensor = driver::toTensor(found->second);
  if (tensor && (tensor->type() != input.type || tensor->shape() != llvm::ArrayRef(input.shape))) {
    return llvm::createStringError(llvm::Twine("input '") + input.name + "': expects " +
                                   name(input.type) + " " + shapeText(input.shape) + ", got " +
                                   name(tensor->type()) + " " + shapeText(tensor->shape()));
  }
  return tensor;
}

std::string inputFile(llvm::StringRef folder, size_t index) {
  return inFolder(folder, "input_" + llvm::Twine(index) + ".raw");
}

llvm::Error writeRaw(const Tensor &tensor, const std::string &path) {
  return io::writeFile(path,
                       llvm::StringRef(static_cast<const char *>(tensor.raw()), tensor.bytes()));
}

llvm::Error writeInputs(const CompileReport &summary, const NamedTensors &given,
                        llvm::StringRef folder) {
  for (auto [index, input] : llvm::enumerate(summary.inputs)) {
    llvm::Expected<Tensor> data = inputData(input, index, given);
    if (!data) {
      return data.takeError();
    }
    if (llvm::Error error = writeRaw(*data, inputFile(folder, index))) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::json::Object libraryToJson(const Artifact &artifact) {
  return llvm::json::Object{{"library", artifact.files.library},
                            {"symbol", artifact.report.model},
                            {"workspaceBytes", artifact.report.workspaceBytes}};
}

llvm::json::Object specification(const Artifact &artifact, llvm::StringRef mode,
                                 llvm::StringRef folder) {
  llvm::json::Array inputs, outputs;
  for (auto [index, input] : llvm::enumerate(artifact.report.inputs)) {
    llvm::json::Object entry = toJson(input);
    entry["file"] = inputFile(folder, index);
    inputs.push_back(std::move(entry));
  }
  for (const TensorInfo &output : artifact.report.outputs) {
    outputs.push_back(toJson(output));
  }
  return llvm::json::Object{{"mode", mode},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)},
                            {"outputFolder", folder},
                            {"compiled", libraryToJson(artifact)}};
}

} // namespace convoy::timing
