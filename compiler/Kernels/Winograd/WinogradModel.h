// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model of Winograd convolution: three stages, each with the cycles
// that its busiest part needs, and the rules that give each setting when nothing was
// measured.

#pragma once

#include "Kernels/Winograd/Winograd.h"
#include "Kernels/Winograd/WinogradPlan.h"

namespace convoy::kernels {

/// Blocks of output channels in a panel that are tried.
inline constexpr int64_t kPanelVectors[] = {1, 2, 3, 4, 5, 6, 7};

class WinogradModel {
public:
  WinogradModel(const ConvProblem &problem, const Machine &machine)
      : p(problem), m(machine), block(machine.lanes()) {}

  /// All that tells configurations apart.
  struct Choice {
    int64_t tile, vectors;
    int64_t pixels;        // most tiles in a group, before groups are made even
    int64_t tilesPerTask;  // about
    int64_t chunkChannels; // most output channels of a task
    int64_t passChannels;  // about, of a pass
    int64_t unroll;
  };

  /// Most tiles in a group: what registers hold.
  int64_t mostPixels(int64_t vectors) const {
    // Short vectors have so many registers that one kept free costs nothing.
    int64_t spread = m.hasLongVectors() ? m.spreadRegisters() : 1;
    return (m.tileRegisters() - vectors - spread) / vectors;
  }
  /// A panel of fewer vectors would multiply by padding.
  bool canCut(int64_t vectors) const;
  int64_t tiles(int64_t tile) const;
  /// What the rules say for such tiles and panels.
  Choice rule(int64_t tile, int64_t vectors) const;
  WinogradAttr configure(const Choice &choice, mlir::MLIRContext *context) const;
  double cycles(WinogradAttr config) const;

private:
  static int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }
  int64_t longTilesPerTask(int64_t tile, int64_t vectors) const;
  int64_t panelsPerTask(const Choice &choice, int64_t panels, int64_t tileBlocks) const;
  double productCycles(const WinogradPlan &plan, WinogradAttr config) const;
  double transformCycles(const WinogradPlan &plan, WinogradAttr config) const;

  ConvProblem p;
  Machine m;
  int64_t block;
};

} // namespace convoy::kernels
