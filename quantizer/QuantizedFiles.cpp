// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the files of a quantization.

#include "quantizer/QuantizedFiles.h"
#include "Import/OnnxProto.h"
#include "QuantizePlan/PlanJson.h"
#include "io/Files.h"

namespace convoy::quantizer {

llvm::Expected<plan::Plan> readPlan(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = io::readFile(path);
  if (!file) {
    return file.takeError();
  }
  return plan::planFromJson((*file)->getBuffer().str(), path);
}

std::string planPath(const std::string &modelPath) {
  llvm::StringRef path = modelPath;
  path.consume_back(".onnx");
  return (path + ".plan.json").str();
}

llvm::Error writeQuantized(const QuantizeResult &result, const std::string &modelPath) {
  if (llvm::Error error = io::writeFile(modelPath, result.model->SerializeAsString())) {
    return error;
  }
  return io::writeFile(planPath(modelPath), plan::toJson(result.plan));
}

} // namespace convoy::quantizer
