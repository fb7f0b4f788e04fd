// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of winograd: the cycles of the products and transforms, and the rules that set
// each parameter without measurements.

#pragma once

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/Winograd/WinogradPlan.h"

namespace convoy::kernels {

/// Numbers of output-channel blocks per panel that the chooser tries.
inline constexpr int64_t kPanelVectors[] = {1, 2, 3, 4, 5, 6, 7};

class WinogradModel {
public:
  WinogradModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  /// The parameters that distinguish configurations.
  struct Parameters {
    int64_t tile, vectors;
    int64_t pixels;        // maximum tiles per group, before groups are balanced
    int64_t tilesPerTask;  // approximate
    int64_t chunkChannels; // maximum output channels per task
    int64_t passChannels;  // approximate input channels per pass
    int64_t unroll;
  };

  /// Returns the maximum number of tiles per group that fit in registers.
  int64_t mostPixels(int64_t vectors) const {
    // Targets with short vectors have enough registers to keep one free.
    int64_t spread = m.hasLongVectors() ? m.spreadRegisters() : 1;
    return (m.tileRegisters() - vectors - spread) / vectors;
  }
  /// Returns whether `vectors` divides the blocks of output channels. Otherwise the last panel
  /// would multiply padding.
  bool canCut(int64_t vectors) const;
  int64_t tiles(int64_t tile) const;
  /// Returns the parameters that the rules set for this tile and panel.
  Parameters rule(int64_t tile, int64_t vectors) const;
  WinogradAttr configure(const Parameters &choice, mlir::MLIRContext *context) const;
  double cycles(WinogradAttr config) const;

private:
  int64_t longTilesPerTask(int64_t tile, int64_t vectors) const;
  int64_t panelsPerTask(const Parameters &choice, int64_t panels, int64_t tileBlocks) const;
  double productCycles(const WinogradPlan &plan, WinogradAttr config) const;
  double transformCycles(const WinogradPlan &plan, WinogradAttr config) const;

  ConvProblem p;
  Machine m;
  int64_t block;
};

} // namespace convoy::kernels
