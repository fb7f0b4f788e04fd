// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits one convolution into jobs: parts of its groups, and bands of rows that fit in the
// convolution buffer.

#pragma once

#include "Accelerators/Capabilities.h"
#include "Accelerators/NVDLA/Compile/Cubes.h"

namespace convoy::nvdla {

class ConvOp;

/// Returns the number of rows or columns that the Winograd mode writes, in whole tiles of four.
inline int64_t inTiles(int64_t outputs) { return (outputs + 3) / 4 * 4; }

/// A convolution as seen by CSC. Input channels are channels in memory.
struct ConvShape {
  Precision precision = Precision::Int8;
  CubeSize input;
  int64_t kernels = 1, groups = 1, groupInputs = 1;
  int64_t kernelWidth = 1, kernelHeight = 1;
  int64_t strideX = 1, strideY = 1, dilationX = 1, dilationY = 1;
  int64_t padTop = 0, padLeft = 0;
  int64_t outWidth = 1, outHeight = 1;
  ChannelMap channels;
  /// Samples per pixel if the input is an image (otherwise 0), and the kernel rows per step.
  int64_t samples = 0, mergedRows = 1;
  /// In Winograd mode, outputs are written in whole tiles of 4 x 4 and weights are transformed.
  bool isWinograd = false;

  /// Returns the number of input columns that the kernels read.
  int64_t usedWidth() const;
  int64_t padRight() const;
  /// Returns the number of outputs per row that are written.
  int64_t writtenWidth() const { return isWinograd ? inTiles(outWidth) : outWidth; }
  /// Returns the number of input columns including padding, as CSC traverses them.
  int64_t reach() const;
};

/// The attributes of a convolution that determine its shape.
struct ConvGeometry {
  Precision precision = Precision::Int8;
  CubeSize input, output;
  llvm::ArrayRef<int64_t> weight; // O, I / groups, H, W
  llvm::ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups = 1;
};

/// Returns the geometry of a convolution of convcore or nvdla; both have the same accessors.
template <typename ConvT>
ConvGeometry geometryOf(ConvT conv, Precision precision) {
  ConvGeometry geometry;
  geometry.precision = precision;
  geometry.input = *cubeOf(conv.getInput().getType());
  geometry.output = *cubeOf(conv.getType());
  geometry.weight = mlir::cast<mlir::RankedTensorType>(conv.getWeight().getType()).getShape();
  geometry.strides = conv.getStrides();
  geometry.pads = conv.getPads();
  geometry.dilations = conv.getDilations();
  geometry.groups = static_cast<int64_t>(conv.getGroups());
  return geometry;
}

/// Returns the shape of a direct convolution whose input channels have no gaps.
ConvShape shapeOf(const ConvGeometry &geometry);

/// Returns the shape of an op, including the gaps between the channels of its input.
ConvShape shapeOf(ConvOp conv, const HardwareConfig &config);

/// Returns the kernel as seen by CSC: for an image, a kernel row is one column with many channels.
CubeSize kernelOf(const ConvShape &shape, const struct ConvPart &part);

/// The kernels and memory channels of one job.
struct ConvPart {
  int64_t firstKernel, kernels, firstChannel, channels;
};

/// The output rows of one job and the input rows that it reads.
struct RowBand {
  int64_t firstRow, rows, firstInput, inputRows, padTop, padBottom;
};

/// How a part uses the convolution buffer.
struct BufferPlan {
  int64_t entriesPerRow = 0;
  int64_t dataBanks = 0, weightBanks = 0;
  /// The weights of all kernels fit at the same time and stay resident across bands.
  bool weightsStay = false;
  std::vector<RowBand> bands;
};

/// Returns one part for a convolution without groups. Otherwise returns parts with as few
/// zero-weight channels as atoms allow, or wider parts if they take fewer cycles. With
/// `groups=dense`, returns one part if it takes fewer operations.
std::vector<ConvPart> splitGroups(const ConvShape &shape, const NvdlaOptions &options);

/// Returns nothing if not even one output row fits.
std::optional<BufferPlan> planBuffer(const ConvShape &shape, const ConvPart &part,
                                     const NvdlaOptions &options);

/// Returns why the device cannot run a convolution of this shape and padding, or nothing.
std::optional<accelerators::Refusal>
whyNotShape(const ConvShape &shape, llvm::ArrayRef<int64_t> pads, const NvdlaOptions &options);

int64_t weightBytes(const ConvShape &shape, const ConvPart &part);

/// Estimates the cycles of all parts of a convolution with the following SDP.
uint64_t cyclesOf(const ConvShape &shape, llvm::ArrayRef<ConvPart> parts,
                  const NvdlaOptions &options);

} // namespace convoy::nvdla
