// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one convolution becomes jobs: channels of groups, and bands of rows that fit the
// convolution buffer.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/Cubes.h"

namespace convoy::nvdla {

class ConvOp;

/// What the Winograd way writes of so many rows or columns.
inline int64_t inTiles(int64_t outputs) { return (outputs + 3) / 4 * 4; }

/// A convolution as CSC sees it. Channels of the input are those of memory.
struct ConvShape {
  Precision precision = Precision::Int8;
  CubeSize input;
  int64_t kernels = 1, groups = 1, groupInputs = 1;
  int64_t kernelWidth = 1, kernelHeight = 1;
  int64_t strideX = 1, strideY = 1, dilationX = 1, dilationY = 1;
  int64_t padTop = 0, padLeft = 0;
  int64_t outWidth = 1, outHeight = 1;
  ChannelMap channels;
  /// Of a pixel, where the input is an image, and how many of a kernel's rows are one step.
  int64_t samples = 0, mergedRows = 1;
  /// Outputs are then written in whole tiles of 4 x 4, and weights are transformed.
  bool isWinograd = false;

  /// Columns of the input that kernels reach.
  int64_t usedWidth() const;
  int64_t padRight() const;
  /// Outputs of a row that are written.
  int64_t writtenWidth() const { return isWinograd ? inTiles(outWidth) : outWidth; }
  /// Columns of the input with padding, as CSC walks over them.
  int64_t reach() const;
};

/// The shape of an op, with the gaps between channels of its input.
ConvShape shapeOf(ConvOp conv, const HardwareConfig &config);

/// The kernel as CSC sees it: a row of an image's kernel is one column of many channels.
CubeSize kernelOf(const ConvShape &shape, const struct ConvPart &part);

/// Kernels and channels of memory of one job.
struct ConvPart {
  int64_t firstKernel, kernels, firstChannel, channels;
};

/// Output rows of one job, and the input rows that it reads.
struct RowBand {
  int64_t firstRow, rows, firstInput, inputRows, padTop, padBottom;
};

/// How a part uses the convolution buffer.
struct BufferPlan {
  int64_t entriesPerRow = 0;
  int64_t dataBanks = 0, weightBanks = 0;
  /// Weights of all kernels are there at once, and stay from band to band.
  bool weightsStay = false;
  std::vector<RowBand> bands;
};

/// One part for a convolution without groups; else as few channels with zero weights as
/// atoms allow.
std::vector<ConvPart> splitGroups(const ConvShape &shape, const CompileOptions &options);

/// Nothing when not even one row of outputs fits.
std::optional<BufferPlan> planBuffer(const ConvShape &shape, const ConvPart &part,
                                     const CompileOptions &options);

/// Why the unit does not run a convolution of this shape and padding, or nothing.
std::optional<accelerators::Refusal>
whyNotShape(const ConvShape &shape, llvm::ArrayRef<int64_t> pads, const CompileOptions &options);

int64_t weightBytes(const ConvShape &shape, const ConvPart &part);

/// Cycles of a convolution in parts with the SDP behind it, by the model.
uint64_t cyclesOf(const ConvShape &shape, llvm::ArrayRef<ConvPart> parts,
                  const CompileOptions &options);

} // namespace convoy::nvdla
