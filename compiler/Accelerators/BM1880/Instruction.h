// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction as numbers, and the table of all of them. BM1880.td is the source of
// the table.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::bm1880 {

/// Where there is no tensor.
constexpr int64_t kNoAddress = 0x000000FFFFFFFFFF;

enum class FieldType { U64, U32, I32, F32, Bool, Method };

struct FieldInfo {
  llvm::StringRef name;
  FieldType type;
  bool isList;
};

struct InstructionInfo {
  llvm::StringRef name;   // of the message: "conv_p"
  llvm::StringRef kernel; // "bmnet_conv_parallel_fixed_forward_bmkernel"
  int number;
  std::vector<FieldInfo> fields;
};

/// All 31, by number.
llvm::ArrayRef<InstructionInfo> instructions();
/// The one of this name, or null.
const InstructionInfo *findInstruction(llvm::StringRef name);

class Instruction {
public:
  /// Numbers are 0, lists are empty.
  Instruction(const InstructionInfo &info, std::string layer)
      : layer(std::move(layer)), table(&info), values(info.fields.size()) {}
  /// The name must be one of the table.
  Instruction(llvm::StringRef name, std::string layer);

  const InstructionInfo &info() const { return *table; }
  llvm::StringRef name() const { return table->name; }

  /// Fields by name, which must be one of the instruction's. A float is kept by its
  /// bits, a bool as 0 or 1.
  int64_t get(llvm::StringRef field) const { return list(field).empty() ? 0 : list(field)[0]; }
  const std::vector<int64_t> &list(llvm::StringRef field) const { return values[indexOf(field)]; }
  Instruction &set(llvm::StringRef field, int64_t value) { return setList(field, {value}); }
  Instruction &setList(llvm::StringRef field, std::vector<int64_t> list);
  /// Fields that follow each other in the table, from `first` on.
  Instruction &setAll(llvm::StringRef first, llvm::ArrayRef<int64_t> numbers);

  /// By position, as the table has them.
  std::vector<int64_t> &at(size_t field) { return values[field]; }
  const std::vector<int64_t> &at(size_t field) const { return values[field]; }

  std::string layer; // the output's name; may be empty

private:
  size_t indexOf(llvm::StringRef field) const;

  const InstructionInfo *table;
  std::vector<std::vector<int64_t>> values;
};

} // namespace convoy::bm1880
