// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the writer that the request names and records the written files. Device programs are in
// Backends/Device.

#include "Driver/WriteArtefact.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Driver/Backends/Source/SourceTest.h"
#include "Driver/CustomLibrary.h"
#include "Driver/ReportFiles.h"

using namespace mlir;

namespace convoy::driver {
namespace {

llvm::Error writeLibrary(BackendJob &job) {
  llvm::Expected<codegen::LibraryFiles> files =
      codegen::writeLibrary(*job.module, job.options.codegen, job.request.output.folder);
  if (!files) {
    return files.takeError();
  }
  Artefact &artefact = job.artefact;
  reportInterface(files->interface, artefact.report);
  artefact.report.codeBytes = files->codeBytes;
  artefact.files.library = files->library;
  artefact.files.header = files->header;
  artefact.files.weights = files->weights;
  return llvm::Error::success();
}

llvm::Error writeSource(BackendJob &job) {
  const OutputRequest &output = job.request.output;
  llvm::Expected<codegen::SourceFiles> files =
      codegen::writeSource(*job.module, sourceOptionsFor(job), output.folder);
  if (!files) {
    return files.takeError();
  }
  if (output.testInputs) {
    llvm::Expected<codegen::TestCase> test = makeSourceTest(job.model, job.request);
    if (!test) {
      return test.takeError();
    }
    if (llvm::Error error = codegen::writeTest(*files, *test, output.folder)) {
      return error;
    }
  }
  Artefact &artefact = job.artefact;
  reportInterface(files->interface, artefact.report);
  artefact.report.sourceCompiler = job.target.machine.sourceCompiler;
  artefact.files.library = files->source;
  artefact.files.header = files->header;
  artefact.files.weights = files->weights;
  artefact.files.weightsAssembly = files->weightsAssembly;
  artefact.files.test = files->test;
  artefact.files.customSources = files->customSources;
  return llvm::Error::success();
}

} // namespace

codegen::SourceOptions sourceOptionsFor(const BackendJob &job) {
  codegen::SourceOptions source;
  source.model = job.options.codegen.model;
  source.target = job.target.machine;
  source.flavour = job.target.backend->hasPlainLoops(job.request, job.target)
                       ? codegen::Flavour::Plain
                       : codegen::Flavour::Vectors;
  source.customSources = customSourcesOf(job.module.get());
  return source;
}

llvm::Error writeArtefact(BackendJob &job) {
  return job.request.output.emit == Emit::Library ? writeLibrary(job) : writeSource(job);
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
