// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the program, passes tensors to it as files, and reads the counts of the plug-in.

#include "Driver/MicroProgram.h"
#include "Codegen/C/Source.h"
#include "Driver/MicroFiles.h"
#include "Driver/MicroText.h"
#include "Driver/MicroTools.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::driver {
namespace {

using llvm::createStringError;

// The numbers of marks in runtime/micro/marks.h.
constexpr size_t kMarkOutside = 0, kMarkRun = 1, kMarkLayer = 2;

/// Doubles the commas of a path, because QEMU separates options by commas.
std::string optionPath(StringRef path) {
  std::string text;
  for (char c : path) {
    text += c == ',' ? ",," : std::string(1, c);
  }
  return text;
}

/// Explains the linker's message about a memory that is too small; empty if there is none.
std::string explainOverflow(StringRef log, const targets::Target &target,
                            const codegen::ModelInterface &interface) {
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
         std::to_string(interface.workspaceBytes) + " bytes, weights " +
         std::to_string(interface.weightsBytes) + " bytes, stack " +
         std::to_string(target.toolchain->stackBytes) +
         " bytes); use a smaller model or a target with more memory";
}

llvm::Expected<Tensor> readOutput(const codegen::TensorDescriptor &expected,
                                  const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!buffer || static_cast<int64_t>((*buffer)->getBufferSize()) != expected.bytes) {
    return createStringError("the emulated program did not write " +
                             std::to_string(expected.bytes) + " bytes for output '" +
                             expected.name + "'");
  }
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  return Tensor::view(expected.type, expected.shape, owner->getBufferStart(), owner);
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
  if (llvm::Error error = writeFile(folder.file("program.c"), microProgramText(interface))) {
    return error;
  }
  std::vector<std::string> objects;
  for (const std::string &source : sources) {
    if (llvm::Error error = compileFile(source, objects.emplace_back())) {
      return error;
    }
  }
  return link(objects);
}

llvm::Error MicroProgram::compileFile(const std::string &source, std::string &object) const {
  const targets::Tool &compiler = machine.toolchain->compilers.front();
  object = source + ".o";
  std::vector<std::string> arguments = {
      "-c", "-w",  "-ffunction-sections", "-fdata-sections", "-I", folder.path().str(), source,
      "-o", object};
  if (StringRef(source).ends_with(".c")) {
    // The program has no use for the table and for errno.
    arguments.insert(arguments.end(), {"-std=c11", "-fno-math-errno", "-DCONVOY_NO_MODEL_TABLE",
                                       "-include", folder.file("marks.h")});
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

llvm::Error MicroProgram::link(ArrayRef<std::string> objects) const {
  const targets::Tool &linker = machine.toolchain->linker;
  std::string script = folder.file("program.ld");
  if (llvm::Error error = writeFile(script, linkerScriptText(machine))) {
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
      log ? explainOverflow((*log)->getBuffer(), machine, interface) : std::string();
  return createStringError(
      !overflow.empty()
          ? overflow
          : "'" + linker.command.front() + "' does not link a program for target '" + machine.name +
                "': " + result->text + "; install " + llvm::join(linker.packages, " ") +
                ", or correct the linker's command in the target's "
                "description");
}

llvm::Error MicroProgram::readProgram() {
  auto binary = llvm::object::ObjectFile::createObjectFile(folder.file("program.elf"));
  if (!binary) {
    return binary.takeError();
  }
  std::string marks;
  for (const llvm::object::SectionRef &any : binary->getBinary()->sections()) {
    llvm::object::ELFSectionRef section(any);
    llvm::Expected<StringRef> name = any.getName();
    if (!name) {
      return name.takeError();
    }
    bool isLoaded = (section.getFlags() & llvm::ELF::SHF_ALLOC) != 0;
    bool isWritable = (section.getFlags() & llvm::ELF::SHF_WRITE) != 0;
    int64_t bytes = static_cast<int64_t>(any.getSize());
    flash += isLoaded && section.getType() != llvm::ELF::SHT_NOBITS ? bytes : 0;
    ram += isLoaded && isWritable ? bytes : 0;
    if (*name != ".convoy_marks") {
      continue;
    }
    llvm::Expected<StringRef> content = any.getContents();
    if (!content) {
      return content.takeError();
    }
    auto word = [&](size_t at) { return llvm::support::endian::read32le(content->data() + at); };
    for (size_t at = 0; at + 8 <= content->size(); at += 8) {
      marks += llvm::utohexstr(word(at)) + " " + std::to_string(word(at + 4)) + "\n";
    }
  }
  return writeFile(folder.file("marks"), marks);
}

llvm::Error MicroProgram::writeInputs(ArrayRef<Tensor> in) const {
  for (auto [i, tensor] : llvm::enumerate(in)) {
    StringRef bytes(static_cast<const char *>(tensor.raw()), tensor.bytes());
    if (llvm::Error error = writeFile(folder.file("input_" + llvm::Twine(i)), bytes)) {
      return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error MicroProgram::emulate(bool isCounting) const {
  const targets::Toolchain &chain = *machine.toolchain;
  std::string here = optionPath(folder.path());
  std::vector<std::string> arguments = {"-nographic",
                                        "-monitor",
                                        "none",
                                        "-serial",
                                        "none",
                                        "-semihosting-config",
                                        "enable=on,target=native,arg=" + here,
                                        "-kernel",
                                        folder.file("program.elf")};
  if (isCounting) {
    if (llvm::Error error = writeFile(folder.file("count.so"), countingPlugin())) {
      return error;
    }
    arguments.insert(arguments.end(), {"-plugin", here + "/count.so,marks=" + here +
                                                      "/marks,out=" + here + "/counts"});
  }
  llvm::Expected<CommandResult> result =
      runTool(chain.emulator, arguments, folder.file("log"), chain.timeoutSeconds);
  if (!result) {
    return result.takeError();
  }
  if (result->isLate) {
    return createStringError("the emulator '" + chain.emulator.command.front() +
                             "' did not finish a run for target '" + machine.name + "' within " +
                             std::to_string(chain.timeoutSeconds) +
                             " s; increase toolchain.timeoutSeconds in the target's description");
  }
  if (result->code != 0) {
    return createStringError("the program for target '" + machine.name + "' ended with code " +
                             std::to_string(result->code) + " in the emulator '" +
                             chain.emulator.command.front() + "': " + result->text);
  }
  return llvm::Error::success();
}

llvm::Expected<InstructionCounts> MicroProgram::readCounts() const {
  auto buffer = llvm::MemoryBuffer::getFile(folder.file("counts"));
  if (!buffer) {
    return createStringError("the emulator wrote no instruction counts; the plug-in needs QEMU "
                             "6.1 to 8.1");
  }
  InstructionCounts counts;
  for (const std::string &layer : layers) {
    counts.layers.push_back({layer, 0});
  }
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [first, second] = line.split(' ');
    size_t mark = 0;
    uint64_t instructions = 0;
    if (first.getAsInteger(10, mark) || second.getAsInteger(10, instructions) ||
        mark >= kMarkLayer + layers.size()) {
      return createStringError("the emulator's plug-in wrote an unknown count '" + line +
                               "'; this is a bug in convoy");
    }
    counts.run += mark == kMarkOutside ? 0 : instructions;
    if (mark == kMarkRun) {
      counts.between = instructions;
    } else if (mark >= kMarkLayer) {
      counts.layers[mark - kMarkLayer].instructions = instructions;
    }
  }
  return counts;
}

llvm::Expected<std::vector<Tensor>> MicroProgram::run(ArrayRef<Tensor> in,
                                                      InstructionCounts *counts) const {
  if (llvm::Error error = codegen::checkInputs(interface.inputs, in)) {
    return error;
  }
  if (llvm::Error error = writeInputs(in)) {
    return error;
  }
  std::vector<codegen::TensorDescriptor> written = codegen::writtenTensors(interface);
  for (size_t i = 0; i < written.size(); ++i) {
    // A run that fails must not leave the outputs of the previous run.
    [[maybe_unused]] std::error_code error = fs::remove(folder.file("output_" + llvm::Twine(i)));
  }
  if (llvm::Error error = emulate(counts != nullptr)) {
    return error;
  }
  if (counts) {
    llvm::Expected<InstructionCounts> read = readCounts();
    if (!read) {
      return read.takeError();
    }
    *counts = std::move(*read);
  }
  std::vector<Tensor> results;
  for (auto [i, output] : llvm::enumerate(written)) {
    llvm::Expected<Tensor> tensor = readOutput(output, folder.file("output_" + llvm::Twine(i)));
    if (!tensor) {
      return tensor.takeError();
    }
    results.push_back(std::move(*tensor));
  }
  return codegen::withActualShapes(interface, std::move(results));
}

} // namespace convoy::driver
