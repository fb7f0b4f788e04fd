// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cost models know of the target: the part of its description that shapes
// kernels.

#pragma once

#include <cstdint>

namespace convoy::kernels {

/// A vector of so many bytes is several cache lines; see Machine::hasLongVectors.
constexpr int64_t kLongVectorBytes = 256;

/// How a machine sums products of bytes.
enum class DotForm {
  None,  // nothing better than products lane by lane
  Pairs, // products of 16 bits summed by twos (vpmaddwd)
  Bytes, // products of bytes summed by fours (vpdpbusd)
};

struct Machine {
  int64_t vectorBytes = 32;
  int64_t vectorRegisters = 16;
  int64_t fmaPorts = 2; // 0: no such instruction
  /// A factor comes from a scalar register; see Target.h.
  bool hasScalarOperands = false;
  int64_t firstCacheBytes = 32 << 10;
  int64_t secondCacheBytes = 1 << 20;
  /// Templates for integers are offered where there is one.
  DotForm dot = DotForm::None;
  /// Registers of 16 rows of 64 bytes that are multiplied as matrices (AMX).
  bool hasTiles = false;

  int64_t lanes() const { return vectorBytes / 4; } // of f32
  /// Registers that a factor spread over lanes takes.
  int64_t spreadRegisters() const { return hasScalarOperands ? 0 : 1; }
  /// A vector is several cache lines: what is read is streamed, and hints to fetch
  /// single lines are only instructions.
  bool hasLongVectors() const { return vectorBytes >= kLongVectorBytes; }

  /// Vectors multiplied and added per cycle. Without the instruction a product and a
  /// sum take a pipe each.
  int64_t multiplyAddsPerCycle() const { return fmaPorts > 0 ? fmaPorts : 1; }
  /// Registers that accumulators and operands may take: a product on its way to its
  /// sum needs one.
  int64_t tileRegisters() const { return vectorRegisters - (fmaPorts > 0 ? 0 : 1); }
};

} // namespace convoy::kernels
