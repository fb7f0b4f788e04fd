// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the attributes of convolutions and products, and copies the elements of a position.

#include "quantizer/observe/LayerInputs.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstring>

namespace convoy::quantizer {
namespace {

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, llvm::StringRef name) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

/// Copies a list of one or two numbers to the last places of `result`.
void readPair(const onnx::NodeProto &node, llvm::StringRef name, int64_t (&result)[2]) {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  int count = attribute ? attribute->ints_size() : 0;
  for (int i = 0; i < std::min(count, 2); ++i) {
    result[2 - std::min(count, 2) + i] = attribute->ints(i);
  }
}

void readPads(const onnx::NodeProto &node, LayerGeometry &geometry) {
  if (const onnx::AttributeProto *mode = findAttribute(node, "auto_pad")) {
    geometry.padsSame = mode->s() == "SAME_UPPER" || mode->s() == "SAME_LOWER";
    geometry.padsSameLower = mode->s() == "SAME_LOWER";
    if (mode->s() == "VALID") {
      return;
    }
  }
  const onnx::AttributeProto *pads = findAttribute(node, "pads");
  if (pads && pads->ints_size() == 4) {
    std::copy(pads->ints().begin(), pads->ints().end(), geometry.pads);
  } else if (pads && pads->ints_size() == 2) {
    geometry.pads[1] = pads->ints(0);
    geometry.pads[3] = pads->ints(1);
  }
}

std::optional<LayerGeometry> convGeometry(const onnx::NodeProto &node, const plan::Layer &layer,
                                          const std::vector<int64_t> &weights, std::string &why) {
  if (weights.size() != 3 && weights.size() != 4) {
    why = "only convolutions with one or two spatial dimensions have a closed form";
    return std::nullopt;
  }
  LayerGeometry geometry;
  geometry.isConv = true;
  geometry.groups = std::max<int64_t>(layer.groups, 1);
  geometry.channels = weights[0];
  geometry.kernel[1] = weights.back();
  geometry.kernel[0] = weights.size() == 4 ? weights[2] : 1;
  geometry.taps = weights[1] * geometry.kernel[0] * geometry.kernel[1];
  readPair(node, "strides", geometry.strides);
  readPair(node, "dilations", geometry.dilations);
  readPads(node, geometry);
  return geometry;
}

std::optional<LayerGeometry> productGeometry(const onnx::NodeProto &node, const plan::Layer &layer,
                                             const std::vector<int64_t> &weights,
                                             std::string &why) {
  const onnx::AttributeProto *transA = findAttribute(node, "transA");
  if (weights.size() != 2 || (transA && transA->i() != 0)) {
    why = "only products of rows with a matrix have a closed form";
    return std::nullopt;
  }
  LayerGeometry geometry;
  geometry.channels = weights[layer.axis == 0 ? 0 : 1];
  geometry.taps = weights[layer.axis == 0 ? 1 : 0];
  const onnx::AttributeProto *alpha = findAttribute(node, "alpha");
  const onnx::AttributeProto *beta = findAttribute(node, "beta");
  geometry.alpha = alpha ? alpha->f() : 1;
  geometry.beta = beta ? beta->f() : 1;
  return geometry;
}

} // namespace

std::optional<LayerGeometry> geometryOf(const onnx::ModelProto &prepared, const plan::Layer &layer,
                                        std::string &why) {
  const auto &nodes = prepared.graph().node();
  auto node = llvm::find_if(nodes, [&](const onnx::NodeProto &one) {
    return llvm::is_contained(one.output(), layer.sums);
  });
  if (node == nodes.end()) {
    why = "the model has no node with the layer's output";
    return std::nullopt;
  }
  std::vector<int64_t> weights = plan::shapeOf(prepared, layer.weight);
  std::optional<LayerGeometry> geometry = layer.op == "Conv"
                                              ? convGeometry(*node, layer, weights, why)
                                              : productGeometry(*node, layer, weights, why);
  if (geometry && (geometry->taps <= 0 || geometry->channels <= 0)) {
    why = "the weights have no elements";
    return std::nullopt;
  }
  return geometry;
}

LayerRows::LayerRows(const LayerGeometry &geometry, std::vector<int64_t> shape)
    : geometry(geometry) {
  if (!geometry.isConv) {
    bool fits = !shape.empty() && shape.back() == geometry.taps;
    positions = fits ? 1 : 0;
    for (size_t i = 0; fits && i + 1 < shape.size(); ++i) {
      positions *= shape[i];
    }
    return;
  }
  if (shape.size() == 3) {
    shape.insert(shape.begin() + 2, 1);
  }
  int64_t area = geometry.kernel[0] * geometry.kernel[1];
  if (shape.size() != 4 || shape[1] * area != geometry.taps * geometry.groups) {
    return;
  }
  batch = shape[0];
  inputChannels = shape[1];
  positions = batch;
  for (int i = 0; i < 2; ++i) {
    size[i] = shape[2 + i];
    int64_t reach = (geometry.kernel[i] - 1) * geometry.dilations[i] + 1;
    int64_t pads = geometry.pads[i] + geometry.pads[i + 2];
    begin[i] = geometry.pads[i];
    if (geometry.padsSame) {
      int64_t outputs = (size[i] + geometry.strides[i] - 1) / geometry.strides[i];
      pads = std::max<int64_t>((outputs - 1) * geometry.strides[i] + reach - size[i], 0);
      begin[i] = geometry.padsSameLower ? pads - pads / 2 : pads / 2;
    }
    outputSize[i] =
        std::max<int64_t>((size[i] + pads - reach + geometry.strides[i]) / geometry.strides[i], 0);
    positions *= outputSize[i];
  }
}

void LayerRows::read(const float *input, int64_t position, float *row, int64_t stride) const {
  if (geometry.isConv) {
    readConv(input, position, row, stride);
  } else {
    std::memcpy(row, input + position * geometry.taps, geometry.taps * sizeof(float));
  }
}

void LayerRows::readConv(const float *input, int64_t position, float *row, int64_t stride) const {
  int64_t column = position % outputSize[1];
  int64_t line = position / outputSize[1] % outputSize[0];
  const float *image =
      input + position / (outputSize[0] * outputSize[1]) * inputChannels * size[0] * size[1];
  int64_t top = line * geometry.strides[0] - begin[0];
  int64_t left = column * geometry.strides[1] - begin[1];
  int64_t perGroup = inputChannels / geometry.groups;
  for (int64_t channel = 0; channel < inputChannels; ++channel) {
    const float *plane = image + channel * size[0] * size[1];
    float *taps = row + channel / perGroup * stride +
                  channel % perGroup * geometry.kernel[0] * geometry.kernel[1];
    for (int64_t y = 0; y < geometry.kernel[0]; ++y) {
      int64_t sourceLine = top + y * geometry.dilations[0];
      bool isLine = sourceLine >= 0 && sourceLine < size[0];
      for (int64_t x = 0; x < geometry.kernel[1]; ++x) {
        int64_t source = left + x * geometry.dilations[1];
        bool isInside = isLine && source >= 0 && source < size[1];
        *taps++ = isInside ? plane[sourceLine * size[1] + source] : 0;
      }
    }
  }
}

} // namespace convoy::quantizer
