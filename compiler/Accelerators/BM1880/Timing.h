// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of instructions by ONNC's formulas for this chip, and the start and end of each
// instruction in a list. Neither has been compared with measurements of a chip.

#pragma once

#include "Accelerators/BM1880/Instruction.h"

namespace convoy::bm1880 {

constexpr int64_t kLanes = 32;
constexpr int64_t kLaneBytes = 65536;
constexpr int64_t kUnits = 16;             // per lane, also the alignment of planes in bytes
constexpr int64_t kBusBytes = 16;          // per cycle
constexpr double kNanosecondsPerCycle = 1; // at 1 GHz

/// The work of an instruction in cycles and bytes.
struct Work {
  int64_t computeCycles = 0;
  int64_t bytesMoved = 0; // between global memory and the chip
  int64_t products = 0;
};
Work workOf(const Instruction &instruction);

/// Returns the bytes of each lane that a local tensor occupies.
int64_t laneBytes(int64_t n, int64_t channels, int64_t plane, bool isAligned);

/// The time of an instruction, in cycles from the start of the list.
struct Interval {
  int64_t start = 0;
  int64_t end = 0;
};

/// Schedules transfers and local kernels on two engines, each in order. An instruction waits for an
/// instruction of the other engine if their local memory ranges conflict. A global kernel uses both
/// engines; its own transfers overlap with its computation.
std::vector<Interval> schedule(llvm::ArrayRef<Instruction> instructions);

} // namespace convoy::bm1880
