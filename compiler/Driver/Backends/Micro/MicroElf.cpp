// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Backends/Micro/MicroElf.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

namespace convoy::driver {
namespace {

/// Returns the text of the section .convoy_marks, which has pairs of an address and a number.
std::string marksText(StringRef content) {
  std::string text;
  auto word = [&](size_t at) { return llvm::support::endian::read32le(content.data() + at); };
  for (size_t at = 0; at + 8 <= content.size(); at += 8) {
    text += llvm::utohexstr(word(at)) + " " + std::to_string(word(at + 4)) + "\n";
  }
  return text;
}

llvm::Error addSection(const llvm::object::SectionRef &any, MicroElf &elf) {
  llvm::object::ELFSectionRef section(any);
  llvm::Expected<StringRef> name = any.getName();
  if (!name) {
    return name.takeError();
  }
  bool isLoaded = (section.getFlags() & llvm::ELF::SHF_ALLOC) != 0;
  bool isCode = (section.getFlags() & llvm::ELF::SHF_EXECINSTR) != 0;
  auto bytes = static_cast<int64_t>(any.getSize());
  elf.codeBytes += isLoaded && isCode ? bytes : 0;
  elf.flashBytes += isLoaded && section.getType() != llvm::ELF::SHT_NOBITS ? bytes : 0;
  if (*name != ".convoy_marks") {
    return llvm::Error::success();
  }
  llvm::Expected<StringRef> content = any.getContents();
  if (!content) {
    return content.takeError();
  }
  elf.marks += marksText(*content);
  return llvm::Error::success();
}

llvm::Error addSymbol(const llvm::object::SymbolRef &symbol, MicroElf &elf) {
  llvm::Expected<StringRef> name = symbol.getName();
  llvm::Expected<uint64_t> address = symbol.getValue();
  if (!name || !address) {
    return llvm::joinErrors(name.takeError(), address.takeError());
  }
  const std::pair<StringRef, uint64_t &> limits[] = {{"convoy_stack_end", elf.stack.begin},
                                                     {"convoy_stack_top", elf.stack.end},
                                                     {"convoy_data_begin", elf.data.begin},
                                                     {"convoy_bss_end", elf.data.end}};
  for (const auto &[symbolName, limit] : limits) {
    if (*name == symbolName) {
      limit = *address;
    }
  }
  if (uint64_t bytes = llvm::object::ELFSymbolRef(symbol).getSize()) {
    elf.symbols[name->str()] = {*address, *address + bytes};
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<MicroElf> readMicroElf(const std::string &path) {
  auto binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary) {
    return binary.takeError();
  }
  MicroElf elf;
  for (const llvm::object::SectionRef &section : binary->getBinary()->sections()) {
    if (llvm::Error error = addSection(section, elf)) {
      return std::move(error);
    }
  }
  for (const llvm::object::SymbolRef &symbol : binary->getBinary()->symbols()) {
    if (llvm::Error error = addSymbol(symbol, elf)) {
      return std::move(error);
    }
  }
  return elf;
}

std::string optionPath(StringRef path) {
  std::string text;
  for (char c : path) {
    text += c == ',' ? ",," : std::string(1, c);
  }
  return text;
}

std::vector<std::string> emulationArguments(StringRef program, StringRef folder) {
  return {"-nographic",
          "-monitor",
          "none",
          "-serial",
          "none",
          "-semihosting-config",
          "enable=on,target=native,arg=" + optionPath(folder),
          "-kernel",
          program.str()};
}

std::string cyclesOption(const targets::Target &target) {
  if (!target.instructionCycles) {
    return "";
  }
  const targets::InstructionCycles &cycles = *target.instructionCycles;
  return llvm::formatv(",cycles={0}:{1}:{2}:{3}:{4}:{5}:{6}:{7}:{8}",
                       llvm::Triple(target.triple).isRISCV() ? "riscv" : "thumb", cycles.integer,
                       cycles.multiply, cycles.divide, cycles.load, cycles.store, cycles.branch,
                       cycles.floating, cycles.vector)
      .str();
}

} // namespace convoy::driver
