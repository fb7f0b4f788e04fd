// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of depthwise. A strip takes the maximum of its multiplication time, its load time
// and the dependency chain of one accumulator.

#pragma once

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Depthwise/Depthwise.h"

namespace convoy::kernels {

class DepthwiseModel {
public:
  DepthwiseModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  struct Estimate {
    double cycles;
    /// Whether the code of all kinds of strips is short enough for one kernel. Longer code is used
    /// only if there is no other configuration.
    bool isShort;
  };

  /// Returns the maximum number of pixels per strip that fit in registers, if the weights of `held`
  /// rows of taps stay in registers.
  int64_t mostPixels(int64_t held) const;
  /// Returns the default number of rows per task.
  int64_t ruleRows() const;
  Estimate estimate(int64_t held, int64_t pixels) const;
  DepthwiseAttr configure(int64_t held, int64_t pixels, int64_t rows,
                          mlir::MLIRContext *context) const;

private:
  double stripCycles(int64_t held, int64_t pixels) const;

  ConvProblem p;
  Machine m;
  int64_t block;
};

} // namespace convoy::kernels
