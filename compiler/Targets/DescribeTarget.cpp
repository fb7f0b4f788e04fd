// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the fields of a description to text.

#include "Targets/DescribeTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::targets {
namespace {

std::string cachesText(const Target &machine) {
  std::vector<std::string> caches;
  for (const Cache &cache : machine.caches) {
    std::string shared =
        cache.sharedByCores > 1 ? " for " + std::to_string(cache.sharedByCores) + " cores" : "";
    caches.push_back(
        llvm::formatv("L{0} {1} KiB{2}", cache.level, cache.bytes / 1024, shared).str());
  }
  return caches.empty() ? "unknown" : llvm::join(caches, ", ");
}

/// Adds the memories, the cycles of instructions and the tool chain.
void addToolchain(const Target &machine, Properties &properties) {
  auto add = [&](const std::string &name, std::string text) {
    properties.emplace_back(name, std::move(text));
  };
  const Toolchain &chain = *machine.toolchain;
  for (const Memory &memory : machine.memories) {
    std::string cycles = std::to_string(memory.accessCycles) +
                         (memory.accessCycles == 1 ? " cycle" : " cycles") + " per access";
    add("memory " + memory.name,
        llvm::formatv("{0} KiB at 0x{1}, {2}, for {3}", memory.bytes / 1024,
                      llvm::utohexstr(static_cast<uint64_t>(memory.address)), cycles,
                      llvm::join(memory.holds, ", ")));
  }
  if (const std::optional<InstructionCycles> &cycles = machine.instructionCycles) {
    add("cycles",
        llvm::formatv("integer {0}, multiply {1}, divide {2}, load {3}, store {4}, branch {5}, "
                      "floating {6}, vector {7}",
                      cycles->integer, cycles->multiply, cycles->divide, cycles->load,
                      cycles->store, cycles->branch, cycles->floating, cycles->vector));
  }
  for (const Tool &compiler : llvm::drop_begin(chain.compilers)) {
    add("C compiler :" + compiler.name, llvm::join(compiler.command, " "));
  }
  add("linker", llvm::join(chain.linker.command, " "));
  add("stack", std::to_string(chain.stackBytes) + " bytes");
  add("emulator",
      chain.emulator.command.empty() ? "none" : llvm::join(chain.emulator.command, " "));
}

} // namespace

Properties propertiesOf(const Target &machine) {
  Properties properties = {{"triple", machine.triple},
                           {"CPU", machine.cpu.empty() ? "generic" : machine.cpu},
                           {"cores", std::to_string(machine.cores)},
                           {"vectors", std::to_string(machine.vectorBytes * 8) + " bits, " +
                                           std::to_string(machine.vectorRegisters) + " registers"},
                           {"caches", cachesText(machine)},
                           {"features", llvm::join(machine.features, " ")},
                           {"C compiler", machine.sourceCompiler.empty()
                                              ? "unknown"
                                              : llvm::join(machine.sourceCompiler, " ")}};
  if (machine.toolchain) {
    addToolchain(machine, properties);
  }
  properties.emplace_back("fingerprint", machine.fingerprint());
  return properties;
}

} // namespace convoy::targets
