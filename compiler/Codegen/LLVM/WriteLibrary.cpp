// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files of a compiled model as one set. The inputs of the linker are in the temporary
// folder of the set.

#include "Codegen/LLVM/FileDigest.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LibraryGlue.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/Weights.h"
#include "Support/OutputFile.h"
#include "Support/OutputSet.h"
#include "runtime/core/library.h"
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
    // The temporary folder is not in the system's folder, which is often in memory, because
    // the weights are large.
    if (llvm::Error error = set.create(directory)) {
      return error;
    }
    // The order of the renames: an earlier library finds the earlier weights under another name
    // until the new library is in place.
    if (llvm::Error error = writeWeights()) {
      return error;
    }
    if (llvm::Error error = writeObjects()) {
      return error;
    }
    files.library = inFolder(directory, options.model + ".so");
    std::string library = set.add(files.library);
    if (llvm::Error error = linkLibrary(linkInputs, options.model + ".so", library, files.library,
                                        options.isBare)) {
      return error;
    }
    if (!options.isBare) {
      if (llvm::Error error = appendDigest(library, files.library, files.interface.hash)) {
        return error;
      }
      files.header = inFolder(directory, options.model + ".h");
      if (llvm::Error error = set.write(files.header, headerText(files.interface))) {
        return error;
      }
    }
    // The tuner measures a bare library and removes it.
    return set.commit(/*syncs=*/!options.isBare);
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
      if (llvm::Error error = set.write(files.object, textOf(object))) {
        return error;
      }
    }
    if (llvm::Error error = addInput(options.model + ".o", textOf(object))) {
      return error;
    }
    if (!options.isBare) {
      llvm::Expected<ObjectBytes> glue = emitGlue(files.interface, options);
      if (!glue) {
        return glue.takeError();
      }
      // A model cannot have this name, because a C identifier has no hyphen.
      if (llvm::Error error = addInput("convoy-glue.o", textOf(*glue))) {
        return error;
      }
    }
    llvm::append_range(linkInputs, options.customObjects);
    return addInput("runtime.a", *runtime);
  }

  llvm::Error addInput(const std::string &name, StringRef bytes) {
    linkInputs.push_back(set.temporary(name));
    return writeFile(linkInputs.back(), bytes);
  }

  llvm::Error writeWeights() {
    int64_t bytes = files.interface.weightsBytes;
    if (files.interface.weightsInFile) {
      files.weights = inFolder(directory, options.model + ".weights");
      std::string staged = set.add(files.weights);
      set.keepEarlier(files.weights, options.model + ".weights" CONVOY_EARLIER_WEIGHTS);
      if (llvm::Error error =
              writeNewFile(staged, files.weights, [&](llvm::raw_fd_ostream &stream) {
                return streamWeightsFile(module, bytes, weightsHash, stream);
              })) {
        return error;
      }
      return appendDigest(staged, files.weights, files.interface.hash);
    }
    linkInputs.push_back(set.temporary("convoy-weights.o"));
    return writeWeightsObject(module, bytes, options.model + "_weights",
                              llvm::Triple(options.target.triple), linkInputs.back());
  }

  ModuleOp module;
  const CodegenOptions &options;
  StringRef directory;
  OutputSet set;
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
