// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the instruction text. The reader accepts exactly the output of the writer: every field, in
// order, with a number in the range of its type.

#include "Accelerators/BM1880/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <cstdlib>

using llvm::StringRef;

namespace convoy::bm1880 {
namespace {

class InstructionReader {
public:
  explicit InstructionReader(StringRef text) : text(text) {}

  llvm::Expected<std::vector<Instruction>> run() {
    std::vector<Instruction> list;
    next();
    while (!isAtEnd && !problem) {
      readInstruction(list);
    }
    if (problem) {
      return std::move(*problem);
    }
    return list;
  }

private:
  /// Advances to the next line that is neither empty nor a comment.
  void next() {
    do {
      isAtEnd = text.empty();
      std::tie(line, text) = text.split('\n');
      line = line.trim();
      number += isAtEnd ? 0 : 1;
    } while (!isAtEnd && (line.empty() || line.starts_with("#")));
  }

  void fail(const llvm::Twine &expected) {
    if (!problem) {
      problem = llvm::createStringError(llvm::inconvertibleErrorCode(),
                                        "line " + llvm::Twine(number) + ": expected " + expected +
                                            ", got " + (isAtEnd ? "the end" : "'" + line + "'"));
    }
  }

  /// Consumes this line, or records a problem.
  void expect(StringRef whole) {
    if (isAtEnd || line != whole) {
      return fail("'" + whole + "'");
    }
    next();
  }

  /// Consumes `key: "text"`; returns an empty string if the line has another key.
  std::string takeString(StringRef key) {
    auto [found, value] = line.split(": ");
    if (isAtEnd || found != key) {
      return "";
    }
    if (value.size() < 2 || !value.consume_front("\"") || !value.consume_back("\"")) {
      fail(key + " in quotes");
      return "";
    }
    next();
    return unescape(value);
  }

  static std::string unescape(StringRef value) {
    std::string result;
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i] != '\\' || i + 1 == value.size()) {
        result += value[i];
        continue;
      }
      unsigned octal = 0;
      if (i + 3 < value.size() && !value.substr(i + 1, 3).getAsInteger(8, octal)) {
        result += static_cast<char>(octal);
        i += 3;
      } else {
        result += value[++i];
      }
    }
    return result;
  }

  void readInstruction(std::vector<Instruction> &list) {
    expect("inst {");
    std::string layer = takeString("name");
    std::string kernel = takeString("type");
    StringRef name = line;
    const InstructionInfo *info = name.consume_back(" {") ? findInstruction(name) : nullptr;
    if (!info || info->kernel != kernel) {
      return fail("the message of " + (kernel.empty() ? "a kernel" : "'" + kernel + "'"));
    }
    next();
    Instruction instruction(*info, layer);
    for (size_t i = 0; i < info->fields.size() && !problem; ++i) {
      readField(info->fields[i], instruction.at(i));
    }
    expect("}");
    expect("}");
    list.push_back(std::move(instruction));
  }

  void readField(const FieldInfo &field, std::vector<int64_t> &values) {
    auto [key, value] = line.split(": ");
    while (!isAtEnd && !problem && key == field.name && (field.isList || values.empty())) {
      std::optional<int64_t> parsed = parse(field.type, value);
      if (!parsed) {
        return fail("a value of " + field.name);
      }
      values.push_back(*parsed);
      next();
      std::tie(key, value) = line.split(": ");
    }
    if (values.empty() && !field.isList) {
      fail("field '" + field.name + "'");
    }
  }

  static std::optional<int64_t> parse(FieldType type, StringRef value) {
    uint64_t whole = 0;
    int64_t number = 0;
    switch (type) {
    case FieldType::U64:
      return value.getAsInteger(10, whole) ? std::nullopt
                                           : std::optional(static_cast<int64_t>(whole));
    case FieldType::U32:
      return value.getAsInteger(10, whole) || whole > UINT32_MAX
                 ? std::nullopt
                 : std::optional(static_cast<int64_t>(whole));
    case FieldType::I32:
      return value.getAsInteger(10, number) || !llvm::isInt<32>(number) ? std::nullopt
                                                                        : std::optional(number);
    case FieldType::F32: {
      char *end = nullptr;
      std::string copy = value.str();
      float real = std::strtof(copy.c_str(), &end);
      bool isWhole = !copy.empty() && *end == '\0';
      return isWhole ? std::optional<int64_t>(llvm::bit_cast<uint32_t>(real)) : std::nullopt;
    }
    case FieldType::Bool:
      return value == "true"    ? std::optional<int64_t>(1)
             : value == "false" ? std::optional<int64_t>(0)
                                : std::nullopt;
    case FieldType::Method:
      return llvm::StringSwitch<std::optional<int64_t>>(value)
          .Case("RELU", 0)
          .Case("SIGMOID", 1)
          .Case("TANH", 2)
          .Case("ELU", 3)
          .Case("PRELU", 4)
          .Default(std::nullopt);
    }
    return std::nullopt;
  }

  StringRef text;
  StringRef line;
  int64_t number = 0;
  bool isAtEnd = false;
  std::optional<llvm::Error> problem;
};

} // namespace

llvm::Expected<std::vector<Instruction>> readText(StringRef text) {
  return InstructionReader(text).run();
}

} // namespace convoy::bm1880
