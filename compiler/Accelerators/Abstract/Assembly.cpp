// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembler and disassembler of the abstract device. They check only the encoding; the simulator
// checks whether a program is valid.

#include "Accelerators/Abstract/Assembly.h"

#include "abstract/isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace convoy::abstract {
namespace {

const StringRef kRegisters[] = {
#define REGISTER(name, least, most, text) #name,
#include "abstract/registers.inc"
#undef REGISTER
};

const StringRef kOpcodes[] = {
#define OPCODE(name, spelling, engine, text) spelling,
#include "abstract/opcodes.inc"
#undef OPCODE
};

constexpr uint32_t kNoWaits = CONVOY_ABSTRACT_NO_WAIT << 16 | CONVOY_ABSTRACT_NO_WAIT << 24;

llvm::Error fail(size_t line, const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "line " + llvm::Twine(line) + ": " + message);
}

/// Returns the index of a word in a table, or nothing.
std::optional<uint32_t> indexOf(llvm::ArrayRef<StringRef> words, StringRef word) {
  const auto *found = llvm::find(words, word);
  return found == words.end()
             ? std::nullopt
             : std::optional<uint32_t>(static_cast<uint32_t>(found - words.begin()));
}

/// Encodes `dma<=3` or `compute<=0` into word 0.
llvm::Error addWait(uint32_t &word, StringRef wait, size_t line) {
  auto [engine, count] = wait.split("<=");
  uint32_t lag = 0;
  if ((engine != "dma" && engine != "compute") || count.getAsInteger(10, lag) ||
      lag > CONVOY_ABSTRACT_MOST_LAG) {
    return fail(line, llvm::formatv("expects dma<=N or compute<=N with N up to {0}, got '{1}'",
                                    CONVOY_ABSTRACT_MOST_LAG, wait)
                          .str());
  }
  int shift = engine == "dma" ? 16 : 24;
  if ((word >> shift & 255u) != CONVOY_ABSTRACT_NO_WAIT) {
    return fail(line, "waits for " + engine + " twice");
  }
  word = (word & ~(255u << shift)) | lag << shift;
  return llvm::Error::success();
}

/// Assembles the operands of `set REGISTER, VALUE`.
llvm::Error assembleSet(StringRef rest, size_t line, std::vector<uint32_t> &words) {
  auto [name, value] = rest.split(',');
  std::optional<uint32_t> reg = indexOf(kRegisters, name.trim());
  int32_t number = 0;
  if (!reg) {
    return fail(line, "unknown register '" + name.trim() +
                          "'; docs/targets/abstract.md lists the registers");
  }
  if (value.trim().getAsInteger(10, number)) {
    return fail(line,
                "expects a 32-bit integer for " + name.trim() + ", got '" + value.trim() + "'");
  }
  words.push_back(CONVOY_ABSTRACT_OP_set | *reg << 8);
  words.push_back(static_cast<uint32_t>(number));
  return llvm::Error::success();
}

llvm::Error assembleLine(StringRef text, size_t line, std::vector<uint32_t> &words) {
  auto [mnemonic, rest] = text.split(' ');
  std::optional<uint32_t> opcode = indexOf(kOpcodes, mnemonic);
  if (!opcode) {
    return fail(line, "unknown instruction '" + mnemonic + "'; the instructions are " +
                          llvm::join(llvm::ArrayRef(kOpcodes), ", "));
  }
  rest = rest.trim();
  if (*opcode == CONVOY_ABSTRACT_OP_set) {
    return assembleSet(rest, line, words);
  }
  uint32_t number = 0;
  if (*opcode == CONVOY_ABSTRACT_OP_layer && rest.getAsInteger(10, number)) {
    return fail(line, "expects the number of a layer, got '" + rest + "'");
  }
  if (*opcode == CONVOY_ABSTRACT_OP_end && !rest.empty()) {
    return fail(line, "end takes no operand, got '" + rest + "'");
  }
  uint32_t word = *opcode;
  if (convoy_abstract_engine(*opcode) != CONVOY_ABSTRACT_CONTROL) {
    word |= kNoWaits;
    llvm::SmallVector<StringRef> waits;
    rest.split(waits, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef wait : waits) {
      if (llvm::Error error = addWait(word, wait, line)) {
        return error;
      }
    }
  }
  words.push_back(word);
  words.push_back(number);
  return llvm::Error::success();
}

/// Returns the text of one instruction, or an empty string if the encoding is invalid.
std::string disassembleOne(uint32_t word, uint32_t value) {
  uint32_t opcode = word & 255u;
  if (opcode >= CONVOY_ABSTRACT_OPCODES) {
    return "";
  }
  std::string text = kOpcodes[opcode].str();
  uint32_t reg = word >> 8 & 255u;
  if (opcode == CONVOY_ABSTRACT_OP_set) {
    return reg < CONVOY_ABSTRACT_REGISTERS && word >> 16 == 0
               ? text + " " + kRegisters[reg].str() + ", " +
                     std::to_string(static_cast<int32_t>(value))
               : "";
  }
  if (opcode == CONVOY_ABSTRACT_OP_layer) {
    return word == opcode ? text + " " + std::to_string(value) : "";
  }
  if (value != 0 || reg != 0 || (opcode == CONVOY_ABSTRACT_OP_end && word != opcode)) {
    return "";
  }
  if (opcode != CONVOY_ABSTRACT_OP_end) {
    for (auto [engine, lag] : {std::pair("dma", word >> 16 & 255u), {"compute", word >> 24}}) {
      if (lag != CONVOY_ABSTRACT_NO_WAIT) {
        text += llvm::formatv(" {0}<={1}", engine, lag).str();
      }
    }
  }
  return text;
}

} // namespace

llvm::Expected<std::vector<uint32_t>> assemble(StringRef text) {
  std::vector<uint32_t> words;
  for (size_t line = 1; !text.empty(); ++line) {
    auto [first, rest] = text.split('\n');
    StringRef code = first.split('#').first.trim();
    if (!code.empty()) {
      if (llvm::Error error = assembleLine(code, line, words)) {
        return error;
      }
    }
    text = rest;
  }
  return words;
}

llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words) {
  std::string text;
  for (size_t at = 0; at < words.size(); at += 2) {
    std::string line = at + 1 < words.size() ? disassembleOne(words[at], words[at + 1]) : "";
    if (line.empty()) {
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          llvm::formatv("word {0} ({1:x}) is not the start of an instruction", at, words[at])
              .str());
    }
    text += line + "\n";
  }
  return text;
}

} // namespace convoy::abstract
