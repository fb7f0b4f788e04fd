// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges tensors with the emulated program as files.

#include "Codegen/LLVM/EmulatedModel.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LibraryGlue.h"
#include "Targets/AllowedCommands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::codegen {
namespace {

/// Reads the file of an output as a tensor.
llvm::Expected<Tensor> readTensor(const TensorDescriptor &expected, const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer || static_cast<int64_t>((*buffer)->getBufferSize()) != expected.bytes) {
    return llvm::createStringError("the emulated program did not write %lld bytes for output '%s'",
                                   static_cast<long long>(expected.bytes), expected.name.c_str());
  }
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  return Tensor::view(expected.type, expected.shape, owner->getBufferStart(), owner);
}

/// Runs a command. The error contains its output.
llvm::Error execute(ArrayRef<std::string> command, const std::string &log) {
  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string problem;
  int code = llvm::sys::ExecuteAndWait(command[0], arguments, /*Env=*/std::nullopt, redirects,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  if (code == 0) {
    return llvm::Error::success();
  }
  auto printed = llvm::MemoryBuffer::getFile(log);
  std::string text = printed ? (*printed)->getBuffer().trim().str() : "";
  return llvm::createStringError("'" + command[0] + "' ended with exit code " +
                                 std::to_string(code) + ": " + problem +
                                 (problem.empty() || text.empty() ? "" : "; ") + text);
}

} // namespace

llvm::Expected<std::string> findEmulator(const targets::Target &target) {
  std::string problem = targets::whyNotHere(target);
  if (target.emulator.empty()) {
    return llvm::createStringError("cannot run code for target '" + target.name + "' here: " +
                                   problem + ", and its description names no emulator");
  }
  if (llvm::Error error = targets::checkMayRun(target.emulator)) {
    return std::move(error);
  }
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(target.emulator.front());
  if (!program) {
    return llvm::createStringError("cannot run code for target '" + target.name +
                                   "' here: " + problem + ", and its emulator '" +
                                   target.emulator.front() + "' is not installed");
  }
  llvm::Expected<StringRef> runner = foreignRunner(target);
  if (!runner) {
    return runner.takeError();
  }
  return *program;
}

llvm::Expected<std::unique_ptr<EmulatedModel>> EmulatedModel::build(ModuleOp module,
                                                                    const CodegenOptions &options) {
  std::unique_ptr<EmulatedModel> model(new EmulatedModel());
  llvm::Expected<std::string> emulator = findEmulator(options.target);
  if (!emulator) {
    return emulator.takeError();
  }
  llvm::Expected<StringRef> runner = foreignRunner(options.target);
  if (!runner) {
    return runner.takeError();
  }
  if (llvm::Error error = model->folder.createInSystem()) {
    return error;
  }
  CodegenOptions linked = options;
  linked.weights = WeightsPlace::Linked;
  llvm::Expected<LibraryFiles> files = writeLibrary(module, linked, model->folder.path());
  if (!files) {
    return files.takeError();
  }
  model->interface = std::move(files->interface);
  model->emulator = std::move(*emulator);
  model->target = options.target;
  model->library = std::move(files->library);
  model->runner = model->folder.file("runner");
  if (llvm::Error error = writeFile(model->runner, *runner)) {
    return error;
  }
  if (std::error_code error = fs::setPermissions(model->runner, fs::all_read | fs::all_exe)) {
    return cannotWrite(model->runner, error);
  }
  return model;
}

std::vector<std::string> EmulatedModel::commandLine(ArrayRef<std::string> inputs,
                                                    ArrayRef<std::string> outputs) const {
  std::vector<std::string> command = {emulator};
  command.insert(command.end(), target.emulator.begin() + 1, target.emulator.end());
  command.insert(command.end(), {runner, library});
  command.insert(command.end(), inputs.begin(), inputs.end());
  command.insert(command.end(), outputs.begin(), outputs.end());
  return command;
}

llvm::Expected<std::vector<Tensor>> EmulatedModel::run(ArrayRef<Tensor> in) const {
  if (llvm::Error error = checkInputs(interface.inputs, in)) {
    return error;
  }
  std::vector<std::string> inputs, outputs;
  for (const Tensor &tensor : in) {
    inputs.push_back(folder.file("input_" + llvm::Twine(inputs.size())));
    StringRef bytes(static_cast<const char *>(tensor.raw()), tensor.bytes());
    if (llvm::Error error = writeFile(inputs.back(), bytes)) {
      return error;
    }
  }
  std::vector<TensorDescriptor> written = writtenTensors(interface);
  for (size_t i = 0; i < written.size(); ++i) {
    outputs.push_back(folder.file("output_" + llvm::Twine(i)));
  }
  if (llvm::Error error = execute(commandLine(inputs, outputs), folder.file("log"))) {
    return error;
  }
  std::vector<Tensor> results;
  for (auto [path, output] : llvm::zip(outputs, written)) {
    llvm::Expected<Tensor> tensor = readTensor(output, path);
    if (!tensor) {
      return tensor.takeError();
    }
    results.push_back(std::move(*tensor));
  }
  return readOutputs(interface, std::move(results));
}

} // namespace convoy::codegen
