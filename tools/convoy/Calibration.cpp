// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads samples and hands them to the calibrator of the quantize stage.

#include "Calibration.h"
#include "InputData.h"
#include "Pipeline/Pipeline.h"
#include "Quantize/Calibrate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace convoy::driver {
namespace {

namespace fs = llvm::sys::fs;

/// What is in the folder, sorted: the result does not depend on the file system.
std::vector<std::string> entriesOf(StringRef folder, DiagnosticLog &log) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  if (error) {
    log.addError("--calibrate: cannot read folder '" + folder + "': " + error.message());
  } else if (entries.empty()) {
    log.addError("--calibrate: folder '" + folder +
                 "' holds no samples; put inputs of the model "
                 "there, one file or one folder of input_N.pb each");
  }
  llvm::sort(entries);
  return entries;
}

/// The inputs of one sample by name.
NamedData readSample(const std::string &path, const import::Model &model,
                     const std::vector<InputInfo> &infos, const ImageOptions &image,
                     DiagnosticLog &log) {
  if (fs::is_directory(path)) {
    llvm::Expected<NamedData> inputs = readGoldenInputs(path, model);
    if (inputs) {
      return std::move(*inputs);
    }
    log.add(inputs.takeError());
    return {};
  }
  return readInputs({{path}, image, "--calibrate"}, infos, /*isRandomByDefault=*/false, log);
}

LogicalResult calibrate(ModuleOp module, const import::Model &model,
                        const import::ImportOptions &importOptions, StringRef folder,
                        const ImageOptions &image, DiagnosticLog &log) {
  std::vector<std::string> entries = entriesOf(folder, log);
  convoy::CompileOptions stages;
  stages.quantize.isInteger = true; // the graph stage then keeps weights as integers
  PassManager passes(module.getContext());
  buildPipeline(passes, stages, "graph");
  if (log.hasErrors() || failed(passes.run(module))) {
    return failure();
  }
  auto function = module.lookupSymbol<func::FuncOp>("main");
  quantize::Ranges ranges;
  std::vector<InputInfo> infos = dataInputs(model, importOptions);
  for (const std::string &path : entries) {
    NamedData data = readSample(path, model, infos, image, log);
    std::vector<Datum> inputs;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      std::string name = function.getArgAttrOfType<StringAttr>(i, "graph.name").str();
      if (data.count(name)) {
        inputs.push_back(data[name]);
      } else if (!log.hasErrors()) {
        log.addError("--calibrate: '" + path + "' has no data for input '" + name + "'");
      }
    }
    if (log.hasErrors() || failed(ranges.add(function, inputs))) {
      return failure();
    }
  }
  if (quantize::insertQuantization(function, ranges) == 0) {
    log.addError("--calibrate: the model has no convolution or product of floats with constant "
                 "weights to quantise");
    return failure();
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> importCalibrated(Session &session, const import::Model &model,
                                       const import::ImportOptions &importOptions, StringRef folder,
                                       const ImageOptions &image) {
  OwningOpRef<ModuleOp> module = session.import(model, importOptions);
  if (module && !folder.empty() &&
      failed(calibrate(*module, model, importOptions, folder, image, session.log()))) {
    return nullptr;
  }
  return module;
}

} // namespace convoy::driver
