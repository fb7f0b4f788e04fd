// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the space of conv_bytes on the three kinds of microcontrollers: the default configuration,
// and the points that a machine excludes.

#include "Kernels/ConvBytes/ConvBytes.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace convoy::kernels {
namespace {

struct ConvBytesSpaceTest : ::testing::Test {
  ConvBytesSpaceTest() { context.loadDialect<KernelDialect>(); }

  static Machine machineOf(int64_t registers, bool hasPairs) {
    Machine machine;
    machine.vectorBytes = 16;
    machine.vectorRegisters = registers;
    machine.hasByteOps = true;
    machine.hasPairProducts = hasPairs;
    return machine;
  }

  /// Returns a convolution of a square image with 3 x 3 or 1 x 1 taps.
  static BytesConv convOf(int64_t channels, int64_t size, int64_t taps) {
    BytesConv kernel;
    ConvProblem &p = kernel.conv.problem;
    p.inputChannels = p.outputChannels = channels;
    p.inputRows = p.inputColumns = p.outputRows = p.outputColumns = size;
    p.kernelRows = p.kernelColumns = taps;
    p.padTop = p.padLeft = taps / 2;
    return kernel;
  }

  ConvBytesAttr best(const BytesConv &kernel, const Machine &machine) {
    return mlir::cast<ConvBytesAttr>(convBytesSpace(kernel, machine, &context).best()->config);
  }

  int64_t validPoints(const BytesConv &kernel, const Machine &machine) {
    Space space = convBytesSpace(kernel, machine, &context);
    int64_t count = 0;
    space.forEach([&](const Settings &s) { count += space.whyNot(s).empty() ? 1 : 0; });
    return count;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Machine vectors = machineOf(8, false), pairs = machineOf(4, true), plain = machineOf(4, false);
};

TEST_F(ConvBytesSpaceTest, TakesTilesOfThreePixelsWithVectors) {
  EXPECT_EQ(best(convOf(16, 32, 3), vectors), ConvBytesAttr::get(&context, 3, 3, 1));
  EXPECT_EQ(best(convOf(64, 5, 1), vectors), ConvBytesAttr::get(&context, 0, 3, 1));
}

TEST_F(ConvBytesSpaceTest, ExtendsNumbersForProductsOfPairs) {
  EXPECT_EQ(best(convOf(16, 32, 3), pairs), ConvBytesAttr::get(&context, 2, 2, 2));
  EXPECT_EQ(best(convOf(64, 5, 1), pairs), ConvBytesAttr::get(&context, 2, 2, 2));
  EXPECT_EQ(best(convOf(8, 48, 1), pairs), ConvBytesAttr::get(&context, 0, 2, 1))
      << "the extension costs more than it saves for few channels";
}

TEST_F(ConvBytesSpaceTest, ReadsRowsOfMatricesDirectly) {
  BytesConv product = convOf(128, 1, 1);
  product.conv.problem.isMatrix = true;
  EXPECT_EQ(best(product, vectors).getPixels(), 0);
  EXPECT_EQ(best(product, pairs).getPixels(), 0) << "the memory is worth more than instructions";
  EXPECT_EQ(best(product, plain), ConvBytesAttr::get(&context, 0, 1, 1));
}

TEST_F(ConvBytesSpaceTest, ExcludesPointsWithReasons) {
  Space space = convBytesSpace(convOf(16, 32, 3), vectors, &context);
  EXPECT_EQ(space.whyNot({0, 3, 1}),
            "the kernel has several taps or padding, so its taps are copied");
  EXPECT_EQ(space.whyNot({2, 2, 2}),
            "the target has no instructions that multiply pairs of 16-bit numbers");
  EXPECT_EQ(space.whyNot({48, 3, 1}), "a row has fewer pixels");
  EXPECT_EQ(convBytesSpace(convOf(64, 32, 3), pairs, &context).whyNot({32, 2, 1}),
            "the patches need too much memory");
  EXPECT_EQ(validPoints(convOf(16, 32, 1), vectors), 13 * 3);
  EXPECT_EQ(validPoints(convOf(16, 32, 1), pairs), 13 * 2 + 12 * 2);
}

} // namespace
} // namespace convoy::kernels
