// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small build for the tests of reports: a convolution, a pooling and a product.

#pragma once

#include "report/MicroBuild.h"

namespace convoy::report::test {

inline MicroBuild smallBuild() {
  MicroBuild build;
  build.model = "net";
  build.target = "cortex-m4";
  build.compiler = "arm-none-eabi-gcc -O3";
  build.isCounted = true;
  build.instructions = 12345;
  build.between = 45;
  build.layers = {{"conv_0", "'conv1' (Conv)", 10000, 5000, 200},
                  {"max_pool_1", "'pool' (MaxPool)", 1300, 0, 64},
                  {"conv_2", "'fc' (Gemm)", 1000, 500, 536}};
  // An input in the arena, two results, and scratch memory of the last layer.
  build.tensors = {{-1, false, 1024, 256, 0, 0},
                   {0, false, 0, 1024, 0, 1},
                   {1, false, 1024, 512, 1, 2},
                   {2, true, 0, 64, 2, 2}};
  build.arenaBytes = 1536;
  build.inputBytes = 0;
  build.outputBytes = 10;
  build.weightsBytes = 800;
  build.codeBytes = 3000;
  build.flashBytes = 4000;
  build.ramBytes = 2570;
  build.stackBytes = 1024;
  build.isStackBounded = true;
  build.libraryCalls = {{"memcpy", 16}};
  build.usedArenaBytes = 1536;
  build.usedStackBytes = 1000;
  return build;
}

} // namespace convoy::report::test
