// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Volumes as images: windows along the depth, and pools. LowerVolumeConvs.cpp lowers convolutions
// with these functions.

#pragma once

#include "Graph/TypedBuilder.h"

namespace convoy::simplify {

/// Returns the shape N x C x D x H x W of volumes with elements, or nothing.
llvm::ArrayRef<int64_t> volumeShape(mlir::Value value);

/// The window of a layer along the depth.
struct DepthWindow {
  int64_t stride, dilation, pad; // pad: before the first depth
  int64_t outputs;

  template <typename OpT>
  static DepthWindow of(OpT op) {
    return {op.getStrides()[0], op.getDilations()[0], op.getPads()[0],
            volumeShape(op->getResult(0))[2]};
  }
  /// Returns the first depth that a tap reads.
  int64_t begin(int64_t tap) const { return tap * dilation - pad; }
  /// Returns the images that a depth tap reads: `count` images, one per volume, for each depth of
  /// the result. Images outside are `value`, or zero if it is null.
  mlir::Value moved(graph::TypedBuilder &b, int64_t count, mlir::Value source, int64_t tap,
                    mlir::Value value = {}) const;
};

/// Returns the entries for rows and columns of a list with entries for all dimensions of a window.
llvm::SmallVector<int64_t> planeOf(llvm::ArrayRef<int64_t> entries);

/// Returns whether a pool over three dimensions can compute on images.
bool poolsImages(mlir::Operation *pool);

/// Returns the pool of images: the largest image, or the mean, of the depth taps of a pool over
/// rows and columns.
mlir::Value pooled(graph::TypedBuilder &b, graph::MaxPoolOp pool, mlir::Value images);
mlir::Value pooled(graph::TypedBuilder &b, graph::AveragePoolOp pool, mlir::Value images);

} // namespace convoy::simplify
