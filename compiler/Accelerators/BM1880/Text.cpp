// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the instruction text. Floats have 6 digits, or 9 if 6 do not round-trip, as in protobuf.

#include "Accelerators/BM1880/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstdio>
#include <cstdlib>

namespace convoy::bm1880 {
namespace {

std::string printFloat(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  if (std::strtof(text, nullptr) != value) {
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  }
  return text;
}

std::string printValue(FieldType type, int64_t value) {
  static constexpr llvm::StringLiteral kMethods[] = {"RELU", "SIGMOID", "TANH", "ELU", "PRELU"};
  switch (type) {
  case FieldType::F32:
    return printFloat(llvm::bit_cast<float>(static_cast<uint32_t>(value)));
  case FieldType::Bool:
    return value ? "true" : "false";
  case FieldType::Method:
    return kMethods[static_cast<size_t>(value) % std::size(kMethods)].str();
  case FieldType::U64:
    return std::to_string(static_cast<uint64_t>(value));
  default:
    return std::to_string(value);
  }
}

/// Returns the text in quotes, with quotes, backslashes and non-printable bytes escaped.
std::string printString(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '\'') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      result += octal;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

} // namespace

std::string writeText(llvm::ArrayRef<Instruction> instructions) {
  std::string text;
  for (const Instruction &instruction : instructions) {
    text += "inst {\n";
    if (!instruction.layer.empty()) {
      text += "  name: " + printString(instruction.layer) + "\n";
    }
    text += "  type: " + printString(instruction.info().kernel) + "\n";
    text += "  " + instruction.name().str() + " {\n";
    for (auto [i, field] : llvm::enumerate(instruction.info().fields)) {
      std::vector<int64_t> values = instruction.at(i);
      if (values.empty() && !field.isList) {
        values = {0};
      }
      for (int64_t value : values) {
        text += "    " + field.name.str() + ": " + printValue(field.type, value) + "\n";
      }
    }
    text += "  }\n}\n\n";
  }
  return text;
}

} // namespace convoy::bm1880
