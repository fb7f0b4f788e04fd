// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The geometry of a layer: which elements of its input each output position multiplies with the
// weights. ObserveProducts.cpp and FitWeights.cpp use it.

#pragma once

#include "QuantizePlan/Points.h"
#include <optional>

namespace onnx {
class NodeProto;
} // namespace onnx

namespace convoy::quantizer {

/// Layers with more taps are rounded to nearest, because time grows with the third power of the
/// number of taps and memory with the second.
constexpr int64_t kMostTaps = 2304;

/// A layer as a matrix product: each position is a row of taps per group.
struct LayerGeometry {
  bool isConv = false;
  int64_t groups = 1;
  int64_t taps = 0;     // per group
  int64_t channels = 0; // output channels
  // Of a convolution; a convolution with one spatial dimension has height 1.
  int64_t kernel[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  int64_t pads[4] = {0, 0, 0, 0}; // top, left, bottom, right
  bool padsSame = false, padsSameLower = false;
  // Of a product: y = alpha * x * w + beta * bias.
  double alpha = 1, beta = 1;
};

/// Returns the geometry; nothing if the form of the layer is not supported, with the reason in
/// `why`.
std::optional<LayerGeometry> geometryOf(const onnx::ModelProto &prepared, const plan::Layer &layer,
                                        std::string &why);

/// The positions of one sample, and the elements of their rows.
class LayerRows {
public:
  /// `shape` is that of the layer's input.
  LayerRows(const LayerGeometry &geometry, std::vector<int64_t> shape);

  /// Returns the number of output positions; 0 if the shape does not fit the layer.
  int64_t count() const { return positions; }

  /// Writes the taps of all groups of one position. Group g begins at rows + g * stride.
  void read(const float *input, int64_t position, float *row, int64_t stride) const;

private:
  void readConv(const float *input, int64_t position, float *row, int64_t stride) const;

  const LayerGeometry &geometry;
  int64_t positions = 0;
  int64_t batch = 1, inputChannels = 0;
  int64_t size[2] = {1, 1}, outputSize[2] = {1, 1}, begin[2] = {0, 0};
};

} // namespace convoy::quantizer
