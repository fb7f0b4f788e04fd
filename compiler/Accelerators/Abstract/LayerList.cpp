// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the portable layer list; runtime/abstract/layers.c reads it.

#include "Accelerators/Abstract/LayerList.h"

#include "abstract/isa.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace convoy::abstract {

static constexpr size_t kConstantAlignment = 16;
/// Constants may be linked in place, so the file preserves their alignment.
static constexpr size_t kSectionAlignment = 64;

Layer plainLayer(uint32_t op) {
  Layer layer = {};
  layer.op = static_cast<int32_t>(op);
  layer.groups = 1;
  layer.kernel_h = layer.kernel_w = 1;
  layer.stride_h = layer.stride_w = 1;
  layer.dilation_h = layer.dilation_w = 1;
  layer.out_min = -128;
  layer.out_max = 127;
  layer.in_type = layer.in2_type = layer.out_type = layer.weight_type = CONVOY_ABSTRACT_S8;
  return layer;
}

void LayerList::addLayer(Layer layer, const std::string &name) {
  layer.name = static_cast<int32_t>(names.size());
  names += name;
  names += '\0';
  layers.push_back(layer);
}

int32_t LayerList::addConstants(const void *data, size_t bytes) {
  size_t offset = llvm::alignTo(constants.size(), kConstantAlignment);
  constants.resize(offset + bytes);
  std::memcpy(constants.data() + offset, data, bytes);
  return static_cast<int32_t>(offset);
}

/// Appends a word in little-endian order on any host.
static void appendWord(std::vector<uint8_t> &out, uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<uint8_t>(word >> shift));
  }
}

int32_t LayerList::addTable(const std::vector<ChannelTable> &table) {
  std::vector<uint8_t> bytes;
  for (const ChannelTable &row : table) {
    for (int32_t word : {row.bias, row.multiplier, row.shift, row.weightZero}) {
      appendWord(bytes, static_cast<uint32_t>(word));
    }
  }
  return addConstants(bytes.data(), bytes.size());
}

std::vector<uint8_t> LayerList::serialize(bool withConstants) const {
  size_t constantsBytes = withConstants ? constants.size() : 0;
  std::string namesOrNone = names.empty() ? std::string(1, '\0') : names;
  size_t namesOffset = sizeof(convoy_abstract_header) + layers.size() * sizeof(Layer);
  size_t constantsOffset = llvm::alignTo(namesOffset + namesOrNone.size(), kSectionAlignment);
  std::vector<uint8_t> out;
  for (size_t word : {size_t{CONVOY_ABSTRACT_MAGIC}, size_t{CONVOY_ABSTRACT_VERSION}, layers.size(),
                      size_t{tensors} + 2, namesOffset, namesOrNone.size(), constantsOffset,
                      constantsBytes, size_t{workspaceBytes}}) {
    appendWord(out, static_cast<uint32_t>(word));
  }
  for (const Layer &layer : layers) {
    int32_t words[CONVOY_ABSTRACT_LAYER_WORDS];
    std::memcpy(words, &layer, sizeof(words));
    for (int32_t word : words) {
      appendWord(out, static_cast<uint32_t>(word));
    }
  }
  out.insert(out.end(), namesOrNone.begin(), namesOrNone.end());
  out.resize(constantsOffset);
  out.insert(out.end(), constants.begin(),
             constants.begin() + static_cast<ptrdiff_t>(constantsBytes));
  return out;
}

} // namespace convoy::abstract
