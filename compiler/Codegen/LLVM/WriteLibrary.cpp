// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files of a compiled model. The inputs of the linker are in a temporary folder
// beside them, which is removed even after an error.

#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LibraryGlue.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/Weights.h"
#include "Support/TemporaryFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

StringRef textOf(const ObjectBytes &bytes) { return {bytes.data(), bytes.size()}; }

/// Writes one library.
class LibraryWriter {
public:
  LibraryWriter(ModuleOp module, const CodegenOptions &options, StringRef directory)
      : module(module), options(options), directory(directory) {}

  llvm::Error write() {
    if (llvm::Error error = compile()) {
      return error;
    }
    if (llvm::Error error = createFolder(directory)) {
      return error;
    }
    // The temporary folder is not in the system's folder, which is often in memory, because
    // the weights are large.
    if (llvm::Error error = temporary.create(directory)) {
      return error;
    }
    if (llvm::Error error = writeObjects()) {
      return error;
    }
    if (llvm::Error error = writeWeights()) {
      return error;
    }
    files.library = inFolder(directory, options.model + ".so");
    if (llvm::Error error =
            linkLibrary(linkInputs, options.model + ".so", files.library, options.isBare)) {
      return error;
    }
    if (options.isBare) {
      return llvm::Error::success();
    }
    files.header = inFolder(directory, options.model + ".h");
    return writeFile(files.header, headerText(files.interface));
  }

  LibraryFiles files;

private:
  llvm::Error compile() {
    if (llvm::Error error = lowerModule(module, options)) {
      return error;
    }
    llvm::Expected<ModelInterface> interface = readInterface(module);
    if (!interface) {
      return interface.takeError();
    }
    llvm::Expected<ObjectBytes> emitted = emitObject(module, options);
    if (!emitted) {
      return emitted.takeError();
    }
    llvm::Expected<std::string> hash = hashWeights(module);
    if (!hash) {
      return hash.takeError();
    }
    object = std::move(*emitted);
    weightsHash = std::move(*hash);
    files.interface = std::move(*interface);
    files.interface.target = options.target.name;
    files.interface.features = llvm::join(options.target.features, ",");
    files.interface.weightsInFile = options.weights == WeightsPlace::File;
    files.interface.hash = hashModel(object, weightsHash);
    files.interface.weightsHash = weightsHash;
    files.codeBytes = static_cast<int64_t>(object.size());
    return llvm::Error::success();
  }

  llvm::Error writeObjects() {
    llvm::Expected<StringRef> runtime = runtimeArchive(options.target);
    if (!runtime) {
      return runtime.takeError();
    }
    if (options.keepObject) {
      files.object = inFolder(directory, options.model + ".o");
    }
    if (llvm::Error error =
            addInput(options.keepObject ? files.object : temporary.file(options.model + ".o"),
                     textOf(object))) {
      return error;
    }
    if (!options.isBare) {
      llvm::Expected<ObjectBytes> glue = emitGlue(files.interface, options);
      if (!glue) {
        return glue.takeError();
      }
      // A model cannot have this name, because a C identifier has no hyphen.
      if (llvm::Error error = addInput(temporary.file("convoy-glue.o"), textOf(*glue))) {
        return error;
      }
    }
    llvm::append_range(linkInputs, options.customObjects);
    return addInput(temporary.file("runtime.a"), *runtime);
  }

  llvm::Error addInput(const std::string &path, StringRef bytes) {
    linkInputs.push_back(path);
    return writeFile(path, bytes);
  }

  llvm::Error writeWeights() {
    int64_t bytes = files.interface.weightsBytes;
    if (files.interface.weightsInFile) {
      files.weights = inFolder(directory, options.model + ".weights");
      return writeWeightsFile(module, bytes, weightsHash, files.weights);
    }
    linkInputs.push_back(temporary.file("convoy-weights.o"));
    return writeWeightsObject(module, bytes, options.model + "_weights",
                              llvm::Triple(options.target.triple), linkInputs.back());
  }

  ModuleOp module;
  const CodegenOptions &options;
  StringRef directory;
  TemporaryFolder temporary;
  ObjectBytes object;
  std::string weightsHash;
  std::vector<std::string> linkInputs;
};

} // namespace

llvm::Expected<LibraryFiles> writeLibrary(ModuleOp module, const CodegenOptions &options,
                                          StringRef directory) {
  LibraryWriter writer(module, options, directory);
  if (llvm::Error error = writer.write()) {
    return error;
  }
  return std::move(writer.files);
}

} // namespace convoy::codegen
