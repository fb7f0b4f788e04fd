// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the text forms of the abstract device: its assembly language and its parameters.

#include "Accelerators/Abstract/Assembly.h"
#include "Accelerators/Abstract/Parameters.h"
#include "Harness.h"
#include "abstract/isa.h"

#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

namespace convoy::abstract {
namespace {

std::string problemOf(const std::string &text) {
  llvm::Expected<std::vector<uint32_t>> words = assemble(text);
  return words ? "none" : llvm::toString(words.takeError());
}

TEST(Assembly, RoundTripOfEveryInstruction) {
  const std::string text = "layer 7\nset in_c, 64\nset in_zero, -128\nload compute<=0\n"
                           "conv dma<=254 compute<=3\ndwconv\nmaxpool dma<=0\navgpool\nadd\nmul\n"
                           "lookup\nstore compute<=1\nend\n";
  llvm::Expected<std::vector<uint32_t>> words = assemble(text);
  ASSERT_TRUE(static_cast<bool>(words)) << llvm::toString(words.takeError());
  llvm::Expected<std::string> back = disassemble(*words);
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(*back, text);
}

TEST(Assembly, RoundTripOfGeneratedStreams) {
  for (uint32_t pes : {64, 128}) {
    Parameters parameters = defaultParameters();
    parameters.device.pes = pes;
    std::vector<uint32_t> program = test::generate(parameters, test::makeMobileNet(true)).program;
    llvm::Expected<std::string> text = disassemble(program);
    ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
    llvm::Expected<std::vector<uint32_t>> back = assemble(*text);
    ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
    EXPECT_TRUE(*back == program);
  }
}

TEST(Assembly, CommentsAndBlanksAreFree) {
  llvm::Expected<std::vector<uint32_t>> words = assemble("# a program\n\n  end # here\n");
  ASSERT_TRUE(static_cast<bool>(words));
  EXPECT_EQ(words->size(), 2u);
}

TEST(Assembly, ErrorsNameTheLine) {
  EXPECT_EQ(
      problemOf("end\ncnv"),
      "line 2: unknown instruction 'cnv'; the instructions are end, set, layer, load, store, conv, "
      "dwconv, maxpool, avgpool, add, mul, lookup");
  EXPECT_EQ(problemOf("set in_d, 3"),
            "line 1: unknown register 'in_d'; docs/targets/abstract.md lists the registers");
  EXPECT_EQ(problemOf("set in_c, many"), "line 1: expects a 32-bit integer for in_c, got 'many'");
  EXPECT_EQ(problemOf("conv dma<=255"),
            "line 1: expects dma<=N or compute<=N with N up to 254, got 'dma<=255'");
  EXPECT_EQ(problemOf("conv dma<=1 dma<=2"), "line 1: waits for dma twice");
  EXPECT_EQ(problemOf("layer first"), "line 1: expects the number of a layer, got 'first'");
  EXPECT_EQ(problemOf("end now"), "line 1: end takes no operand, got 'now'");
}

TEST(Assembly, NamesWordsThatAreNoInstruction) {
  for (std::vector<uint32_t> words : {std::vector<uint32_t>{99, 0}, {1}, {1 | 200u << 8, 0}}) {
    llvm::Expected<std::string> text = disassemble(words);
    ASSERT_FALSE(static_cast<bool>(text));
    EXPECT_EQ(llvm::toString(text.takeError()).rfind("word 0 (", 0), 0u);
  }
}

TEST(Assembly, DocumentationListsWhatThereIs) {
  auto file = llvm::MemoryBuffer::getFile(CONVOY_ABSTRACT_DOC);
  ASSERT_TRUE(static_cast<bool>(file)) << "cannot read " << CONVOY_ABSTRACT_DOC;
  llvm::StringRef text = (*file)->getBuffer();
  unsigned number = 0;
#define REGISTER(name, least, most, words)                                                         \
  EXPECT_TRUE(text.contains("| " + std::to_string(number++) + " | `" #name "` | "))                \
      << "no row for register " #name;
#include "abstract/registers.inc"
#undef REGISTER
  number = 0;
#define OPCODE(name, spelling, engine, words)                                                      \
  EXPECT_TRUE(text.contains("| " + std::to_string(number++) + " | `" spelling "` | "))             \
      << "no row for instruction " spelling;
#include "abstract/opcodes.inc"
#undef OPCODE
}

std::string problemOfParameters(const std::string &json) {
  llvm::Expected<Parameters> parameters = parseParameters(json, "dev.json");
  return parameters ? "none" : llvm::toString(parameters.takeError());
}

TEST(Parameters, FileSetsEveryField) {
  llvm::Expected<Parameters> read = parseParameters(
      R"({"name": "tiny", "pes": 128, "parallel": "input", "memory_bytes": "512K",
          "dma_bytes_per_cycle": 8, "dma_latency_cycles": 100, "startup_cycles": 4,
          "queue_depth": 2, "depthwise": "mapped", "weight_zero_points": false,
          "activation_zero_points": false, "wide_data": true, "tiling": "channels"})",
      "dev.json");
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  const convoy_abstract_device &device = read->device;
  EXPECT_EQ(read->name, "tiny");
  EXPECT_EQ(device.pes, 128u);
  EXPECT_EQ(device.parallel, static_cast<uint32_t>(CONVOY_ABSTRACT_INPUT_PARALLEL));
  EXPECT_EQ(device.memory_bytes, 512u << 10);
  EXPECT_EQ(device.dma_bytes_per_cycle, 8u);
  EXPECT_EQ(device.dma_latency_cycles, 100u);
  EXPECT_EQ(device.startup_cycles, 4u);
  EXPECT_EQ(device.queue_depth, 2u);
  EXPECT_EQ(read->depthwise, Depthwise::Mapped);
  EXPECT_EQ(device.depthwise, 0u);
  EXPECT_EQ(device.weight_zero_points, 0u);
  EXPECT_EQ(device.activation_zero_points, 0u);
  EXPECT_EQ(device.wide_data, 1u);
  EXPECT_EQ(read->options.tiling, static_cast<uint32_t>(CONVOY_ABSTRACT_TILE_CHANNELS));
}

TEST(Parameters, DefaultsMakeADevice) {
  Parameters parameters = defaultParameters();
  EXPECT_EQ(convoy_abstract_check_device(&parameters.device), CONVOY_ABSTRACT_OK);
}

TEST(Parameters, ErrorsNameTheParameter) {
  EXPECT_EQ(problemOfParameters("{\"pes\": 0}"),
            "dev.json: parameter pes expects a number from 1 to 65536, got '0'");
  EXPECT_EQ(problemOfParameters("{\"pes\": [1]}"),
            "dev.json: parameter pes expects a number from 1 to 65536, got '[1]'");
  EXPECT_EQ(problemOfParameters("{\"parallel\": \"both\"}"),
            "dev.json: parameter parallel expects one of input, output, got 'both'");
  EXPECT_EQ(problemOfParameters("{\"wide_data\": 1}"),
            "dev.json: parameter wide_data expects one of false, true, got '1'");
  EXPECT_EQ(problemOfParameters("{\"pe\": 1}"),
            "dev.json: unknown parameter 'pe'; the parameters are name, parallel, depthwise, "
            "tiling, pes, "
            "memory_bytes, dma_bytes_per_cycle, dma_latency_cycles, startup_cycles, queue_depth, "
            "weight_zero_points, activation_zero_points, wide_data");
  EXPECT_EQ(problemOfParameters("[]"), "dev.json: expects an object of parameters");
  EXPECT_EQ(problemOfParameters("{").rfind("dev.json: ", 0), 0u);
}

} // namespace
} // namespace convoy::abstract
