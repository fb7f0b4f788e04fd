// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the files of a model in C as one set.

#include "Codegen/C/CustomHeader.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/Weights.h"
#include "Support/OutputSet.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

/// Writes the bytes in memory order, and an assembly file that includes them, because no
/// compiler reads hundreds of megabytes of numbers.
llvm::Error writeWeights(ModuleOp module, SourceFiles &files, StringRef directory, OutputSet &set) {
  const std::string &model = files.interface.model;
  files.weights = inFolder(directory, model + ".weights");
  files.weightsAssembly = inFolder(directory, model + "_weights.S");
  auto print = [&](llvm::raw_fd_ostream &stream) {
    return streamWeights(module, files.interface.weightsBytes, stream);
  };
  if (llvm::Error problem = set.write(files.weights, print)) {
    return problem;
  }
  return set.write(files.weightsAssembly,
                   "/* The weights of '" + model + "'. Assemble this file in the folder of " +
                       model + ".weights, or use -I with that folder. */\n" +
                       "    .section .rodata\n    .balign 64\n    .globl " + model + "_weights\n" +
                       model + "_weights:\n    .incbin \"" + model +
                       ".weights\"\n#if defined(__linux__) && defined(__ELF__)\n" +
                       "    .section .note.GNU-stack, \"\", %progbits\n#endif\n");
}

/// Returns the path of the copy of a C file of a custom op. No other file of the model and of a
/// program has a name of this form.
std::string copyOf(const std::string &source, StringRef model, StringRef directory) {
  return inFolder(directory, model + "_custom_" + llvm::sys::path::filename(source));
}

/// Checks that the files of the model replace no C file of a custom op.
llvm::Error protectSources(const SourceOptions &options, StringRef directory) {
  std::vector<std::string> written;
  for (StringRef end : {".c", ".h", ".mk", "_test.c", ".weights", "_weights.S"}) {
    written.push_back(inFolder(directory, options.model + end));
  }
  for (const std::string &source : options.customSources) {
    written.push_back(copyOf(source, options.model, directory));
  }
  for (const std::string &file : written) {
    auto isSource = [&](const std::string &source) {
      return llvm::sys::fs::equivalent(source, file);
    };
    if (llvm::any_of(options.customSources, isSource)) {
      return llvm::createStringError("the emitted file '" + file +
                                     "' would replace a C file of a custom op; choose another "
                                     "output folder, or another name with --name");
    }
  }
  return llvm::Error::success();
}

/// Copies the C files of custom ops and their header beside the model.
llvm::Error copyCustomSources(const SourceOptions &options, StringRef directory, SourceFiles &files,
                              OutputSet &set) {
  if (files.interface.customFunctions.empty()) {
    return llvm::Error::success();
  }
  for (const std::string &source : options.customSources) {
    auto buffer = llvm::MemoryBuffer::getFile(source);
    if (!buffer) {
      return llvm::createStringError("cannot read '" + source +
                                     "': " + buffer.getError().message());
    }
    files.customSources.push_back(copyOf(source, options.model, directory));
    if (llvm::Error error = set.write(files.customSources.back(), (*buffer)->getBuffer())) {
      return error;
    }
  }
  return set.write(inFolder(directory, kCustomHeaderPath), customHeaderText());
}

/// Writes all files to the set.
llvm::Error writeFiles(ModuleOp module, const SourceOptions &options, StringRef directory,
                       StringRef text, const TestCase *test, SourceFiles &files, OutputSet &set) {
  if (files.interface.weightsInFile) {
    if (llvm::Error error = writeWeights(module, files, directory, set)) {
      return error;
    }
    files.interface.weightsInFile = false; // <model>.h must not declare <model>_open
  }
  if (llvm::Error error = copyCustomSources(options, directory, files, set)) {
    return error;
  }
  files.source = inFolder(directory, options.model + ".c");
  if (llvm::Error error = set.write(files.source, text)) {
    return error;
  }
  if (test) {
    files.test = inFolder(directory, options.model + "_test.c");
    if (llvm::Error error = set.write(files.test, testText(files.interface, *test))) {
      return error;
    }
  }
  files.makefile = inFolder(directory, options.model + ".mk");
  if (llvm::Error error = set.write(files.makefile, makefileText(files, options))) {
    return error;
  }
  files.header = inFolder(directory, options.model + ".h");
  return set.write(files.header, headerText(files.interface));
}

} // namespace

llvm::Expected<SourceFiles> writeSource(ModuleOp module, const SourceOptions &options,
                                        StringRef directory, const TestCase *test) {
  if (llvm::Error error = checkModelName(options.model)) {
    return std::move(error);
  }
  if (llvm::Error error = checkCustomFunctions(module, options.model)) {
    return std::move(error);
  }
  auto main = module.lookupSymbol<func::FuncOp>("main");
  recordTensors(module, main, options.model);
  llvm::Expected<ModelInterface> interface = readInterface(module);
  if (!interface) {
    return interface.takeError();
  }
  SourceFiles files;
  files.interface = std::move(*interface);
  files.interface.target = options.target.name;
  files.interface.features = llvm::join(options.target.features, ",");
  files.interface.isEmittedC = true;
  files.interface.weightsInFile = files.interface.weightsBytes > options.weightsTextBytes;
  llvm::Expected<std::string> text = sourceText(module, options, files.interface, &files.layers);
  if (!text) {
    return text.takeError();
  }
  if (llvm::Error error = protectSources(options, directory)) {
    return std::move(error);
  }
  OutputSet set;
  if (llvm::Error error = set.create(directory)) {
    return std::move(error);
  }
  if (llvm::Error error = writeFiles(module, options, directory, *text, test, files, set)) {
    return std::move(error);
  }
  if (llvm::Error error = set.commit()) {
    return std::move(error);
  }
  return files;
}

} // namespace convoy::codegen
