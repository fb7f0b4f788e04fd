// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program under the emulator: passes tensors to it as files, and reads the counts of the
// plug-in.

#include "Codegen/LLVM/Library.h"
#include "Driver/Backends/Micro/MicroFiles.h"
#include "Driver/Backends/Micro/MicroProgram.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace convoy::driver {
namespace {

using llvm::createStringError;

// The numbers of marks in runtime/micro/marks.h.
constexpr size_t kMarkOutside = 0, kMarkRun = 1, kMarkLayer = 2;

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

llvm::Error MicroProgram::writeInputs(ArrayRef<Tensor> in) const {
  for (auto [i, tensor] : llvm::enumerate(in)) {
    StringRef bytes(static_cast<const char *>(tensor.raw()), tensor.bytes());
    if (llvm::Error error = writeFile(folder.file("input_" + llvm::Twine(i)), bytes)) {
      return error;
    }
  }
  return llvm::Error::success();
}

/// Returns the options of the plug-in for the memory whose writes it records.
std::string MicroProgram::dataRanges() const {
  auto range = [](uint64_t begin, uint64_t end) {
    return ",data=" + llvm::utohexstr(begin) + "-" + llvm::utohexstr(end);
  };
  std::string text = range(elf.data.begin, elf.data.end);
  for (const auto &[name, buffer] : buffers) {
    bool isElsewhere = buffer.begin < elf.data.begin || buffer.begin >= elf.data.end;
    text += isElsewhere ? range(buffer.begin, buffer.end) : "";
  }
  return text;
}

llvm::Error MicroProgram::emulate(bool isCounting) const {
  const targets::Toolchain &chain = *machine.toolchain;
  std::string here = optionPath(folder.path());
  std::vector<std::string> arguments =
      emulationArguments(folder.file("program.elf"), folder.path());
  if (isCounting) {
    if (llvm::Error error = writeFile(folder.file("count.so"), countingPlugin())) {
      return error;
    }
    arguments.insert(arguments.end(),
                     {"-plugin", here + "/count.so,marks=" + here + "/marks,out=" + here +
                                     "/counts,stack=" + llvm::utohexstr(elf.stack.begin) + "-" +
                                     llvm::utohexstr(elf.stack.end) + dataRanges()});
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
  std::map<std::string, int64_t> ends; // of the used bytes of each workspace
  for (const codegen::TensorDescriptor &input : interface.inputs) {
    if (input.offset) {
      int64_t &end = ends[codegen::workspaceName(static_cast<size_t>(input.workspace))];
      end = std::max(end, *input.offset + input.bytes);
    }
  }
  for (StringRef line : lines) {
    auto [first, second] = line.split(' ');
    if (first == "write") {
      uint64_t begin = 0, end = 0;
      auto [low, high] = second.split(' ');
      if (low.getAsInteger(16, begin) || high.getAsInteger(16, end)) {
        return createBug("the emulator's plug-in wrote an unknown range '" + line +
                         "'; this is a bug in convoy");
      }
      if (llvm::Error error = noteWrite(begin, end, ends)) {
        return error;
      }
      continue;
    }
    size_t mark = 0;
    uint64_t instructions = 0;
    if (int64_t used = 0; first == "stack" && !second.getAsInteger(10, used)) {
      if (bound) {
        counts.stackBytes = used - framesAboveRun;
      }
      continue;
    }
    if (first.getAsInteger(10, mark) || second.getAsInteger(10, instructions) ||
        mark >= kMarkLayer + layers.size()) {
      return createBug("the emulator's plug-in wrote an unknown count '" + line +
                       "'; this is a bug in convoy");
    }
    counts.run += mark == kMarkOutside ? 0 : instructions;
    if (mark == kMarkRun) {
      counts.between = instructions;
    } else if (mark >= kMarkLayer) {
      counts.layers[mark - kMarkLayer].instructions = instructions;
    }
  }
  for (const auto &[name, end] : ends) {
    counts.arenaBytes += end;
  }
  return counts;
}

/// A range can cover several buffers, because buffers can touch.
llvm::Error MicroProgram::noteWrite(uint64_t begin, uint64_t end,
                                    std::map<std::string, int64_t> &ends) const {
  while (begin < end) {
    auto inside = llvm::find_if(buffers, [&](const auto &entry) {
      return begin >= entry.second.begin && begin < entry.second.end;
    });
    if (inside == buffers.end()) {
      return createBug("the run wrote outside of its workspace and outputs at address 0x" +
                       llvm::utohexstr(begin) + "; this is a bug in convoy");
    }
    const auto &[name, buffer] = *inside;
    uint64_t last = std::min(end, buffer.end);
    if (StringRef(name).starts_with(kWorkspace)) {
      ends[name] = std::max(ends[name], static_cast<int64_t>(last - buffer.begin));
    }
    begin = last;
  }
  return llvm::Error::success();
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
  return codegen::readOutputs(interface, std::move(results));
}

} // namespace convoy::driver
