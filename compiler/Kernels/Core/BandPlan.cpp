// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the sizes of a band from a problem and the number of rows per band. BandPlan.h draws the
// layout of a band.

#include "Kernels/Core/BandPlan.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Core/LaneMemory.h"

namespace convoy::kernels {

BandPlan::BandPlan(const ConvProblem &p, int64_t rows, int64_t lanes, int64_t channels)
    : rows(rows), bands(ceilDiv(p.outputRows, rows)), lanes(lanes) {
  paddedColumns =
      (p.outputColumns - 1) * p.strideColumns + (p.kernelColumns - 1) * p.dilationColumns + 1;
  paddedRows = (rows - 1) * p.strideRows + (p.kernelRows - 1) * p.dilationRows + 1;
  copiedColumns = std::clamp<int64_t>(paddedColumns - p.padLeft, 0, p.inputColumns);
  pitch = ceilDiv(paddedColumns, p.strideColumns);
  planeRows = ceilDiv(paddedRows, p.strideRows);
  if (p.strideColumns > 1) {
    int64_t most = std::max<int64_t>(lanes / powerFrom(p.strideColumns), 1);
    dealtLanes = powerFrom(pitch) <= most ? powerFrom(pitch) : widthFor(pitch, most);
  }
  plane = planeRows * pitch + std::max<int64_t>(dealtLanes - pitch, 0);
  channel = plane * p.strideRows * p.strideColumns;
  tiles = ceilDiv(rows * pitch, lanes);
  // The last tap of the last lane of the last channel.
  int64_t reach = tiles * lanes + (p.kernelRows + 1) * pitch + p.kernelColumns * p.dilationColumns;
  inputElements = p.inputChannels * channel + std::max<int64_t>(reach, lanes);
  sumElements = channels * tiles * lanes + lanes;
  rowElements = p.strideColumns > 1 ? pitch * p.strideColumns + lanes * p.strideColumns : 0;
}

int64_t BandPlan::tapOffset(const ConvProblem &p, int64_t row, int64_t column) const {
  int64_t down = row * p.dilationRows;
  int64_t right = column * p.dilationColumns;
  int64_t planeNumber = down % p.strideRows * p.strideColumns + right % p.strideColumns;
  return planeNumber * plane + down / p.strideRows * pitch + right / p.strideColumns;
}

} // namespace convoy::kernels
