// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes layers with plain loops and runs them through generator and simulator.

#include "Harness.h"

#include "abstract/isa.h"
#include <algorithm>
#include <cstring>

namespace convoy::abstract::test {

static size_t typeBytes(int32_t type) { return convoy_abstract_type_bytes(type); }

size_t inputBytes(const Layer &layer) {
  return static_cast<size_t>(layer.in_c) * layer.in_h * layer.in_w * typeBytes(layer.in_type);
}

size_t outputBytes(const Layer &layer) {
  return static_cast<size_t>(layer.out_c) * layer.out_h * layer.out_w * typeBytes(layer.out_type);
}

static int64_t readElement(const std::vector<uint8_t> &tensor, size_t index, int32_t type) {
  if (type == CONVOY_ABSTRACT_S16) {
    int16_t value = 0;
    std::memcpy(&value, tensor.data() + 2 * index, 2);
    return value;
  }
  return type == CONVOY_ABSTRACT_S8 ? static_cast<int8_t>(tensor[index]) : tensor[index];
}

static void writeElement(std::vector<uint8_t> &tensor, size_t index, int32_t type, int64_t value) {
  if (type == CONVOY_ABSTRACT_S16) {
    auto wide = static_cast<int16_t>(value);
    std::memcpy(tensor.data() + 2 * index, &wide, 2);
  } else {
    tensor[index] = static_cast<uint8_t>(value);
  }
}

/// Returns round(value / 2^shift) by division; the device compares remainders instead.
static int64_t roundShift(int64_t value, int32_t shift, int32_t rounding) {
  if (shift == 0) {
    return value;
  }
  __int128 unit = static_cast<__int128>(1) << shift;
  __int128 twice = static_cast<__int128>(value) * 2;
  if (rounding == 1) { // half up: floor(v / u + 1 / 2)
    __int128 sum = twice + unit;
    __int128 quotient = sum / (2 * unit);
    return static_cast<int64_t>(sum % (2 * unit) < 0 ? quotient - 1 : quotient);
  }
  __int128 magnitude = twice < 0 ? -twice : twice;
  __int128 quotient = (magnitude + unit) / (2 * unit);
  if (rounding == 2 && (magnitude + unit) % (2 * unit) == 0 && quotient % 2 != 0) {
    --quotient;
  }
  return static_cast<int64_t>(value < 0 ? -quotient : quotient);
}

static int64_t rescale(const Layer &layer, int64_t product, int32_t shift) {
  return std::clamp<int64_t>(roundShift(product, shift, layer.rounding) + layer.out_zero,
                             layer.out_min, layer.out_max);
}

/// Calls `each` with the input's index and the tap's number for all taps inside the input.
template <typename Fn>
static void forTaps(const Layer &layer, int32_t channel, int32_t y, int32_t x, Fn each) {
  for (int32_t ky = 0; ky < layer.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < layer.kernel_w; ++kx) {
      int32_t iy = y * layer.stride_h + ky * layer.dilation_h - layer.pad_top;
      int32_t ix = x * layer.stride_w + kx * layer.dilation_w - layer.pad_left;
      if (iy >= 0 && iy < layer.in_h && ix >= 0 && ix < layer.in_w) {
        each((static_cast<size_t>(channel) * layer.in_h + iy) * layer.in_w + ix,
             static_cast<size_t>(ky) * layer.kernel_w + kx);
      }
    }
  }
}

static int64_t convolve(const TestLayer &test, const std::vector<uint8_t> &input, int32_t c,
                        int32_t y, int32_t x) {
  const Layer &layer = test.layer;
  const ChannelTable &row = test.table[c];
  int32_t groupIn = layer.in_c / layer.groups;
  int32_t firstIn = c / (layer.out_c / layer.groups) * groupIn;
  int64_t sum = row.bias;
  for (int32_t i = 0; i < groupIn; ++i) {
    size_t filter = (static_cast<size_t>(c) * groupIn + i) * layer.kernel_h * layer.kernel_w;
    forTaps(layer, firstIn + i, y, x, [&](size_t index, size_t tap) {
      sum += (readElement(input, index, layer.in_type) - layer.in_zero) *
             (readElement(test.weights, filter + tap, layer.weight_type) - row.weightZero);
    });
  }
  return rescale(layer, sum * row.multiplier, row.shift);
}

static int64_t element(const TestLayer &test, const std::vector<uint8_t> &input,
                       const std::vector<uint8_t> &second, int32_t c, int32_t y, int32_t x) {
  const Layer &layer = test.layer;
  size_t index = (static_cast<size_t>(c) * layer.in_h + y) * layer.in_w + x;
  switch (layer.op) {
  case CONVOY_ABSTRACT_OP_conv:
    return convolve(test, input, c, y, x);
  case CONVOY_ABSTRACT_OP_maxpool: {
    int64_t most = INT32_MIN;
    forTaps(layer, c, y, x, [&](size_t at, size_t) {
      most = std::max(most, readElement(input, at, layer.in_type) - layer.in_zero);
    });
    return rescale(layer, most * layer.scale, layer.shift);
  }
  case CONVOY_ABSTRACT_OP_avgpool: {
    int64_t sum = 0;
    forTaps(layer, c, y, x, [&](size_t at, size_t) {
      sum += readElement(input, at, layer.in_type) - layer.in_zero;
    });
    return rescale(layer, sum * layer.scale, layer.shift);
  }
  case CONVOY_ABSTRACT_OP_lookup: {
    size_t entry = static_cast<size_t>(readElement(input, index, layer.in_type) -
                                       (layer.in_type == CONVOY_ABSTRACT_S8 ? -128 : 0));
    return readElement(test.weights, entry, layer.out_type);
  }
  default: {
    int64_t a = readElement(input, index, layer.in_type) - layer.in_zero;
    int64_t b = readElement(second, index, layer.in2_type) - layer.in2_zero;
    return rescale(layer,
                   layer.op == CONVOY_ABSTRACT_OP_add ? a * layer.scale + b * layer.scale2
                                                      : a * b * layer.scale,
                   layer.shift);
  }
  }
}

std::vector<uint8_t> runPlainly(const TestLayer &test, const std::vector<uint8_t> &input,
                                const std::vector<uint8_t> &second) {
  const Layer &layer = test.layer;
  std::vector<uint8_t> output(outputBytes(layer));
  size_t index = 0;
  for (int32_t c = 0; c < layer.out_c; ++c) {
    for (int32_t y = 0; y < layer.out_h; ++y) {
      for (int32_t x = 0; x < layer.out_w; ++x) {
        writeElement(output, index++, layer.out_type, element(test, input, second, c, y, x));
      }
    }
  }
  return output;
}

std::vector<uint8_t> runPlainly(const Chain &chain) {
  std::vector<uint8_t> value = chain.input;
  for (size_t i = 0; i < chain.layers.size(); ++i) {
    value = runPlainly(chain.layers[i], value, chain.seconds[i]);
  }
  return value;
}

Outcome generate(const Parameters &device, const std::vector<uint8_t> &list) {
  Outcome outcome;
  std::vector<uint64_t> scratch(convoy_abstract_scratch_bytes(list.data(), list.size()) / 8 + 1);
  size_t words = 0;
  for (int pass = 0; pass < 2; ++pass) {
    outcome.program.resize(words);
    outcome.code = convoy_abstract_generate(&device.device, &device.options, list.data(),
                                            list.size(), scratch.data(), scratch.size() * 8,
                                            outcome.program.data(), words, &words, &outcome.fault);
  }
  return outcome;
}

static void simulate(const Parameters &device, const std::vector<convoy_abstract_segment> &segments,
                     void *local, size_t layers, Outcome &outcome) {
  outcome.layers.resize(layers);
  convoy_abstract_report report = {{}, outcome.layers.data(), layers};
  outcome.code =
      convoy_abstract_simulate(&device.device, outcome.program.data(), outcome.program.size(),
                               segments.data(), segments.size(), local, &report, &outcome.fault);
  outcome.total = report.total;
}

std::vector<uint8_t> buildList(const Chain &chain, std::vector<uint8_t> &workspace) {
  LayerList list;
  workspace = chain.input;
  size_t at = 0;
  for (size_t i = 0; i < chain.layers.size(); ++i) {
    const TestLayer &test = chain.layers[i];
    Layer layer = test.layer;
    layer.in_segment = layer.in2_segment = layer.out_segment = CONVOY_ABSTRACT_WORKSPACE;
    layer.in_offset = static_cast<int32_t>(at);
    layer.in2_offset = static_cast<int32_t>(workspace.size());
    workspace.insert(workspace.end(), chain.seconds[i].begin(), chain.seconds[i].end());
    at = workspace.size();
    layer.out_offset = static_cast<int32_t>(at);
    workspace.resize(at + outputBytes(layer), 0xA5);
    layer.weight_offset = list.addConstants(test.weights.data(), test.weights.size());
    layer.table_offset = list.addTable(test.table);
    layer.chains = i + 1 < chain.layers.size();
    list.addLayer(layer, "layer" + std::to_string(i));
  }
  list.setWorkspace(static_cast<uint32_t>(workspace.size()));
  return list.serialize();
}

Outcome runOnDevice(const Parameters &device, const Chain &chain) {
  std::vector<uint8_t> workspace;
  std::vector<uint8_t> list = buildList(chain, workspace);
  Outcome outcome = generate(device, list);
  if (outcome.code != CONVOY_ABSTRACT_OK) {
    return outcome;
  }
  convoy_abstract_header header;
  convoy_abstract_read_header(list.data(), list.size(), &header);
  std::vector<uint8_t> local(device.device.memory_bytes, 0x5A);
  simulate(device,
           {{list.data() + header.constants_offset, header.constants_bytes},
            {workspace.data(), workspace.size()}},
           local.data(), chain.layers.size(), outcome);
  size_t bytes = outputBytes(chain.layers.back().layer);
  outcome.output.assign(workspace.end() - static_cast<ptrdiff_t>(bytes), workspace.end());
  return outcome;
}

Outcome measure(const Parameters &device, const std::vector<uint8_t> &list) {
  convoy_abstract_header header;
  Outcome outcome = generate(device, list);
  if (outcome.code == CONVOY_ABSTRACT_OK) {
    convoy_abstract_read_header(list.data(), list.size(), &header);
    simulate(device, {{nullptr, header.constants_bytes}, {nullptr, header.workspace_bytes}},
             nullptr, header.layer_count, outcome);
  }
  return outcome;
}

} // namespace convoy::abstract::test
