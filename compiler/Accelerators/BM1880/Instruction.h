// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field values of one instruction, and the table of all instructions. BM1880.td defines the
// table.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace convoy::bm1880 {

/// Address of a tensor that does not exist.
constexpr int64_t kNoAddress = 0x000000FFFFFFFFFF;

enum class FieldType { U64, U32, I32, F32, Bool, Method };

struct FieldInfo {
  llvm::StringRef name;
  FieldType type;
  bool isList;
};

struct InstructionInfo {
  llvm::StringRef name;   // of the protobuf message, for example "conv_p"
  llvm::StringRef kernel; // "bmnet_conv_parallel_fixed_forward_bmkernel"
  int number;
  std::vector<FieldInfo> fields;
};

/// Returns all 31 instructions, ordered by number.
llvm::ArrayRef<InstructionInfo> instructions();
/// Returns the instruction with this name, or null.
const InstructionInfo *findInstruction(llvm::StringRef name);

class Instruction {
public:
  /// Sets all numbers to 0 and all lists to empty.
  Instruction(const InstructionInfo &info, std::string layer)
      : layer(std::move(layer)), table(&info), values(info.fields.size()) {}
  /// `name` must be in the table.
  Instruction(llvm::StringRef name, std::string layer);

  const InstructionInfo &info() const { return *table; }
  llvm::StringRef name() const { return table->name; }

  /// Access fields by name; the instruction must have the field. A float is stored by its bits, a
  /// bool as 0 or 1.
  int64_t get(llvm::StringRef field) const { return list(field).empty() ? 0 : list(field)[0]; }
  const std::vector<int64_t> &list(llvm::StringRef field) const { return values[indexOf(field)]; }
  Instruction &set(llvm::StringRef field, int64_t value) { return setList(field, {value}); }
  Instruction &setList(llvm::StringRef field, std::vector<int64_t> list);
  /// Sets consecutive fields of the table, starting with `first`.
  Instruction &setAll(llvm::StringRef first, llvm::ArrayRef<int64_t> numbers);

  /// Access fields by their position in the table.
  std::vector<int64_t> &at(size_t field) { return values[field]; }
  const std::vector<int64_t> &at(size_t field) const { return values[field]; }

  std::string layer; // name of the output; may be empty

private:
  size_t indexOf(llvm::StringRef field) const;

  const InstructionInfo *table;
  std::vector<std::vector<int64_t>> values;
};

} // namespace convoy::bm1880
