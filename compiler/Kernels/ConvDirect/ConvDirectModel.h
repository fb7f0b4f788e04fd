// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of conv_direct: the cost of a tile and the rules that set each parameter without
// measurements. The chooser follows the rules; the search space also contains values near them.

#pragma once

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/GroupWindows.h"

namespace convoy::kernels {

class ConvDirectModel {
public:
  ConvDirectModel(const ConvProblem &problem, InputLayout input, bool isFlat,
                  const Machine &machine)
      : p(problem), input(input), isFlat(isFlat), m(machine), block(machine.lanes()) {}
  /// Returns the model of conv_direct, which computes groups that are not whole blocks as one.
  static ConvDirectModel of(const ConvProblem &problem, InputLayout input, bool isFlat,
                            const Machine &machine);

  /// The row that is split into tiles: one row of the result, several joined rows if the problem is
  /// pointwise, or a part of the rows of a matrix.
  struct RowPlan {
    int64_t columns;
    int64_t rows;
    double cycles; // of all rows, for one panel
  };
  /// The parameters that distinguish configurations.
  struct Parameters {
    int64_t vectors, pixels;
    int64_t columns; // of a row, after joining
    int64_t passes;  // over input channels
    int64_t unroll;
    bool alongPanels; // split tasks along panels, otherwise along rows
    bool isFetched;   // prefetch where the rules recommend it, otherwise nowhere
  };

  int64_t blocks() const { return ceilDiv(p.outputChannels, block); }
  int64_t panels(int64_t vectors) const { return ceilDiv(blocks(), vectors); }
  int64_t rowsOf(int64_t columns) const { return p.outputRows * p.outputColumns / columns; }
  /// Returns whether rows can be joined.
  bool joinsRows() const { return isFlat && p.isPointwise(); }
  /// Returns the channels per input block.
  int64_t depthBlock() const;
  /// Returns whether groups are computed as one.
  bool isJoined() const { return joined.has_value(); }

  /// Returns the maximum number of pixels per tile that fit in registers.
  int64_t mostPixels(int64_t vectors) const;
  /// Returns whether the output channels can be split into panels of `vectors` blocks.
  bool canCut(int64_t vectors) const;
  std::optional<RowPlan> planRows(int64_t vectors, int64_t pixels) const;
  /// Returns the cycles of all rows for one panel, or 0 if a row has too many kinds of tiles.
  double rowsCycles(int64_t vectors, int64_t pixels, int64_t columns) const;
  /// Returns the cycles of the whole problem from the cycles of one panel.
  double totalCycles(double panelCycles, int64_t vectors) const;

  /// Returns the parameters that the rules set for this tile and row length.
  Parameters rule(int64_t vectors, int64_t pixels, int64_t columns) const;
  ConvDirectAttr configure(const Parameters &choice, mlir::MLIRContext *context) const;
  /// Returns the configuration with the lowest estimate, or nullopt if no tile fits.
  std::optional<ConfigChoice> choose(mlir::MLIRContext *context) const;
  /// Returns the input channels per pass for a number of passes.
  int64_t depthOf(int64_t passes) const;

private:
  /// The size of one task.
  struct TaskShape {
    int64_t rows;
    int64_t panels;
  };

  int64_t columns() const;
  std::optional<RowPlan> planParts(int64_t vectors, int64_t pixels) const;
  double tileCycles(int64_t vectors, int64_t pixels) const;
  int64_t linesOfSet(int64_t pixels) const;
  double channelsPerPanel(int64_t vectors) const;
  bool cutsPanels(int64_t rows, int64_t vectors) const;
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
  std::optional<ConvProblem> joined; // the problem with its groups; `p` has one group
};

// The parts of the search space that conv_direct and conv_dot share. Settings start with the
// vectors and pixels of a tile; `columns` is the position of the row length.

/// Relative cost of leaving a rule, for each doubling of a number or for another alternative. It is
/// small compared to the cost differences between tiles, so the search first varies the rules of
/// the best tiles.
inline constexpr double kStray = 0.01;

/// Returns tiles that fill the registers, and smaller ones that leave registers to loads.
Knob tileKnob(const ConvDirectModel &model);
/// Returns the row length without joining and the row lengths that some tile prefers.
Knob columnsKnob(const ConvProblem &p, const ConvDirectModel &model, const Knob &tiles);
/// Returns the constraints on tiles and row lengths.
std::vector<Constraint> tileConstraints(const ConvProblem &p, const ConvDirectModel &model,
                                        const Machine &m, size_t columns);
/// Returns the estimate of a tile for one panel, and the cost of leaving its rule.
double tileCycles(const ConvDirectModel &model, int64_t vectors, int64_t pixels, int64_t columns);

} // namespace convoy::kernels
