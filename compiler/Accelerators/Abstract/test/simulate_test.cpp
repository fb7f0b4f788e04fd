// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs hand-written programs in the simulator: checks the formulas of the cycle model, and the
// error code of every invalid program.

#include "Accelerators/Abstract/Assembly.h"
#include "Accelerators/Abstract/Parameters.h"
#include "abstract/isa.h"

#include <gtest/gtest.h>

namespace convoy::abstract {
namespace {

struct Result {
  int code;
  convoy_abstract_fault fault = {};
  convoy_abstract_layer_report layers[2] = {};
  convoy_abstract_report report = {{}, layers, 2};
};

Result run(const std::string &text, convoy_abstract_device device) {
  Result result;
  llvm::Expected<std::vector<uint32_t>> words = assemble(text);
  EXPECT_TRUE(static_cast<bool>(words)) << llvm::toString(words.takeError());
  std::vector<uint8_t> memory(4096);
  std::vector<uint8_t> local(device.memory_bytes);
  convoy_abstract_segment segments[] = {{memory.data(), memory.size()},
                                        {memory.data(), memory.size()}};
  result.code = convoy_abstract_simulate(&device, words->data(), words->size(), segments, 2,
                                         local.data(), &result.report, &result.fault);
  return result;
}

convoy_abstract_device smallDevice() {
  convoy_abstract_device device = defaultParameters().device;
  device.memory_bytes = 4096;
  device.pes = 8;
  return device;
}

void expectCode(const std::string &text, int code, const char *words) {
  Result result = run(text, smallDevice());
  EXPECT_EQ(result.code, code) << text;
  EXPECT_STREQ(convoy_abstract_text(code), words);
}

TEST(Simulate, TransfersTakeLatencyAndRuns) {
  // Dense: one burst of 40 bytes at 16 bytes per cycle. Three rows with gaps: one burst per row.
  Result dense = run("set dma_run, 10\nset dma_rows, 4\nset dma_row, 10\nset dma_local_row, 10\n"
                     "load\nend",
                     smallDevice());
  EXPECT_EQ(dense.report.total.dma_cycles, 64u + 3u);
  EXPECT_EQ(dense.report.total.dma_bytes, 40u);
  Result gaps = run("set dma_run, 17\nset dma_rows, 3\nset dma_row, 32\nset dma_local_row, 17\n"
                    "load\nend",
                    smallDevice());
  EXPECT_EQ(gaps.report.total.dma_cycles, 64u + 3u * 2u);
}

const char *const kConv = "set in_c, 12\nset in_h, 6\nset in_w, 6\nset in_row, 6\n"
                          "set in_plane, 36\nset out_addr, 2048\nset out_c, 20\nset out_h, 4\n"
                          "set out_w, 4\nset out_row, 4\nset out_plane, 16\nset kernel_h, 3\n"
                          "set kernel_w, 3\nconv\nend";

TEST(Simulate, LanesShareOutChannels) {
  convoy_abstract_device device = smallDevice();
  // 20 outputs are 3 vectors of 8; each needs all 12 inputs and 9 taps of 16 pixels.
  EXPECT_EQ(run(kConv, device).report.total.compute_cycles, 16u + 3u * 12u * 16u * 9u);
  device.parallel = CONVOY_ABSTRACT_INPUT_PARALLEL;
  EXPECT_EQ(run(kConv, device).report.total.compute_cycles, 16u + 2u * 20u * 16u * 9u);
  EXPECT_EQ(run(kConv, device).report.total.macs, 12u * 20u * 16u * 9u);
}

TEST(Simulate, EnginesOverlapUntilOneWaits) {
  std::string conv = std::string(kConv).substr(0, std::string(kConv).size() - 3);
  std::string load = "set dma_local, 3072\nset dma_run, 1000\n";
  uint64_t compute = 16 + 3 * 12 * 16 * 9;
  uint64_t dma = 64 + 63;
  uint64_t apart = run(conv + load + "load\nend", smallDevice()).report.total.cycles;
  uint64_t behind = run(conv + load + "load compute<=0\nend", smallDevice()).report.total.cycles;
  EXPECT_LT(apart, compute + dma);
  EXPECT_GE(behind, compute + dma);
  EXPECT_EQ(run(load + "layer 1\nload\n" + conv + "end", smallDevice()).layers[1].dma_bytes, 1000u);
}

TEST(Simulate, FindsWaitsThatAreMissing) {
  std::string load = "set dma_run, 100\nload\n";
  expectCode(load + kConv, CONVOY_ABSTRACT_RACE,
             "two instructions access the same local memory without a wait");
  std::string waiting = kConv;
  waiting.replace(waiting.find("conv\n"), 5, "conv dma<=0\n");
  expectCode(load + waiting, CONVOY_ABSTRACT_OK, "done");
}

TEST(Simulate, NamesWhatIsWrong) {
  expectCode("set dma_local, 4090\nset dma_run, 7\nload\nend", CONVOY_ABSTRACT_LOCAL_BOUNDS,
             "an instruction accesses bytes outside of local memory");
  expectCode("set dma_offset, 4090\nset dma_run, 7\nload\nend", CONVOY_ABSTRACT_SYSTEM_BOUNDS,
             "a transfer accesses bytes outside of its segment of system memory");
  expectCode("set dma_segment, 2\nload\nend", CONVOY_ABSTRACT_SYSTEM_BOUNDS,
             "a transfer accesses bytes outside of its segment of system memory");
  expectCode("set stride_h, 17\nend", CONVOY_ABSTRACT_BAD_VALUE,
             "the value of a register is out of range or conflicts with another register");
  expectCode("set in_c, 2\nmaxpool\nend", CONVOY_ABSTRACT_BAD_VALUE,
             "the value of a register is out of range or conflicts with another register");
  expectCode("set out_min, 1\nmaxpool\nend", CONVOY_ABSTRACT_BAD_VALUE,
             "the value of a register is out of range or conflicts with another register");
  expectCode("load", CONVOY_ABSTRACT_NO_END, "the stream has no end instruction");
}

TEST(Simulate, RefusesWhatTheDeviceLacks) {
  convoy_abstract_device device = smallDevice();
  std::string ready = "set out_addr, 64\nset table_addr, 128\nset weight_addr, 160\n";
  EXPECT_EQ(run(ready + "dwconv\nend", device).code, CONVOY_ABSTRACT_OK);
  device.depthwise = 0;
  EXPECT_EQ(run(ready + "dwconv\nend", device).code, CONVOY_ABSTRACT_BAD_OPCODE);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_BAD_OPCODE),
               "the device does not support the instruction");
  EXPECT_EQ(run("set in_type, 2\nmaxpool\nend", device).code, CONVOY_ABSTRACT_BAD_VALUE);
  device.activation_zero_points = 0;
  EXPECT_EQ(run("set in_zero, 1\nmaxpool\nend", device).code, CONVOY_ABSTRACT_BAD_VALUE);
}

TEST(Simulate, RefusesUnknownWords) {
  convoy_abstract_device device = smallDevice();
  convoy_abstract_report report = {{}, nullptr, 0};
  convoy_abstract_fault fault = {};
  const uint32_t noOpcode[] = {200, 0};
  EXPECT_EQ(convoy_abstract_simulate(&device, noOpcode, 2, nullptr, 0, nullptr, &report, &fault),
            CONVOY_ABSTRACT_BAD_OPCODE);
  const uint32_t noRegister[] = {CONVOY_ABSTRACT_OP_set | 250u << 8, 0};
  EXPECT_EQ(convoy_abstract_simulate(&device, noRegister, 2, nullptr, 0, nullptr, &report, &fault),
            CONVOY_ABSTRACT_BAD_REGISTER);
  EXPECT_STREQ(convoy_abstract_text(CONVOY_ABSTRACT_BAD_REGISTER), "the register does not exist");
  EXPECT_STREQ(convoy_abstract_text(99), "unknown code");
}

} // namespace
} // namespace convoy::abstract
