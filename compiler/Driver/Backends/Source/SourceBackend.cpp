// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits C into a temporary folder, compiles it and loads the result. If the request names
// no C compiler, the loader takes the first of clang, gcc and cc on the path.

#include "Codegen/C/Source.h"
#include "Driver/BackendJob.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/Backends/Source/CustomSource.h"
#include "Driver/Backends/Source/HostCompiler.h"
#include "Driver/LoadedProgram.h"
#include "Driver/ReportFiles.h"
#include "Driver/RequestOptions.h"
#include "Driver/WriteArtifact.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedDiagnostic.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::driver {
namespace {

constexpr size_t kAlignmentBytes = 64;
using ModelFunction = const convoy_model *(*)();

/// Allocates a buffer for a tensor, of at least one cache line.
std::shared_ptr<void> allocate(int64_t bytes) {
  size_t size = (static_cast<size_t>(bytes) / kAlignmentBytes + 1) * kAlignmentBytes;
  return std::shared_ptr<void>(std::aligned_alloc(kAlignmentBytes, size), std::free);
}

class SourceExecutable : public Executable {
public:
  SourceExecutable(void *handle, codegen::ModelInterface interface, Location loc)
      : handle(handle), interface(std::move(interface)), loc(loc) {
    auto function =
        reinterpret_cast<ModelFunction>(dlsym(handle, (this->interface.model + "_model").c_str()));
    model = function ? function() : nullptr;
  }
  ~SourceExecutable() override { dlclose(handle); }

  FailureOr<std::vector<Datum>> run(ArrayRef<Datum> inputs) override {
    if (!model || inputs.size() != model->input_count) {
      return emitBug(loc) << "emitted C lacks a table or an input; this is a bug in convoy";
    }
    std::vector<std::shared_ptr<void>> buffers;
    std::vector<const void *> in;
    std::vector<void *> out;
    for (const Datum &input : inputs) {
      buffers.push_back(allocate(input.tensor.bytes()));
      if (input.tensor.bytes() > 0) {
        std::memcpy(buffers.back().get(), input.tensor.raw(), input.tensor.bytes());
      }
      in.push_back(buffers.back().get());
    }
    std::vector<Tensor> written;
    for (const codegen::TensorDescriptor &output : codegen::writtenTensors(interface)) {
      std::shared_ptr<void> bytes = allocate(output.bytes);
      out.push_back(bytes.get());
      written.push_back(Tensor::view(output.type, output.shape, bytes.get(), bytes));
    }
    std::shared_ptr<void> workspace = allocate(static_cast<int64_t>(model->workspace_bytes));
    if (int32_t code = model->run(in.data(), out.data(), workspace.get())) {
      return emitError(loc) << "the model returned " << code << ": " << model->error_text(code);
    }
    llvm::Expected<std::vector<Tensor>> results =
        codegen::readOutputs(interface, std::move(written));
    if (!results) {
      return emitError(loc, results.takeError());
    }
    return std::vector<Datum>(results->begin(), results->end());
  }

  const convoy_model *table() const override { return model; }

private:
  void *handle;
  codegen::ModelInterface interface;
  const convoy_model *model = nullptr;
  Location loc;
};

/// Compiles the files of the user, each by itself, and adds the objects to the arguments.
llvm::Error addCustomObjects(const codegen::SourceOptions &options, const std::string &compiler,
                             llvm::StringRef folder, std::vector<std::string> &arguments) {
  for (auto [i, source] : llvm::enumerate(options.customSources)) {
    std::string object = inFolder(folder, "custom_" + llvm::Twine(i) + ".o");
    if (llvm::Error error = compileCustomSource({"", {compiler}, {}}, source, object,
                                                {"-O1", "-fPIC", "-I", folder.str()})) {
      return error;
    }
    arguments.push_back(std::move(object));
  }
  return llvm::Error::success();
}

llvm::Error compileFiles(const codegen::SourceFiles &files, const codegen::SourceOptions &options,
                         const std::string &wanted, llvm::StringRef folder,
                         llvm::StringRef library) {
  llvm::Expected<std::string> compiler = findHostCompiler(wanted);
  if (!compiler) {
    return compiler.takeError();
  }
  std::vector<std::string> arguments = {"-std=c11",    "-O1", "-fPIC",      "-shared",   "-w", "-o",
                                        library.str(), "-I",  folder.str(), files.source};
  if (llvm::Error error = addCustomObjects(options, *compiler, folder, arguments)) {
    return error;
  }
  // Takes the feature flags of the host's command and leaves out its optimization level.
  llvm::copy_if(options.target.sourceCompiler, std::back_inserter(arguments),
                [](llvm::StringRef flag) { return flag.starts_with("-m"); });
  if (!files.weightsAssembly.empty()) {
    arguments.push_back(files.weightsAssembly);
  }
  arguments.emplace_back("-lm");
  llvm::Expected<CommandResult> result =
      runTool({"", {*compiler}, {}}, arguments, (folder + "/log").str());
  if (!result) {
    return result.takeError();
  }
  if (result->code != 0 && !files.customSources.empty()) {
    return llvm::createStringError("'" + *compiler +
                                   "' does not compile emitted C with the files " +
                                   "of custom ops: " + result->text);
  }
  if (result->code != 0) {
    return createBug("'" + *compiler + "' does not compile emitted C: " + result->text +
                     "; this is a bug in convoy");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Executable>> build(BackendJob &job) {
  TemporaryFolder folder;
  if (llvm::Error error = folder.createInSystem()) {
    return error;
  }
  codegen::SourceOptions options = sourceOptionsFor(job);
  llvm::Expected<codegen::SourceFiles> files =
      codegen::writeSource(*job.module, options, folder.path());
  if (!files) {
    return files.takeError();
  }
  reportInterface(files->interface, job.artifact.report);
  std::string library = folder.file(options.model + ".so");
  if (llvm::Error error =
          compileFiles(*files, options, job.request.output.cCompiler, folder.path(), library)) {
    return std::move(error);
  }
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return llvm::createStringError(std::string("cannot load compiled C: ") + dlerror());
  }
  return std::make_unique<SourceExecutable>(handle, std::move(files->interface),
                                            job.module->getLoc());
}

class SourceBackend : public Backend {
public:
  SourceBackend() : Backend({"C source", Emit::Memory}) {}

  llvm::Error setOptions(const CompileRequest &request, const ResolvedTarget &target,
                         StageOptions &options) const override {
    setSourceExit(options, !target.isPlain);
    return Backend::setOptions(request, target, options);
  }

  bool hasPlainLoops(const CompileRequest &, const ResolvedTarget &target) const override {
    return target.isPlain;
  }

  std::unique_ptr<Executable> load(BackendJob &job) const override {
    llvm::Expected<std::unique_ptr<Executable>> executable = build(job);
    if (!executable) {
      emitError(job.module->getLoc(), executable.takeError());
      return nullptr;
    }
    return std::move(*executable);
  }

  TargetDescription describe(const ResolvedTarget &target) const override {
    return {target.summary, {"run", "check", "explain"}, {}, {}};
  }
};

} // namespace

const Backend &sourceBackend() {
  static const SourceBackend backend;
  return backend;
}

} // namespace convoy::driver
