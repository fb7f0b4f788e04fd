// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of one unit: shared registers (S_...) exist once, and registers of a job (D_...)
// exist in two groups, so that the next job can be written while one runs.

#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>

namespace convoy::nvdla {

class UnitRegisters {
public:
  /// Registers that were never written have their reset value.
  explicit UnitRegisters(llvm::StringRef unit) : unit(unit) {}

  void write(llvm::StringRef name, uint32_t value);
  uint32_t read(llvm::StringRef name, unsigned group) const;

  /// Returns the group to which writes go.
  unsigned producer() const { return read("S_POINTER", 0) & 1; }
  /// The group whose job runs next.
  unsigned consumer = 0;
  std::array<bool, 2> isEnabled = {};

private:
  std::string unit;
  llvm::StringMap<uint32_t> shared;
  std::array<llvm::StringMap<uint32_t>, 2> groups;
};

/// One group of a unit's registers, for decoders.
class RegisterView {
public:
  RegisterView(const UnitRegisters &registers, unsigned group)
      : registers(registers), group(group) {}

  uint32_t word(llvm::StringRef name) const { return registers.read(name, group); }
  uint32_t bits(llvm::StringRef name, unsigned lsb, unsigned width) const {
    return uint32_t((uint64_t(word(name)) >> lsb) & ((uint64_t(1) << width) - 1));
  }
  bool bit(llvm::StringRef name, unsigned lsb) const { return bits(name, lsb, 1) != 0; }
  int32_t signedBits(llvm::StringRef name, unsigned lsb, unsigned width) const;
  /// Returns the size in a 13-bit field that holds the size minus one.
  uint32_t size(llvm::StringRef name, unsigned lsb = 0) const { return bits(name, lsb, 13) + 1; }
  uint64_t address(llvm::StringRef low, llvm::StringRef high) const {
    return uint64_t(word(high)) << 32 | word(low);
  }

private:
  const UnitRegisters &registers;
  unsigned group;
};

} // namespace convoy::nvdla
