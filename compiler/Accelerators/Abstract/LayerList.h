// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the portable layer list (runtime/abstract/layers.h): layers, their names
// and constants in, one blob of bytes out. Knows nothing of graphs or devices.

#pragma once

#include "abstract/layers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::abstract {

using Layer = convoy_abstract_layer;

/// What brings a channel's sums to the output's scale; one row of a layer's table.
struct ChannelTable {
  int32_t bias;
  int32_t multiplier;
  int32_t shift;
  int32_t weightZero;
};

/// A layer whose window, groups and bounds are those of a layer without.
Layer plainLayer(uint32_t op);

class LayerList {
public:
  /// Appends a layer; the name is what reports show.
  void addLayer(Layer layer, const std::string &name);

  /// Appends constants and returns their offset, a multiple of 16. Equal constants
  /// are kept apart: layers share none.
  int32_t addConstants(const void *data, size_t bytes);
  int32_t addTable(const std::vector<ChannelTable> &table);

  /// Memory that intermediate tensors need, and how many tensors come and go.
  void setWorkspace(uint32_t bytes) { workspaceBytes = bytes; }
  void setTensors(uint32_t inputsAndOutputs) { tensors = inputsAndOutputs; }

  /// The list with its constants, or without: then they are given apart.
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
