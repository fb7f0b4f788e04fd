// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files of a compiled model. What the linker reads lies in a temporary
// folder beside them and goes away, also after an error.

#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LibraryGlue.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/Weights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::codegen {
namespace {

std::string inFolder(StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Error cannotWrite(StringRef path, std::error_code error) {
  return llvm::createStringError(error, "cannot write '%s': %s", path.str().c_str(),
                                 error.message().c_str());
}

/// A folder that is removed with all that is in it.
class TemporaryFolder {
public:
  ~TemporaryFolder() {
    if (!path.empty()) {
      // Nothing can be done about a folder that will not go.
      [[maybe_unused]] std::error_code error = fs::remove_directories(path);
    }
  }

  llvm::Error create(StringRef beside) {
    // Not the system's: it is often in memory, and the weights are large.
    llvm::SmallString<128> made;
    fs::createUniquePath(inFolder(beside, ".convoy-%%%%%%%%"), made, /*MakeAbsolute=*/false);
    if (std::error_code error = fs::create_directory(made, /*IgnoreExisting=*/false)) {
      return cannotWrite(made, error);
    }
    path = made.str().str();
    return llvm::Error::success();
  }

  std::string file(const llvm::Twine &name) const { return inFolder(path, name); }

private:
  std::string path;
};

llvm::Error writeFile(StringRef path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error) {
    return cannotWrite(path, error);
  }
  stream << bytes;
  return finishFile(stream, path);
}

StringRef textOf(const ObjectBytes &bytes) { return {bytes.data(), bytes.size()}; }

/// One library in the making.
class LibraryWriter {
public:
  LibraryWriter(ModuleOp module, const CodegenOptions &options, StringRef directory)
      : module(module), options(options), directory(directory) {}

  llvm::Error write() {
    if (llvm::Error error = compile()) {
      return error;
    }
    if (std::error_code error = fs::create_directories(directory)) {
      return cannotWrite(directory, error);
    }
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
    if (llvm::Error error = linkLibrary(linkInputs, options.model + ".so", files.library)) {
      return error;
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
    files.interface.hash =
        hashBytes(llvm::arrayRefFromStringRef(textOf(object).str() + weightsHash));
    files.codeBytes = static_cast<int64_t>(object.size());
    return llvm::Error::success();
  }

  llvm::Error writeObjects() {
    llvm::Expected<ObjectBytes> glue = emitGlue(files.interface, options, weightsHash);
    if (!glue) {
      return glue.takeError();
    }
    if (options.keepObject) {
      files.object = inFolder(directory, options.model + ".o");
    }
    std::pair<std::string, StringRef> all[] = {
        {options.keepObject ? files.object : temporary.file(options.model + ".o"), textOf(object)},
        // No model is called so: a hyphen is in no C identifier.
        {temporary.file("convoy-glue.o"), textOf(*glue)},
        {temporary.file("runtime.a"), runtimeArchive()}};
    for (const auto &[path, bytes] : all) {
      if (llvm::Error error = writeFile(path, bytes)) {
        return error;
      }
      linkInputs.push_back(path);
    }
    return llvm::Error::success();
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
