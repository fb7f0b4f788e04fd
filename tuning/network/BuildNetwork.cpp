// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuning/network/BuildNetwork.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/LoadedProgram.h"
#include "Import/CustomOps.h"
#include "Support/Json.h"
#include "Support/MonotonicClock.h"
#include "Support/TemporaryFolder.h"
#include "Support/TypedError.h"
#include "convoy/compiler.h"
#include "io/ChildProcess.h"
#include "io/Files.h"
#include "io/InputData.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <poll.h>
#include <sys/wait.h>

namespace json = llvm::json;

namespace convoy::tuning {
namespace {

std::string inputFile(llvm::StringRef folder, size_t index) {
  return inFolder(folder, "input_" + llvm::Twine(index) + ".raw");
}

/// Returns the folders of the C files of custom ops, which may include headers there.
llvm::Expected<std::vector<std::string>> customFoldersOf(const CompileRequest &request) {
  llvm::Expected<import::CustomOps> ops = import::readCustomOps(request.inputs.customOps);
  if (!ops) {
    return ops.takeError();
  }
  std::vector<std::string> folders;
  for (const import::CustomOp &op : ops->ops) {
    std::string folder = llvm::sys::path::parent_path(op.source).str();
    if (!folder.empty() && !llvm::is_contained(folders, folder)) {
      folders.push_back(std::move(folder));
    }
  }
  return folders;
}

/// Returns the path of the library, or of the program that it builds.
llvm::Expected<std::string> codeOf(const Artifact &artifact, const CompileRequest &request,
                                   const targets::Target &target) {
  if (request.output.emit == Emit::Library) {
    return artifact.files.library;
  }
  if (request.output.emit == Emit::Source) {
    std::string program = inFolder(request.output.folder, "program");
    llvm::Expected<std::vector<std::string>> folders = customFoldersOf(request);
    if (!folders) {
      return folders.takeError();
    }
    llvm::Error error =
        driver::buildSourceProgram({artifact.files.library, artifact.files.weightsAssembly,
                                    artifact.files.customSources, std::move(*folders)},
                                   target, program);
    return error ? llvm::Expected<std::string>(std::move(error)) : program;
  }
  const driver::MicroProgram *program = artifact.memory->program().micro();
  if (!program) {
    return llvm::createStringError(
        "the network was not compiled to a program for a microcontroller");
  }
  if (llvm::Error error = program->save(request.output.folder)) {
    return std::move(error);
  }
  return inFolder(request.output.folder, artifact.report.model + ".elf");
}

std::string textOf(const Problems &problems) {
  std::string text;
  for (const Problem &problem : problems.all()) {
    text += (problem.isError() ? "error: " : "warning: ") + problem.text + "\n";
  }
  return text;
}

/// Compiles the network and writes its inputs. Returns the paths, or the error.
json::Object compiled(const Model &model, const CompileRequest &request,
                      const targets::Target &target, llvm::StringRef folder) {
  Result<Artifact> artifact = convoy::compileModel(model, request);
  if (!artifact) {
    return json::Object{{"problem", json::fixUTF8(textOf(artifact.problems()))}};
  }
  llvm::Expected<std::string> code = codeOf(*artifact, request, target);
  if (!code) {
    return json::Object{{"problem", llvm::toString(code.takeError())}};
  }
  const CompileReport &report = artifact->report;
  json::Array inputs, outputs, kernels;
  for (auto [index, input] : llvm::enumerate(report.inputs)) {
    Tensor data = io::randomTensor(input.type, input.shape, index);
    llvm::StringRef bytes(static_cast<const char *>(data.raw()), data.bytes());
    if (llvm::Error error = io::writeFile(inputFile(folder, index), bytes)) {
      return json::Object{{"problem", llvm::toString(std::move(error))}};
    }
    inputs.push_back(input.bytes);
  }
  for (const TensorInfo &output : report.outputs) {
    outputs.push_back(output.bytes);
  }
  for (const KernelReport &layer : report.kernels) {
    kernels.push_back(
        json::fixUTF8(layer.kernel + " " + layer.config + " " + std::to_string(layer.block)));
  }
  kernels.push_back(std::to_string(report.reorders) + " reorders");
  return json::Object{{"library", *code},
                      {"header", artifact->files.header},
                      {"symbol", report.model},
                      {"workspaceBytes", report.workspaceBytes},
                      {"inputs", std::move(inputs)},
                      {"outputs", std::move(outputs)},
                      {"kernels", std::move(kernels)}};
}

/// Reads what a process writes until it ends. Returns false if that takes longer than
/// `timeoutSeconds`, unless they are 0.
bool readAll(const io::ChildProcess &child, std::string &text, double timeoutSeconds) {
  double end = monotonicSeconds() + timeoutSeconds;
  pollfd entry{child.results(), POLLIN, 0};
  while (true) {
    double left = timeoutSeconds > 0 ? end - monotonicSeconds() : 1;
    if (left <= 0) {
      return false;
    }
    constexpr double kMostSeconds = 1; // of one poll()
    int ready = poll(&entry, 1, static_cast<int>(std::ceil(std::min(left, kMostSeconds) * 1e3)));
    if (ready > 0 && !child.readMore(text)) {
      return true;
    }
  }
}

/// Runs a function in a child process: the linker leaves threads running, and a process with
/// threads cannot fork to build candidates.
llvm::Expected<json::Object> inProcess(llvm::function_ref<json::Object()> work,
                                       double timeoutSeconds) {
  std::optional<io::ChildProcess> child = io::ChildProcess::start([&](int results) {
    io::writeToPipe(results, llvm::formatv("{0}", json::Value(work())).str());
  });
  if (!child) {
    return llvm::createStringError("cannot create a process");
  }
  std::string text;
  bool isInTime = readAll(*child, text, timeoutSeconds);
  if (!isInTime) {
    child->kill();
  }
  int status = child->wait();
  if (!isInTime) {
    return llvm::createStringError(
        llvm::formatv("cannot compile the network within {0:f0} s", timeoutSeconds).str());
  }
  llvm::Expected<json::Value> value = parseJson(text);
  if (value && value->getAsObject()) {
    return std::move(*value->getAsObject());
  }
  llvm::consumeError(value.takeError());
  // A child that could not write a file has printed the error and ends with this code.
  constexpr int kToldUser = 1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kToldUser) {
    return llvm::createStringError("cannot compile the network: see the error above");
  }
  return createBug("the compiler ended " +
                   (WIFSIGNALED(status) ? "by signal " + llvm::Twine(WTERMSIG(status))
                                        : "with code " + llvm::Twine(WEXITSTATUS(status))) +
                   "; this is a bug in convoy");
}

/// Reads what the child process has answered.
NetworkCode codeFrom(const json::Object &facts, llvm::StringRef folder) {
  NetworkCode built;
  built.candidate.id = "network";
  built.candidate.library = facts.getString("library").value_or("").str();
  built.candidate.symbol = facts.getString("symbol").value_or("").str();
  built.candidate.workspaceBytes = facts.getInteger("workspaceBytes").value_or(0);
  for (auto [index, bytes] : llvm::enumerate(*facts.getArray("inputs"))) {
    built.candidate.inputs.push_back({inputFile(folder, index), bytes.getAsInteger().value_or(0)});
  }
  for (const json::Value &bytes : *facts.getArray("outputs")) {
    built.candidate.outputs.push_back({bytes.getAsInteger().value_or(0), ""});
  }
  for (const json::Value &kernel : *facts.getArray("kernels")) {
    built.kernels.push_back(kernel.getAsString().value_or("").str());
  }
  built.header = facts.getString("header").value_or("").str();
  return built;
}

} // namespace

llvm::Expected<NetworkCode> buildNetwork(const NetworkSource &source, CompileRequest request,
                                         const targets::Target &target, llvm::StringRef inputFolder,
                                         PrepareCompile prepare, double timeoutSeconds) {
  request.output.emit = target.toolchain                    ? Emit::Memory
                        : driver::isBuiltFromSource(target) ? Emit::Source
                                                            : Emit::Library;
  auto compile = [&] {
    if (llvm::Error error = prepare(request)) {
      return json::Object{{"problem", llvm::toString(std::move(error))}};
    }
    if (source.model) {
      return compiled(*source.model, request, target, inputFolder);
    }
    Result<Model> model = Model::read(source.path);
    return model ? compiled(*model, request, target, inputFolder)
                 : json::Object{{"problem", json::fixUTF8("cannot read the model: " +
                                                          textOf(model.problems()))}};
  };
  llvm::Expected<json::Object> facts = inProcess(compile, timeoutSeconds);
  if (!facts) {
    return facts.takeError();
  }
  if (std::optional<llvm::StringRef> problem = facts->getString("problem")) {
    return llvm::createStringError("cannot compile the network: " + *problem);
  }
  return codeFrom(*facts, inputFolder);
}

} // namespace convoy::tuning
