// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the portable layer list (runtime/abstract/layers.h) from layers, their names and
// constants. LowerRegion.cpp fills it. Independent of graphs and devices.

#pragma once

#include "abstract/layers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::abstract {

using Layer = convoy_abstract_layer;

/// Requantization parameters of one channel; one row of a layer's table.
struct ChannelTable {
  int32_t bias;
  int32_t multiplier;
  int32_t shift;
  int32_t weightZero;
};

/// Returns a layer with a 1x1 window, one group and the bounds of int8.
Layer plainLayer(uint32_t op);

class LayerList {
public:
  /// Appends a layer; reports show the name.
  void addLayer(Layer layer, const std::string &name);

  /// Appends constants and returns their offset, a multiple of 16. Equal constants are not shared.
  int32_t addConstants(const void *data, size_t bytes);
  int32_t addTable(const std::vector<ChannelTable> &table);

  /// Sets the bytes of intermediate tensors and the number of input and output tensors.
  void setWorkspace(uint32_t bytes) { workspaceBytes = bytes; }
  void setTensors(uint32_t inputsAndOutputs) { tensors = inputsAndOutputs; }

  /// Returns the list with or without its constants. Without them, the caller provides them
  /// separately.
  std::vector<uint8_t> serialize(bool withConstants = true) const;
  const std::vector<uint8_t> &constantBytes() const { return constants; }

  std::vector<Layer> &allLayers() { return layers; }

private:
  std::vector<Layer> layers;
  std::string names;
  std::vector<uint8_t> constants;
  uint32_t workspaceBytes = 0;
  uint32_t tensors = 0;
};

} // namespace convoy::abstract
