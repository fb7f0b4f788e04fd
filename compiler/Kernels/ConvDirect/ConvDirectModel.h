// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analytical model of direct convolution: what a tile costs, and the rules that
// give each setting when nothing was measured. The chooser follows the rules alone;
// the space offers what lies beside them.

#pragma once

#include "Kernels/ConvDirect/ConvDirect.h"

namespace convoy::kernels {

class ConvDirectModel {
public:
  ConvDirectModel(const ConvProblem &problem, InputLayout input, bool isFlat,
                  const Machine &machine)
      : p(problem), input(input), isFlat(isFlat), m(machine), block(machine.lanes()) {}

  /// The row that tiles are cut from: a row of the result, or several as one where
  /// pixels do not meet.
  struct RowPlan {
    int64_t columns;
    int64_t rows;
    double cycles; // of all rows, for one panel
  };
  /// All that tells configurations apart.
  struct Choice {
    int64_t vectors, pixels;
    int64_t columns; // of a row, joined or not
    int64_t passes;  // over input channels
    int64_t unroll;
    bool alongPanels; // tasks are cut along panels, else along rows
    bool isFetched;   // what is worth it by the rules; else nothing
  };

  int64_t blocks() const { return ceilDiv(p.outputChannels, block); }
  int64_t panels(int64_t vectors) const { return ceilDiv(blocks(), vectors); }
  int64_t rowsOf(int64_t columns) const { return p.outputRows * p.outputColumns / columns; }
  /// Whether rows may be taken as one.
  bool joinsRows() const { return isFlat && p.isPointwise(); }
  /// Channels of an input block.
  int64_t depthBlock() const;

  /// Most pixels in a tile: what registers hold.
  int64_t mostPixels(int64_t vectors) const;
  /// Whether output channels can be cut into such panels.
  bool canCut(int64_t vectors) const;
  std::optional<RowPlan> planRows(int64_t vectors, int64_t pixels) const;
  /// Of all rows, for one panel; 0 when there are too many kinds of tiles.
  double rowsCycles(int64_t vectors, int64_t pixels, int64_t columns) const;
  /// Of the whole problem, from those of one panel.
  double totalCycles(double panelCycles, int64_t vectors) const;

  /// What the rules say for such tiles of such rows.
  Choice rule(int64_t vectors, int64_t pixels, int64_t columns) const;
  ConvDirectAttr configure(const Choice &choice, mlir::MLIRContext *context) const;
  /// Input channels of one pass, when they are so many passes.
  int64_t depthOf(int64_t passes) const;

private:
  static int64_t ceilDiv(int64_t x, int64_t d) { return (x + d - 1) / d; }
  /// What one task takes.
  struct TaskShape {
    int64_t rows;
    int64_t panels;
  };

  int64_t columns() const;
  double tileCycles(int64_t vectors, int64_t pixels) const;
  bool cutsPanels(int64_t rows, int64_t panels) const;
  TaskShape shapeTask(int64_t rows, int64_t panels, bool alongPanels) const;
  int64_t fetchedLines(int64_t depth, int64_t vectors, int64_t unroll, int64_t tiles) const;
  bool fetchesResult(int64_t depth) const;
  int64_t stepDepth(int64_t vectors, int64_t pixels) const;
  int64_t passesFor(int64_t vectors) const;

  ConvProblem p;
  InputLayout input;
  bool isFlat;
  Machine m;
  int64_t block;
};

} // namespace convoy::kernels
