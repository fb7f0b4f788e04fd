// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the writer that the request names and records the written files. Device programs are in
// Backends/Device.

#include "Driver/WriteArtifact.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Driver/Backends/Source/SourceTest.h"
#include "Driver/CustomLibrary.h"
#include "Driver/ReportFiles.h"
#include "Targets/AllowedCommands.h"

using namespace mlir;

namespace convoy::driver {
namespace {

llvm::Error writeLibrary(BackendJob &job) {
  llvm::Expected<codegen::LibraryFiles> files =
      codegen::writeLibrary(*job.module, job.options.codegen, job.request.output.folder);
  if (!files) {
    return files.takeError();
  }
  Artifact &artifact = job.artifact;
  reportInterface(files->interface, artifact.report);
  artifact.report.codeBytes = files->codeBytes;
  artifact.files.library = files->library;
  artifact.files.header = files->header;
  artifact.files.weights = files->weights;
  return llvm::Error::success();
}

llvm::Error writeSource(BackendJob &job) {
  const OutputRequest &output = job.request.output;
  std::optional<codegen::TestCase> test;
  if (output.testInputs) {
    llvm::Expected<codegen::TestCase> made = makeSourceTest(job.model, job.request);
    if (!made) {
      return made.takeError();
    }
    test = std::move(*made);
  }
  llvm::Expected<codegen::SourceFiles> files = codegen::writeSource(
      *job.module, sourceOptionsFor(job), output.folder, test ? &*test : nullptr);
  if (!files) {
    return files.takeError();
  }
  Artifact &artifact = job.artifact;
  reportInterface(files->interface, artifact.report);
  artifact.report.sourceCompiler = targets::shownCommand(job.target.machine.sourceCompiler);
  artifact.files.library = files->source;
  artifact.files.header = files->header;
  artifact.files.weights = files->weights;
  artifact.files.weightsAssembly = files->weightsAssembly;
  artifact.files.test = files->test;
  artifact.files.customSources = files->customSources;
  return llvm::Error::success();
}

} // namespace

codegen::SourceOptions sourceOptionsFor(const BackendJob &job) {
  codegen::SourceOptions source;
  source.model = job.options.codegen.model;
  source.target = job.target.machine;
  source.flavor = job.target.backend->hasPlainLoops(job.request, job.target)
                      ? codegen::Flavor::Plain
                      : codegen::Flavor::Vectors;
  source.customSources = customSourcesOf(job.module.get());
  return source;
}

llvm::Error writeArtifact(BackendJob &job) {
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
