// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model of depthwise convolution. A strip costs what the busier unit
// needs, multiplications or loads, and at least the chain of one accumulator.

#pragma once

#include "Kernels/Depthwise/Depthwise.h"

namespace convoy::kernels {

class DepthwiseModel {
public:
  DepthwiseModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  struct Estimate {
    double cycles;
    /// Whether the code of all kinds of strips is little enough for one kernel; else it
    /// is taken only where there is no other way.
    bool isShort;
  };

  /// Most pixels in a strip, with so many rows of weights held: what registers hold.
  int64_t mostPixels(int64_t held) const;
  /// Rows of one task.
  int64_t ruleRows() const;
  Estimate estimate(int64_t held, int64_t pixels) const;
  DepthwiseAttr configure(int64_t held, int64_t pixels, int64_t rows,
                          mlir::MLIRContext *context) const;

private:
  static int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }
  double stripCycles(int64_t held, int64_t pixels) const;

  ConvProblem p;
  Machine m;
  int64_t block;
};

} // namespace convoy::kernels
