// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the program with the target's tool chain. MicroRun.cpp runs it.

#include "Driver/Backends/Micro/MicroProgram.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Driver/Backends/Micro/MicroFiles.h"
#include "Driver/Backends/Micro/MicroText.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/Backends/Source/CustomSource.h"
#include "Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::driver {
namespace {

using llvm::createStringError;

/// Explains the linker's message about a memory that is too small; empty if there is none.
std::string explainOverflow(StringRef log, const targets::Target &target,
                            const codegen::ModelInterface &interface, int64_t stackBytes) {
  std::string text;
  llvm::Regex overflow("region `memory_([0-9]+)' overflowed by ([0-9]+) byte");
  for (SmallVector<StringRef> parts; overflow.match(log, &parts);) {
    size_t index = 0;
    if (parts[1].getAsInteger(10, index) || index >= target.memories.size()) {
      break;
    }
    const targets::Memory &memory = target.memories[index];
    text += (text.empty() ? "" : "; ") +
            ("memory '" + memory.name + "' has " + llvm::Twine(memory.bytes) + " bytes for " +
             llvm::join(memory.holds, " and ") + ", the program needs " + parts[2] + " more")
                .str();
    log = log.drop_front(static_cast<size_t>(parts[0].end() - log.begin()));
  }
  if (text.empty()) {
    return text;
  }
  return "the model does not fit in target '" + target.name + "': " + text + " (workspace " +
         std::to_string(interface.allWorkspaceBytes()) + " bytes, weights " +
         std::to_string(interface.weightsBytes) + " bytes, stack " + std::to_string(stackBytes) +
         " bytes); use a smaller model or a target with more memory";
}

// The frame of an exception with floating-point registers, the end of the stack that main.c checks,
// and the alignment of the stack in both ABIs.
constexpr int64_t kExceptionBytes = 104, kGuardBytes = 16, kStackAlignment = 16;

constexpr StringRef kCallGraphFlag = "-fcallgraph-info=su";

/// Returns the flag with which the compiler writes the frames of functions; empty if unknown.
StringRef stackFlag(const targets::Tool &compiler) {
  StringRef program = llvm::sys::path::filename(compiler.command.front());
  return program.contains("clang") ? StringRef("-fstack-usage")
         : program.contains("gcc") ? kCallGraphFlag
                                   : StringRef();
}

} // namespace

llvm::Expected<std::unique_ptr<MicroProgram>>
MicroProgram::build(ModuleOp module, const codegen::SourceOptions &options) {
  std::unique_ptr<MicroProgram> program(new MicroProgram());
  program->machine = options.target;
  if (llvm::Error error = program->folder.createInSystem()) {
    return error;
  }
  if (llvm::Error error = program->compile(module, options)) {
    return error;
  }
  if (llvm::Error error = program->readProgram()) {
    return error;
  }
  return program;
}

llvm::Error MicroProgram::compile(ModuleOp module, const codegen::SourceOptions &options) {
  llvm::Expected<codegen::SourceFiles> files = codegen::writeSource(module, options, folder.path());
  if (!files) {
    return files.takeError();
  }
  interface = std::move(files->interface);
  layers = std::move(files->layers);
  std::string start = machine.toolchain->start == "riscv" ? "start_riscv.c" : "start_cortex_m.c";
  std::vector<std::string> sources = {files->source, folder.file("program.c"),
                                      folder.file("main.c"), folder.file("host.c"),
                                      folder.file(start)};
  if (!files->weightsAssembly.empty()) {
    sources.push_back(files->weightsAssembly);
  }
  for (const MicroFile &file : microFiles()) {
    if (llvm::Error error = writeFile(folder.file(file.name), file.text)) {
      return error;
    }
  }
  if (llvm::Error error =
          writeFile(folder.file("program.c"), microProgramText(interface, machine))) {
    return error;
  }
  std::vector<std::string> objects;
  for (const std::string &source : sources) {
    if (llvm::Error error = compileFile(source, objects.emplace_back())) {
      return error;
    }
  }
  if (llvm::Error error = compileCustomSources(options.customSources, objects)) {
    return error;
  }
  boundStacks(objects);
  return link(objects);
}

llvm::Error MicroProgram::compileCustomSources(ArrayRef<std::string> sources,
                                               std::vector<std::string> &objects) const {
  const targets::Tool &compiler = machine.toolchain->compilers.front();
  std::vector<std::string> flags = {"-ffunction-sections", "-fdata-sections", "-I",
                                    folder.path().str()};
  if (StringRef flag = stackFlag(compiler); !flag.empty()) {
    flags.push_back(flag.str());
  }
  for (auto [i, source] : llvm::enumerate(sources)) {
    objects.push_back(folder.file("custom_" + llvm::Twine(i) + ".c.o"));
    if (llvm::Error error = compileCustomSource(compiler, source, objects.back(), flags)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error MicroProgram::compileFile(const std::string &source, std::string &object) const {
  const targets::Tool &compiler = machine.toolchain->compilers.front();
  object = source + ".o";
  std::vector<std::string> arguments = {
      "-c", "-w",  "-ffunction-sections", "-fdata-sections", "-I", folder.path().str(), source,
      "-o", object};
  if (StringRef(source).ends_with(".c")) {
    // The program has no use for the table and for errno.
    const std::string fastWeights =
        "-DCONVOY_FAST_WEIGHTS=__attribute__((section(\".data.convoy_weights\")))";
    arguments.insert(arguments.end(), {"-std=c11", "-fno-math-errno", "-DCONVOY_NO_MODEL_TABLE",
                                       fastWeights, "-include", folder.file("marks.h")});
    if (llvm::sys::path::stem(source) != interface.model) {
      // The start-up code is small and calls no function of the library.
      arguments.insert(arguments.end(), {"-Os", "-fno-builtin"});
    }
    if (StringRef flag = stackFlag(compiler); !flag.empty()) {
      arguments.push_back(flag.str());
    }
  }
  llvm::Expected<CommandResult> result = runTool(compiler, arguments, folder.file("log"));
  if (!result) {
    return result.takeError();
  }
  if (result->code != 0) {
    return createStringError(
        "'" + compiler.command.front() + "' does not compile emitted C for target '" +
        machine.name + "': " + result->text + "; install " + llvm::join(compiler.packages, " ") +
        ", or correct the compiler's command in the target's description");
  }
  return llvm::Error::success();
}

llvm::Expected<CallGraph> MicroProgram::readCallGraph(ArrayRef<std::string> objects) const {
  const targets::Tool &compiler = machine.toolchain->compilers.front();
  StringRef flag = stackFlag(compiler);
  if (flag.empty()) {
    return createStringError("the compiler '" + compiler.command.front() +
                             "' writes no stack usage; use gcc or clang");
  }
  CallGraph graph;
  for (const std::string &object : objects) {
    if (llvm::Error error = graph.addObject(object)) {
      return error;
    }
    if (!StringRef(object).ends_with(".c.o")) {
      continue;
    }
    bool isGraph = flag == kCallGraphFlag;
    std::string path = StringRef(object).drop_back(1).str() + (isGraph ? "ci" : "su");
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      return createStringError("the compiler '" + compiler.command.front() + "' did not write " +
                               path);
    }
    StringRef text = (*buffer)->getBuffer();
    // The stack has an alignment of 8 bytes at each call.
    int64_t alignment = std::max<int64_t>(machine.vectorBytes - 8, 0);
    if (llvm::Error error =
            isGraph ? graph.addCallGraphInfo(text) : graph.addStackUsage(text, alignment)) {
      return error;
    }
  }
  return graph;
}

/// Bounds the stack of the run and of the whole program. Without a bound, the program has the stack
/// in the target's description.
void MicroProgram::boundStacks(ArrayRef<std::string> objects) {
  const targets::Toolchain &chain = *machine.toolchain;
  stackBytes = chain.stackBytes;
  llvm::Expected<CallGraph> graph = readCallGraph(objects);
  if (!graph) {
    unbounded = llvm::toString(graph.takeError());
    return;
  }
  if (interface.hasInputRows()) {
    graph->resolveIndirectCalls(kRowReader, interface.model + "_");
  }
  std::string run = interface.model + "_run";
  llvm::Expected<StackBound> ofRun = boundStack(*graph, run, chain.libraryStack);
  if (!ofRun) {
    unbounded = llvm::toString(ofRun.takeError());
    return;
  }
  bound = std::move(*ofRun);
  bool isArm = chain.start == "cortex-m";
  llvm::Expected<StackBound> program = boundStack(*graph, "convoy_start", chain.libraryStack);
  llvm::Expected<StackBound> fault =
      boundStack(*graph, isArm ? "convoy_report_fault" : "convoy_report_trap", chain.libraryStack);
  if (program && fault) {
    framesAboveRun = framesBetween(*graph, "convoy_start", run).value_or(0);
    stackBytes = static_cast<int64_t>(
        llvm::alignTo(program->bytes + fault->bytes + (isArm ? kExceptionBytes : 0) + kGuardBytes,
                      kStackAlignment));
  }
  llvm::consumeError(program.takeError());
  llvm::consumeError(fault.takeError());
}

llvm::Error MicroProgram::link(ArrayRef<std::string> objects) const {
  const targets::Tool &linker = machine.toolchain->linker;
  std::string script = folder.file("program.ld");
  if (llvm::Error error = writeFile(script, linkerScriptText(machine, stackBytes))) {
    return error;
  }
  std::vector<std::string> arguments = {"-T", script, "-Wl,--gc-sections"};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  arguments.insert(arguments.end(), {"-lm", "-o", folder.file("program.elf")});
  llvm::Expected<CommandResult> result = runTool(linker, arguments, folder.file("log"));
  if (!result) {
    return result.takeError();
  }
  if (result->code == 0) {
    return llvm::Error::success();
  }
  auto log = llvm::MemoryBuffer::getFile(folder.file("log"));
  std::string overflow =
      log ? explainOverflow((*log)->getBuffer(), machine, interface, stackBytes) : std::string();
  return createStringError(
      !overflow.empty()
          ? overflow
          : "'" + linker.command.front() + "' does not link a program for target '" + machine.name +
                "': " + result->text + "; install " + llvm::join(linker.packages, " ") +
                ", or correct the linker's command in the target's "
                "description");
}

llvm::Error MicroProgram::readProgram() {
  llvm::Expected<MicroElf> read = readMicroElf(folder.file("program.elf"));
  if (!read) {
    return read.takeError();
  }
  elf = std::move(*read);
  for (const auto &[name, range] : elf.symbols) {
    if (StringRef(name).starts_with(kWorkspace) || StringRef(name).starts_with("output_")) {
      buffers[name] = range;
    }
  }
  return writeFile(folder.file("marks"), elf.marks);
}

llvm::Error MicroProgram::save(StringRef into) const {
  if (llvm::Error error = createFolder(into)) {
    return error;
  }
  std::string path = inFolder(into, interface.model + ".elf");
  if (std::error_code error = fs::copy_file(folder.file("program.elf"), path)) {
    return createStringError(error, "cannot write '" + path + "': " + error.message());
  }
  return llvm::Error::success();
}

int64_t MicroProgram::ramBytes() const {
  int64_t bytes = interface.allWorkspaceBytes() + interface.copiedWeightsBytes +
                  (bound ? bound->bytes : machine.toolchain->stackBytes);
  for (const codegen::TensorDescriptor &tensor : llvm::concat<const codegen::TensorDescriptor>(
           interface.inputs, codegen::writtenTensors(interface))) {
    bytes += tensor.offset || tensor.rows > 0 ? 0 : tensor.bytes;
  }
  return bytes;
}

} // namespace convoy::driver
