// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the choosers, which evaluate few points, find the best point of the whole space
// according to the analytical model, and that their choices for known layers stay the same.

#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/Depthwise/Depthwise.h"
#include "Kernels/Winograd/Winograd.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>
#include <random>

namespace convoy::kernels {
namespace {

Machine machineOf(int64_t vectorBytes, int64_t registers) {
  Machine machine;
  machine.vectorBytes = vectorBytes;
  machine.vectorRegisters = registers;
  machine.firstCacheBytes = 48 << 10;
  machine.secondCacheBytes = 2 << 20;
  return machine;
}

const Machine kMachines[] = {machineOf(64, 32), machineOf(32, 16), machineOf(512, 32)};

ConvProblem problemOf(int64_t inputs, int64_t outputs, int64_t size, int64_t kernel, int64_t stride,
                      int64_t groups = 1) {
  ConvProblem p;
  p.groups = groups;
  p.inputChannels = inputs / groups;
  p.outputChannels = outputs / groups;
  p.inputRows = p.inputColumns = size;
  p.padTop = p.padLeft = kernel / 2;
  p.kernelRows = p.kernelColumns = kernel;
  p.strideRows = p.strideColumns = stride;
  p.outputRows = p.outputColumns = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  return p;
}

std::string textOf(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (attribute) {
    attribute.print(stream);
  }
  return text;
}

/// Returns the first point with the fewest cycles.
std::string bestOf(const Space &space) {
  std::string best;
  double least = 0;
  space.forEach([&](const Settings &settings) {
    if (!space.whyNot(settings).empty()) {
      return;
    }
    double cycles = space.cycles(settings);
    if (best.empty() || cycles < least) {
      least = cycles;
      best = textOf(space.configure(settings));
    }
  });
  return best;
}

class Choosers : public testing::Test {
protected:
  void SetUp() override { context.loadDialect<KernelDialect>(); }

  void expectBest(const ConvProblem &p, const Machine &machine) {
    for (bool isFlat : {false, true}) {
      for (InputLayout input : {InputLayout::Blocked, InputLayout::Planar}) {
        if (auto choice = chooseConvDirect(p, input, isFlat, machine, &context)) {
          Space space = convDirectSpace(p, input, isFlat, machine, &context);
          EXPECT_EQ(textOf(choice->config), bestOf(space));
        }
      }
      if (auto choice = chooseConvPixels(p, isFlat, machine, &context)) {
        EXPECT_EQ(textOf(choice->config), bestOf(convPixelsSpace(p, isFlat, machine, &context)));
      }
    }
    if (auto choice = chooseDepthwise(p, machine, &context)) {
      EXPECT_EQ(textOf(choice->config), bestOf(depthwiseSpace(p, machine, &context)));
    }
    if (auto choice = chooseWinograd(p, machine, &context)) {
      EXPECT_EQ(textOf(choice->config), bestOf(winogradSpace(p, machine, &context)));
    }
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(Choosers, TakeTheBestOfTheSpaceForKnownLayers) {
  for (const Machine &machine : kMachines) {
    for (const ConvProblem &p :
         {problemOf(3, 64, 224, 7, 2), problemOf(64, 64, 56, 1, 1), problemOf(64, 64, 56, 3, 1),
          problemOf(256, 128, 56, 1, 1), problemOf(128, 128, 56, 3, 2),
          problemOf(512, 512, 7, 3, 1), problemOf(2048, 512, 7, 1, 1),
          problemOf(96, 96, 112, 3, 2, 96), problemOf(960, 960, 7, 3, 1, 960),
          problemOf(512, 512, 14, 3, 1), problemOf(64, 128, 28, 3, 1, 2),
          problemOf(104, 104, 28, 3, 2, 13), problemOf(888, 888, 7, 3, 1, 37)}) {
      SCOPED_TRACE(std::to_string(machine.vectorBytes) + " bytes, " +
                   std::to_string(p.inputChannels) + " -> " + std::to_string(p.outputChannels) +
                   " at " + std::to_string(p.outputRows));
      expectBest(p, machine);
    }
  }
}

TEST_F(Choosers, TakeTheBestOfTheSpaceForAnyLayer) {
  std::minstd_rand engine(7);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 60; ++i) {
    int64_t kernel = 2 * pick(0, 3) + 1;
    ConvProblem p = problemOf(pick(1, 300), pick(1, 300), pick(kernel, 60), kernel, pick(1, 2));
    if (i % 4 == 0) {
      int64_t channels = pick(2, 200);
      p = problemOf(channels, channels, pick(kernel, 60), kernel, pick(1, 2), channels);
    }
    SCOPED_TRACE("layer " + std::to_string(i));
    expectBest(p, kMachines[i % 3]);
  }
}

TEST_F(Choosers, KeepTheirChoices) {
  // Recorded choices for 512-bit vectors.
  const Machine &machine = kMachines[0];
  auto direct = [&](const ConvProblem &p, InputLayout input) {
    return textOf(chooseConvDirect(p, input, /*isFlat=*/true, machine, &context)->config);
  };
  EXPECT_EQ(direct(problemOf(3, 64, 224, 7, 2), InputLayout::Planar),
            "#kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 3, unroll = 3, "
            "columns = 0, rows = 1, panels = 2, fetch = 0, fetchResult = true>");
  EXPECT_EQ(direct(problemOf(64, 256, 56, 1, 1), InputLayout::Blocked),
            "#kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 64, unroll = 4, "
            "columns = 0, rows = 1, panels = 8, fetch = 0, fetchResult = true>");
  EXPECT_EQ(direct(problemOf(256, 1024, 14, 1, 1), InputLayout::Blocked),
            "#kernel.conv_direct<block = 16, vectors = 2, pixels = 14, depth = 256, unroll = 4, "
            "columns = 0, rows = 14, panels = 1, fetch = 1, fetchResult = true>");
  EXPECT_EQ(textOf(chooseWinograd(problemOf(64, 64, 56, 3, 1), machine, &context)->config),
            "#kernel.winograd<block = 16, tile = 4, vectors = 2, pixels = 14, groups = 2, "
            "panels = 1, depth = 64, unroll = 16>");
}

} // namespace
} // namespace convoy::kernels
