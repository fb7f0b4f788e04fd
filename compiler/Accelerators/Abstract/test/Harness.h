// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of the abstract device: layers that run through generator and simulator, and
// plain loops that compute the expected bytes.

#pragma once

#include "Accelerators/Abstract/LayerList.h"
#include "Accelerators/Abstract/Parameters.h"

#include <cstdint>
#include <random>
#include <vector>

namespace convoy::abstract::test {

/// A layer with its constants, as plain loops read them.
struct TestLayer {
  Layer layer = {};
  std::vector<uint8_t> weights;
  std::vector<ChannelTable> table;
};

/// Return the byte sizes of a layer's tensors.
size_t inputBytes(const Layer &layer);
size_t outputBytes(const Layer &layer);

/// Computes a layer with plain loops, without tiles or local memory.
std::vector<uint8_t> runPlainly(const TestLayer &layer, const std::vector<uint8_t> &input,
                                const std::vector<uint8_t> &second);

/// A chain of layers: each layer reads the output of the previous layer, and the first layer reads
/// the input. Second inputs are separate tensors.
struct Chain {
  std::vector<TestLayer> layers;
  std::vector<uint8_t> input;
  std::vector<std::vector<uint8_t>> seconds; // by layer; empty if the layer has none
};

std::vector<uint8_t> runPlainly(const Chain &chain);

/// Result of generating, running or measuring a program.
struct Outcome {
  int code = 0;
  convoy_abstract_fault fault = {};
  std::vector<uint8_t> output;
  std::vector<uint32_t> program;
  convoy_abstract_layer_report total = {};
  std::vector<convoy_abstract_layer_report> layers;
};

/// Generates the stream for a list; `code` of the result is the generator's status.
Outcome generate(const Parameters &device, const std::vector<uint8_t> &list);

/// Generates and runs the chain; the caller compares the outputs.
Outcome runOnDevice(const Parameters &device, const Chain &chain);

/// Generates the stream and measures its cycles, without data.
Outcome measure(const Parameters &device, const std::vector<uint8_t> &list);

/// Returns the layers of MobileNetV1 at 224 x 224, with or without depthwise layers.
std::vector<uint8_t> makeMobileNet(bool withDepthwise);

class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  int32_t between(int32_t least, int32_t most) {
    return least + static_cast<int32_t>(engine() % (static_cast<uint32_t>(most - least) + 1u));
  }
  std::vector<uint8_t> bytes(size_t count);

private:
  std::mt19937 engine; // the C++ standard defines its sequence
};

/// Returns the layers of MobileNetV1 x 0.25 on a gray image of 96 x 96, with random weights.
Chain makePersonDetector(Random &random);

/// Returns the portable list of a chain. Sets `workspace` to the memory of its tensors, with the
/// input first and the output last.
std::vector<uint8_t> buildList(const Chain &chain, std::vector<uint8_t> &workspace);

Chain makeChain(Random &random, bool isWide);
Parameters makeDevice(Random &random, bool isWide);

} // namespace convoy::abstract::test
