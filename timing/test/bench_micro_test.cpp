// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how the report of a compile becomes the layers and tensors of a microcontroller's build.

#include "timing/BenchMicro.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;

namespace {

MemoryCall callOf(const char *kernel, int64_t weightsBytes = 0) {
  MemoryCall call;
  call.kernel = kernel;
  call.weightsBytes = weightsBytes;
  return call;
}

MemoryTensor tensorOf(int64_t call, int64_t arena, int64_t offset, int64_t first, int64_t last) {
  MemoryTensor tensor;
  tensor.call = call;
  tensor.arena = arena;
  tensor.offset = offset;
  tensor.bytes.most = 32;
  tensor.first = first;
  tensor.last = last;
  return tensor;
}

void expectTensor(const report::MicroTensor &tensor, int64_t layer, int64_t offset, int64_t first,
                  int64_t last) {
  EXPECT_EQ(tensor.layer, layer);
  EXPECT_EQ(tensor.offset, offset);
  EXPECT_EQ(tensor.bytes, 32);
  EXPECT_EQ(tensor.first, first);
  EXPECT_EQ(tensor.last, last);
}

TEST(BenchMicro, CallsOfOneKernelForTheSameNodesAreOneLayer) {
  CompileReport compiled;
  compiled.memory.calls = {callOf("a", 8), callOf("a", 4), callOf("b", 2)};
  compiled.memory.arenas.resize(1);
  compiled.memory.tensors = {tensorOf(1, 0, 64, 0, 2), tensorOf(2, 0, 0, 2, 2)};
  report::MicroBuild build = describeBuild(compiled, {});
  ASSERT_EQ(build.layers.size(), 2u);
  EXPECT_EQ(build.layers[0].weightsBytes, 12);
  EXPECT_EQ(build.layers[1].weightsBytes, 2);
  ASSERT_EQ(build.tensors.size(), 2u);
  expectTensor(build.tensors[0], 0, 64, 0, 1);
  expectTensor(build.tensors[1], 1, 0, 1, 1);
}

TEST(BenchMicro, ArenasFollowEachOther) {
  CompileReport compiled;
  compiled.memory.calls = {callOf("a")};
  compiled.memory.arenas = {{"tcm", {256}}, {"sram", {512}}};
  compiled.memory.tensors = {tensorOf(-1, 0, 64, 0, 0), tensorOf(0, 1, 64, 0, 0)};
  report::MicroBuild build = describeBuild(compiled, {});
  ASSERT_EQ(build.tensors.size(), 2u);
  expectTensor(build.tensors[0], -1, 64, 0, 0);
  expectTensor(build.tensors[1], 0, 320, 0, 0);
}

TEST(BenchMicro, EstimatesTheCyclesOfLoopsAndFunctions) {
  CompileReport compiled;
  compiled.memory.calls = {callOf("a"), callOf("b")};
  compiled.memory.calls[0].work.scalarOps = 100;
  compiled.memory.calls[1].work.callsFunctions = true;
  compiled.memory.calls[1].work.resultBytes.most = 10;
  KernelReport kernel;
  kernel.kernel = "b";
  kernel.flops = 2000;
  compiled.kernels = {kernel};
  targets::Target target;
  target.instructionCycles = targets::InstructionCycles();
  target.instructionCycles->integer = 1;
  target.instructionCycles->load = 2;
  target.instructionCycles->multiply = 3;
  target.instructionCycles->vector = 0;
  report::MicroBuild build = describeBuild(compiled, target);
  ASSERT_EQ(build.layers.size(), 2u);
  EXPECT_EQ(build.layers[0].instructions, 100);
  EXPECT_EQ(build.layers[1].multiplyAdds, 1000);
  EXPECT_EQ(build.layers[1].instructions, 1000 * (2 + 3) + 10 * (3 + 4 + 2));
  EXPECT_EQ(build.instructions, 100 + 5090);
}

} // namespace
