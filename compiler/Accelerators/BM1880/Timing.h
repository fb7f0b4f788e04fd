// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions cost, by the formulas that ONNC has for this chip, and when each of
// a list starts and ends. No measurement of a chip stands behind either.

#pragma once

#include "Accelerators/BM1880/Instruction.h"

namespace convoy::bm1880 {

constexpr int64_t kLanes = 32;
constexpr int64_t kLaneBytes = 65536;
constexpr int64_t kUnits = 16;             // per lane; also the alignment of planes
constexpr int64_t kBusBytes = 16;          // per cycle
constexpr double kNanosecondsPerCycle = 1; // at 1 GHz

/// What an instruction does, in cycles and bytes.
struct Work {
  int64_t computeCycles = 0;
  int64_t bytesMoved = 0; // between global memory and the chip
  int64_t products = 0;
};
Work workOf(const Instruction &instruction);

/// Bytes of each lane that a local tensor takes.
int64_t laneBytes(int64_t n, int64_t channels, int64_t plane, bool isAligned);

/// When an instruction runs, in cycles from the start of the list.
struct Interval {
  int64_t start = 0;
  int64_t end = 0;
};

/// Transfers and local kernels run on two engines, each in order. One waits for an
/// instruction of the other that it meets in local memory. A global kernel uses both;
/// its own transfers run beside its computing.
std::vector<Interval> schedule(llvm::ArrayRef<Instruction> instructions);

} // namespace convoy::bm1880
