// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the writer that the request names and records the written files.

#include "Driver/WriteArtefact.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Driver/Backends/Device/DevicePrograms.h"
#include "Driver/Backends/Micro/MemoryFit.h"
#include "Driver/Backends/Source/SourceTest.h"
#include "Driver/ReportFiles.h"
#include "Support/OutputFile.h"
#include "Support/TemporaryFolder.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace convoy::driver {
namespace {

llvm::Error writeLibrary(const CompileRequest &request, const StageOptions &options,
                         ModuleOp module, Artefact &artefact) {
  llvm::Expected<codegen::LibraryFiles> files =
      codegen::writeLibrary(module, options.codegen, request.output.folder);
  if (!files) {
    return files.takeError();
  }
  reportInterface(files->interface, artefact.report);
  artefact.report.codeBytes = files->codeBytes;
  artefact.files.library = files->library;
  artefact.files.header = files->header;
  artefact.files.weights = files->weights;
  return llvm::Error::success();
}

/// Builds the program of a microcontroller and compares its memory with the request's limits.
llvm::Error checkMemory(const CompileRequest &request, const codegen::SourceOptions &options,
                        ModuleOp module) {
  if (request.output.limits.ramBytes == 0 && request.output.limits.flashBytes == 0) {
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<MicroProgram>> program = MicroProgram::build(module, options);
  if (!program) {
    return program.takeError();
  }
  return checkLimits(memoryNeedOf(**program), request.output.limits);
}

llvm::Error writeSource(const Model &model, const CompileRequest &request,
                        const ResolvedTarget &target, const StageOptions &options, ModuleOp module,
                        Artefact &artefact) {
  codegen::SourceOptions source = sourceOptionsFor(request, target, options.codegen);
  if (llvm::Error error = checkMemory(request, source, module)) {
    return error;
  }
  llvm::Expected<codegen::SourceFiles> files =
      codegen::writeSource(module, source, request.output.folder);
  if (!files) {
    return files.takeError();
  }
  if (request.output.testInputs) {
    llvm::Expected<codegen::TestCase> test = makeSourceTest(model, request);
    if (!test) {
      return test.takeError();
    }
    if (llvm::Error error = codegen::writeTest(*files, *test, request.output.folder)) {
      return error;
    }
  }
  reportInterface(files->interface, artefact.report);
  artefact.report.sourceCompiler = target.machine.sourceCompiler;
  artefact.files.library = files->source;
  artefact.files.header = files->header;
  artefact.files.weights = files->weights;
  artefact.files.weightsAssembly = files->weightsAssembly;
  artefact.files.test = files->test;
  return llvm::Error::success();
}

/// Writes the programs of a device's regions as files of the device's own format.
llvm::Error writePrograms(const CompileRequest &request, const ResolvedTarget &target,
                          const StageOptions &options, ModuleOp module, Artefact &artefact) {
  const accelerators::Accelerator &device = *target.device;
  std::vector<std::vector<uint8_t>> programs = programsOf(module);
  assert(!programs.empty() && "unusedDevice stops the compile after the place stage");
  if (llvm::Error error = createFolder(request.output.folder)) {
    return error;
  }
  llvm::Expected<std::vector<DeviceLayer>> layers = timeLayers(module, device);
  if (!layers) {
    return layers.takeError();
  }
  artefact.report.deviceLayers = std::move(*layers);
  for (auto [i, program] : llvm::enumerate(programs)) {
    std::string number = programs.size() == 1 ? "" : "_" + std::to_string(i);
    for (const accelerators::ProgramFile &file : device.filesOf(program, commandsOf(program))) {
      std::string path =
          inFolder(request.output.folder, options.codegen.model + number + "." + file.extension);
      llvm::StringRef bytes(reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size());
      if (llvm::Error error = writeFile(path, bytes)) {
        return error;
      }
      artefact.files.programs.push_back(path);
    }
  }
  return llvm::Error::success();
}

} // namespace

codegen::SourceOptions sourceOptionsFor(const CompileRequest &request, const ResolvedTarget &target,
                                        const codegen::CodegenOptions &options) {
  codegen::SourceOptions source;
  source.model = options.model;
  source.target = target.machine;
  source.flavour =
      hasPlainLoops(request, target) ? codegen::Flavour::Plain : codegen::Flavour::Vectors;
  return source;
}

llvm::Error writeArtefact(const Model &model, const CompileRequest &request,
                          const ResolvedTarget &target, const StageOptions &options,
                          ModuleOp module, Artefact &artefact) {
  switch (request.output.emit) {
  case Emit::Library:
    return writeLibrary(request, options, module, artefact);
  case Emit::Source:
    return writeSource(model, request, target, options, module, artefact);
  case Emit::Program:
    return writePrograms(request, target, options, module, artefact);
  case Emit::Memory:
    break;
  }
  llvm_unreachable("nothing that is written");
}

std::string irText(ModuleOp module) {
  constexpr int64_t kLongestText = 16;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(kLongestText).elideLargeResourceString(kLongestText);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return text;
}

} // namespace convoy::driver
