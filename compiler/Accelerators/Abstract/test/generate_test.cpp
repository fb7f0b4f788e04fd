// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that random chains on random devices give the bytes of plain loops. The simulator checks
// every wait and must report no race.

#include "Harness.h"

#include "abstract/isa.h"
#include <gtest/gtest.h>

namespace convoy::abstract::test {
namespace {

/// Returns whether the chain fits the device; any other status fails the test.
bool expectSameBytes(uint32_t seed, bool isWide) {
  Random random(seed);
  Chain chain = makeChain(random, isWide);
  Parameters device = makeDevice(random, isWide);
  Outcome outcome = runOnDevice(device, chain);
  if (outcome.code == CONVOY_ABSTRACT_MEMORY) {
    return false;
  }
  EXPECT_EQ(outcome.code, CONVOY_ABSTRACT_OK)
      << "seed " << seed << ": " << convoy_abstract_text(outcome.code) << " in layer "
      << outcome.fault.layer << ", word " << outcome.fault.word;
  EXPECT_TRUE(outcome.output == runPlainly(chain))
      << "seed " << seed << " gives bytes that differ from plain loops";
  return true;
}

TEST(Generate, RandomChainsEqualPlainLoops) {
  int ran = 0;
  for (uint32_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    ran += expectSameBytes(seed, false);
  }
  EXPECT_GT(ran, 375) << "most chains must fit";
}

TEST(Generate, SixteenBitChainsEqualPlainLoops) {
  int ran = 0;
  for (uint32_t seed = 10000; seed < 10150 && !HasFailure(); ++seed) {
    Random random(seed);
    Chain chain = makeChain(random, true);
    bool isLimited = false;
    for (const TestLayer &test : chain.layers) {
      isLimited |= test.layer.in_type == CONVOY_ABSTRACT_S16 &&
                   test.layer.op == CONVOY_ABSTRACT_OP_conv &&
                   test.layer.in_c / test.layer.groups * test.layer.kernel_h * test.layer.kernel_w >
                       static_cast<int32_t>(CONVOY_ABSTRACT_MOST_WIDE_TAPS);
    }
    ran += !isLimited && expectSameBytes(seed, true);
  }
  EXPECT_GT(ran, 75) << "most chains must fit";
}

TEST(Generate, SameInputGivesTheSameStream) {
  std::vector<uint8_t> list = makeMobileNet(true);
  EXPECT_TRUE(generate(defaultParameters(), list).program ==
              generate(defaultParameters(), list).program);
}

TEST(Generate, NamesTheLayerThatDoesNotFitAndWhatItNeeds) {
  Parameters device = defaultParameters();
  device.device.memory_bytes = 1024;
  Outcome outcome = generate(device, makeMobileNet(true));
  EXPECT_EQ(outcome.code, CONVOY_ABSTRACT_MEMORY);
  EXPECT_STREQ(convoy_abstract_text(outcome.code),
               "no tile of a layer fits in the device's local memory");
  // The pointwise convolution of 512 channels needs 512 inputs, 512 weights, a row of the table and
  // one output. The convolution of 256 channels fits.
  EXPECT_EQ(outcome.fault.layer, 14u);
  EXPECT_EQ(outcome.fault.needed, 512u + 512u + 16u + 16u);
}

TEST(Generate, RefusesWhatTheDeviceLacks) {
  Random random(3);
  Chain chain;
  while (chain.layers.empty() || chain.layers.front().layer.op != CONVOY_ABSTRACT_OP_conv ||
         chain.layers.front().layer.in_zero == 0) {
    chain = makeChain(random, false);
  }
  for (uint32_t convoy_abstract_device::*field :
       {&convoy_abstract_device::weight_zero_points,
        &convoy_abstract_device::activation_zero_points}) {
    Parameters device = defaultParameters();
    device.device.*field = 0;
    Outcome outcome = runOnDevice(device, chain);
    EXPECT_EQ(outcome.code, CONVOY_ABSTRACT_LIMIT);
    EXPECT_STREQ(convoy_abstract_text(outcome.code),
                 "a layer exceeds the limits of the instructions or of the device");
  }
}

TEST(Generate, ChecksTheCallersMemory) {
  std::vector<uint8_t> list = makeMobileNet(true);
  Parameters device = defaultParameters();
  size_t words = 0;
  convoy_abstract_fault fault = {};
  std::vector<uint64_t> scratch(convoy_abstract_scratch_bytes(list.data(), list.size()) / 8 + 1);
  auto call = [&](const std::vector<uint8_t> &from, size_t scratchBytes) {
    return convoy_abstract_generate(&device.device, &device.options, from.data(), from.size(),
                                    scratch.data(), scratchBytes, nullptr, 0, &words, &fault);
  };
  EXPECT_EQ(call(list, 8), CONVOY_ABSTRACT_SCRATCH);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_SCRATCH), "the scratch memory is too small");
  EXPECT_EQ(call(list, scratch.size() * 8), CONVOY_ABSTRACT_SPACE);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_SPACE),
               "the buffer for the stream is too small");
  EXPECT_EQ(fault.needed, words);
  std::vector<uint8_t> broken = list;
  broken[0] ^= 1;
  EXPECT_EQ(call(broken, scratch.size() * 8), CONVOY_ABSTRACT_BAD_LIST);
  broken.resize(20);
  EXPECT_EQ(call(broken, scratch.size() * 8), CONVOY_ABSTRACT_BAD_LIST);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_BAD_LIST),
               "the data is not a layer list, or it has another version");
  device.device.pes = 0;
  EXPECT_EQ(call(list, scratch.size() * 8), CONVOY_ABSTRACT_BAD_DEVICE);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_BAD_DEVICE),
               "a parameter of the device is out of range");
}

} // namespace
} // namespace convoy::abstract::test
