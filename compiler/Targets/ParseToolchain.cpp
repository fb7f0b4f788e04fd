// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are hexadecimal strings in JSON, because JSON has no hexadecimal numbers.

#include "Targets/ParseToolchain.h"

using llvm::StringRef;

namespace convoy::targets {
namespace {

constexpr int64_t kMaxCycles = 100000;
constexpr StringRef kParts[] = {"code", "weights", "data", "stack"};
constexpr StringRef kStarts[] = {"cortex-m", "riscv"};

/// A kind of instructions and its member, in the order of the JSON text.
struct Kind {
  StringRef name;
  int64_t InstructionCycles::*cycles;
  int64_t least;
};

constexpr Kind kKinds[] = {
    {"integer", &InstructionCycles::integer, 1},   {"multiply", &InstructionCycles::multiply, 1},
    {"divide", &InstructionCycles::divide, 1},     {"load", &InstructionCycles::load, 1},
    {"store", &InstructionCycles::store, 1},       {"branch", &InstructionCycles::branch, 1},
    {"floating", &InstructionCycles::floating, 1}, {"vector", &InstructionCycles::vector, 0},
};

void readTool(FieldReader &fields, Tool &tool) {
  if (fields.has("name")) {
    fields.read("name", tool.name);
  }
  fields.readStrings("command", tool.command);
  fields.readStrings("packages", tool.packages);
}

/// Reads functions that need the same number of bytes of stack.
void readLibraryStack(FieldReader &fields, std::map<std::string, int64_t> &stack) {
  constexpr int64_t kMostBytes = 1 << 20;
  int64_t bytes = 0;
  std::vector<std::string> functions;
  fields.read("bytes", bytes, 0, kMostBytes);
  fields.readStrings("functions", functions);
  for (const std::string &function : functions) {
    stack[function] = bytes;
  }
}

Toolchain readToolchain(FieldReader &fields) {
  Toolchain chain;
  fields.readOneOf("start", chain.start, kStarts);
  fields.read("stackBytes", chain.stackBytes, 64, int64_t(1) << 30);
  if (fields.has("libraryStack")) {
    fields.readObjects("libraryStack",
                       [&](FieldReader &entry) { readLibraryStack(entry, chain.libraryStack); });
  }
  fields.readObjects("compilers", [&](FieldReader &entry) {
    chain.compilers.emplace_back();
    readTool(entry, chain.compilers.back());
  });
  fields.readObject("linker", [&](FieldReader &entry) { readTool(entry, chain.linker); });
  if (fields.has("emulator")) {
    fields.readObject("emulator", [&](FieldReader &entry) { readTool(entry, chain.emulator); });
  }
  if (fields.has("timeoutSeconds")) {
    fields.read("timeoutSeconds", chain.timeoutSeconds, 1, 86400);
  }
  return chain;
}

llvm::json::Object toJson(const Tool &tool) {
  llvm::json::Object object{{"command", llvm::json::Array(tool.command)},
                            {"packages", llvm::json::Array(tool.packages)}};
  if (!tool.name.empty()) {
    object["name"] = tool.name;
  }
  return object;
}

/// Groups the functions by their number of bytes.
llvm::json::Array libraryStackJson(const std::map<std::string, int64_t> &stack) {
  std::map<int64_t, llvm::json::Array> groups;
  for (const auto &[function, bytes] : stack) {
    groups[bytes].push_back(function);
  }
  llvm::json::Array list;
  for (auto &[bytes, functions] : groups) {
    list.push_back(llvm::json::Object{{"bytes", bytes}, {"functions", std::move(functions)}});
  }
  return list;
}

llvm::json::Object toJson(const Toolchain &chain) {
  llvm::json::Array compilers;
  for (const Tool &compiler : chain.compilers) {
    compilers.push_back(toJson(compiler));
  }
  llvm::json::Object object{{"start", chain.start},
                            {"stackBytes", chain.stackBytes},
                            {"compilers", std::move(compilers)},
                            {"linker", toJson(chain.linker)},
                            {"timeoutSeconds", chain.timeoutSeconds}};
  if (!chain.libraryStack.empty()) {
    object["libraryStack"] = libraryStackJson(chain.libraryStack);
  }
  if (!chain.emulator.command.empty()) {
    object["emulator"] = toJson(chain.emulator);
  }
  return object;
}

/// Reads an address such as "0x20000000".
void readAddress(FieldReader &fields, Memory &memory) {
  std::string text;
  fields.read("address", text);
  StringRef digits = text;
  if (!text.empty() && (!digits.consume_front("0x") || digits.size() > 8 ||
                        digits.getAsInteger(16, memory.address))) {
    fields.fail("address", "expects a hexadecimal number of 32 bits such as \"0x20000000\"");
  }
}

} // namespace

void readPlacement(FieldReader &fields, Memory &memory) {
  if (fields.has("address")) {
    readAddress(fields, memory);
  }
  if (fields.has("accessCycles")) {
    fields.read("accessCycles", memory.accessCycles, 1, kMaxCycles);
  }
  if (fields.has("holds")) {
    fields.readStrings("holds", memory.holds);
    for (const std::string &part : memory.holds) {
      if (!llvm::is_contained(kParts, StringRef(part))) {
        fields.fail("holds", "expects a list of " + llvm::join(llvm::ArrayRef(kParts), ", "));
      }
    }
  }
}

void writePlacement(const Memory &memory, llvm::json::Object &object) {
  if (memory.holds.empty()) {
    return;
  }
  object["address"] = "0x" + llvm::utohexstr(static_cast<uint64_t>(memory.address));
  object["holds"] = llvm::json::Array(memory.holds);
  if (memory.accessCycles > 0) {
    object["accessCycles"] = memory.accessCycles;
  }
}

void readMicrocontroller(FieldReader &fields, Target &target) {
  if (fields.has("instructionCycles")) {
    InstructionCycles &cycles = target.instructionCycles.emplace();
    fields.readObject("instructionCycles", [&](FieldReader &entry) {
      for (const Kind &kind : kKinds) {
        entry.read(kind.name, cycles.*kind.cycles, kind.least, kMaxCycles);
      }
    });
  }
  if (fields.has("toolchain")) {
    fields.readObject("toolchain",
                      [&](FieldReader &entry) { target.toolchain = readToolchain(entry); });
    if (target.toolchain && !target.toolchain->compilers.empty()) {
      target.sourceCompiler = target.toolchain->compilers.front().command;
    }
  }
}

void writeMicrocontroller(const Target &target, llvm::json::Object &object) {
  if (target.instructionCycles) {
    llvm::json::Object cycles;
    for (const Kind &kind : kKinds) {
      cycles[kind.name] = (*target.instructionCycles).*kind.cycles;
    }
    object["instructionCycles"] = std::move(cycles);
  }
  if (target.toolchain) {
    object["toolchain"] = toJson(*target.toolchain);
  }
}

std::string checkToolchain(const Target &target) {
  if (!target.toolchain) {
    return "";
  }
  const Toolchain &chain = *target.toolchain;
  for (const Tool &compiler : chain.compilers) {
    if (compiler.command.empty()) {
      return "target.toolchain.compilers expects a command for each compiler, got none";
    }
  }
  if (chain.compilers.empty() || chain.linker.command.empty()) {
    return "target.toolchain expects at least one compiler and the command of the linker";
  }
  for (StringRef part : kParts) {
    auto holds = [&](const Memory &memory) {
      return memory.bytes > 0 && llvm::is_contained(memory.holds, part);
    };
    if (llvm::none_of(target.memories, holds)) {
      return ("target.memories expects a memory with a size that holds " + part +
              ", because the target has a tool chain")
          .str();
    }
  }
  return target.cores == 1 ? ""
                           : "target.cores expects 1, because the target has a tool chain, got " +
                                 std::to_string(target.cores);
}

} // namespace convoy::targets
