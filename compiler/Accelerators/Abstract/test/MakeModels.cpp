// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates random chains and devices, and the layers of MobileNetV1.

#include "Harness.h"

#include "abstract/isa.h"

namespace convoy::abstract::test {

std::vector<uint8_t> Random::bytes(size_t count) {
  std::vector<uint8_t> result(count);
  for (uint8_t &byte : result) {
    byte = static_cast<uint8_t>(engine());
  }
  return result;
}

/// Sets type, zero point and bounds of an output to random values of its type.
static void makeOutput(Random &random, Layer &layer, bool isWide) {
  layer.out_type = isWide && random.between(0, 1) ? CONVOY_ABSTRACT_S16 : random.between(0, 1);
  int32_t low = layer.out_type == CONVOY_ABSTRACT_U8   ? 0
                : layer.out_type == CONVOY_ABSTRACT_S8 ? -128
                                                       : -32768;
  int32_t high = layer.out_type == CONVOY_ABSTRACT_U8   ? 255
                 : layer.out_type == CONVOY_ABSTRACT_S8 ? 127
                                                        : 32767;
  layer.out_zero = random.between(low, high);
  layer.out_min = random.between(0, 3) == 0 ? random.between(low, high) : low;
  layer.out_max = random.between(layer.out_min, high);
}

static void makeWindow(Random &random, Layer &layer) {
  layer.kernel_h = random.between(1, 4);
  layer.kernel_w = random.between(1, 4);
  layer.stride_h = random.between(1, 3);
  layer.stride_w = random.between(1, 3);
  layer.dilation_h = random.between(1, 2);
  layer.dilation_w = random.between(1, 2);
  layer.pad_top = random.between(0, layer.kernel_h - 1);
  layer.pad_left = random.between(0, layer.kernel_w - 1);
  // One window per stride, as long as the window starts inside the image.
  layer.out_h = (layer.in_h - 1 + layer.pad_top) / layer.stride_h + 1;
  layer.out_w = (layer.in_w - 1 + layer.pad_left) / layer.stride_w + 1;
  layer.out_h = random.between(1, layer.out_h);
  layer.out_w = random.between(1, layer.out_w);
}

static void makeConv(Random &random, TestLayer &test) {
  Layer &layer = test.layer;
  int kind = random.between(0, 3);
  layer.groups = kind == 0 ? layer.in_c : 1;
  layer.out_c = kind == 0 ? layer.in_c : random.between(1, 40);
  if (kind == 1 && layer.in_c % 2 == 0) {
    layer.groups = 2;
    layer.out_c = 2 * random.between(1, 12);
  }
  layer.weight_type = random.between(0, 1);
  test.weights = random.bytes(static_cast<size_t>(layer.out_c) * (layer.in_c / layer.groups) *
                              layer.kernel_h * layer.kernel_w);
  for (int32_t c = 0; c < layer.out_c; ++c) {
    test.table.push_back({random.between(-100000, 100000), random.between(1, 1 << 30),
                          random.between(30, 40), random.between(-128, 127)});
  }
  layer.weight_zeros = 1;
}

static void makeRest(Random &random, TestLayer &test, std::vector<uint8_t> &second, bool isWide) {
  Layer &layer = test.layer;
  layer.scale = random.between(-(1 << 20), 1 << 20);
  layer.scale2 = random.between(-(1 << 20), 1 << 20);
  layer.shift = random.between(14, 24);
  if (layer.op == CONVOY_ABSTRACT_OP_lookup) {
    test.weights = random.bytes(256);
  }
  if (layer.op == CONVOY_ABSTRACT_OP_add || layer.op == CONVOY_ABSTRACT_OP_mul) {
    layer.in2_type = isWide ? CONVOY_ABSTRACT_S16 : random.between(0, 1);
    layer.in2_zero = random.between(-100, 100);
    second = random.bytes(static_cast<size_t>(layer.in_c) * layer.in_h * layer.in_w *
                          convoy_abstract_type_bytes(layer.in2_type));
  }
}

Chain makeChain(Random &random, bool isWide) {
  static const uint32_t kOps[] = {CONVOY_ABSTRACT_OP_conv,    CONVOY_ABSTRACT_OP_conv,
                                  CONVOY_ABSTRACT_OP_conv,    CONVOY_ABSTRACT_OP_maxpool,
                                  CONVOY_ABSTRACT_OP_avgpool, CONVOY_ABSTRACT_OP_add,
                                  CONVOY_ABSTRACT_OP_mul,     CONVOY_ABSTRACT_OP_lookup};
  Chain chain;
  int32_t c = random.between(1, 12);
  int32_t h = random.between(1, 30);
  int32_t w = random.between(1, 30);
  int32_t type = isWide ? CONVOY_ABSTRACT_S16 : random.between(0, 1);
  for (int32_t left = random.between(1, 4); left > 0; --left) {
    TestLayer test;
    Layer &layer = test.layer;
    uint32_t op = kOps[random.between(0, 7)];
    layer = plainLayer(op == CONVOY_ABSTRACT_OP_lookup && type == CONVOY_ABSTRACT_S16
                           ? CONVOY_ABSTRACT_OP_avgpool
                           : op);
    layer.in_c = layer.out_c = c;
    layer.in_h = layer.out_h = h;
    layer.in_w = layer.out_w = w;
    layer.in_type = type;
    layer.in_zero = random.between(-100, 100);
    layer.rounding = random.between(0, 2);
    makeOutput(random, layer, isWide && layer.op != CONVOY_ABSTRACT_OP_lookup);
    std::vector<uint8_t> second;
    if (layer.op <= CONVOY_ABSTRACT_OP_avgpool) {
      makeWindow(random, layer);
    }
    if (layer.op == CONVOY_ABSTRACT_OP_conv) {
      makeConv(random, test);
    } else {
      makeRest(random, test, second, isWide);
    }
    c = layer.out_c;
    h = layer.out_h;
    w = layer.out_w;
    type = layer.out_type;
    chain.layers.push_back(test);
    chain.seconds.push_back(second);
  }
  chain.input = random.bytes(inputBytes(chain.layers.front().layer));
  return chain;
}

Parameters makeDevice(Random &random, bool isWide) {
  static const uint32_t kPes[] = {1, 3, 8, 64, 128};
  Parameters parameters = defaultParameters();
  convoy_abstract_device &device = parameters.device;
  device.pes = kPes[random.between(0, 4)];
  device.parallel = static_cast<uint32_t>(random.between(0, 1));
  device.memory_bytes = 1024u << random.between(1, 8);
  device.dma_bytes_per_cycle = 1u << random.between(0, 6);
  device.dma_latency_cycles = static_cast<uint32_t>(random.between(0, 200));
  device.startup_cycles = static_cast<uint32_t>(random.between(0, 40));
  device.queue_depth = static_cast<uint32_t>(random.between(1, 16));
  device.depthwise = static_cast<uint32_t>(random.between(0, 1));
  device.wide_data = isWide;
  parameters.options.tiling = static_cast<uint32_t>(random.between(0, 3) == 0);
  return parameters;
}

/// Appends a convolution; its multipliers keep 8-bit values in range.
static void chainConv(Random &random, Chain &chain, int32_t outC, int32_t kernel, int32_t stride,
                      bool isDepthwise) {
  TestLayer test;
  const Layer *before = chain.layers.empty() ? nullptr : &chain.layers.back().layer;
  Layer &layer = test.layer;
  layer = plainLayer(CONVOY_ABSTRACT_OP_conv);
  layer.in_c = before ? before->out_c : 1;
  layer.in_h = layer.in_w = before ? before->out_h : 96;
  layer.out_c = outC;
  layer.out_h = layer.out_w = layer.in_h / stride;
  layer.kernel_h = layer.kernel_w = kernel;
  layer.stride_h = layer.stride_w = stride;
  layer.pad_top = layer.pad_left = kernel == 3 && stride == 1;
  layer.groups = isDepthwise ? layer.in_c : 1;
  layer.in_zero = layer.out_zero = before ? -128 : -1;
  layer.out_zero = -128;
  int32_t taps = layer.in_c / layer.groups * kernel * kernel;
  test.weights = random.bytes(static_cast<size_t>(outC) * taps);
  for (int32_t c = 0; c < outC; ++c) {
    test.table.push_back({random.between(-1000, 1000), (1 << 30) / (32 + 4 * taps), 31, 0});
  }
  chain.layers.push_back(test);
  chain.seconds.emplace_back();
}

Chain makePersonDetector(Random &random) {
  Chain chain;
  chainConv(random, chain, 8, 3, 2, false);
  const int32_t kOutputs[] = {16, 32, 32, 64, 64, 128, 128, 128, 128, 128, 128, 256, 256};
  const int32_t kStrides[] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1};
  for (size_t i = 0; i < std::size(kOutputs); ++i) {
    chainConv(random, chain, chain.layers.back().layer.out_c, 3, kStrides[i], true);
    chainConv(random, chain, kOutputs[i], 1, 1, false);
  }
  TestLayer pool;
  pool.layer = plainLayer(CONVOY_ABSTRACT_OP_avgpool);
  pool.layer.in_c = pool.layer.out_c = 256;
  pool.layer.in_h = pool.layer.in_w = pool.layer.kernel_h = pool.layer.kernel_w = 3;
  pool.layer.out_h = pool.layer.out_w = 1;
  pool.layer.in_zero = pool.layer.out_zero = -128;
  pool.layer.scale = (1 << 24) / 9;
  pool.layer.shift = 24;
  chain.layers.push_back(pool);
  chain.seconds.emplace_back();
  chainConv(random, chain, 2, 1, 1, false);
  chain.input = random.bytes(inputBytes(chain.layers.front().layer));
  return chain;
}

static void addConv(LayerList &list, int32_t inC, int32_t inSize, int32_t outC, int32_t kernel,
                    int32_t stride, int32_t groups) {
  Layer layer = plainLayer(CONVOY_ABSTRACT_OP_conv);
  layer.in_c = inC;
  layer.in_h = layer.in_w = inSize;
  layer.out_c = outC;
  layer.out_h = layer.out_w = inSize / stride;
  layer.kernel_h = layer.kernel_w = kernel;
  layer.stride_h = layer.stride_w = stride;
  layer.pad_top = layer.pad_left = kernel == 3 && stride == 1;
  layer.groups = groups;
  layer.in_segment = layer.out_segment = CONVOY_ABSTRACT_WORKSPACE;
  layer.chains = 1;
  std::vector<uint8_t> weights(static_cast<size_t>(outC) * (inC / groups) * kernel * kernel);
  layer.weight_offset = list.addConstants(weights.data(), weights.size());
  layer.table_offset = list.addTable(std::vector<ChannelTable>(static_cast<size_t>(outC)));
  list.addLayer(layer, groups > 1 ? "depthwise" : "conv");
}

std::vector<uint8_t> makeMobileNet(bool withDepthwise) {
  struct Block {
    int32_t in, out, size, stride;
  };
  static const Block kBlocks[] = {{32, 64, 112, 1},  {64, 128, 112, 2}, {128, 128, 56, 1},
                                  {128, 256, 56, 2}, {256, 256, 28, 1}, {256, 512, 28, 2},
                                  {512, 512, 14, 1}, {512, 512, 14, 1}, {512, 512, 14, 1},
                                  {512, 512, 14, 1}, {512, 512, 14, 1}, {512, 1024, 14, 2},
                                  {1024, 1024, 7, 1}};
  LayerList list;
  addConv(list, 3, 224, 32, 3, 2, 1);
  for (const Block &block : kBlocks) {
    if (withDepthwise) {
      addConv(list, block.in, block.size, block.in, 3, block.stride, block.in);
    }
    addConv(list, block.in, block.size / block.stride, block.out, 1, 1, 1);
  }
  Layer pool = plainLayer(CONVOY_ABSTRACT_OP_avgpool);
  pool.in_c = pool.out_c = 1024;
  pool.in_h = pool.in_w = pool.kernel_h = pool.kernel_w = 7;
  pool.out_h = pool.out_w = 1;
  pool.in_segment = pool.out_segment = CONVOY_ABSTRACT_WORKSPACE;
  pool.chains = 1;
  list.addLayer(pool, "pool");
  addConv(list, 1024, 1, 1001, 1, 1, 1);
  list.setWorkspace(4 << 20);
  return list.serialize();
}

} // namespace convoy::abstract::test
