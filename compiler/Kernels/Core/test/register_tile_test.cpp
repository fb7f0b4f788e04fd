// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which products a register tile asks of a multiply, for cells of several pixels and
// registers, and the places of weights in panels.

#include "Kernels/Core/GroupWindows.h"
#include "Kernels/Core/PanelPlaces.h"
#include "Kernels/Core/RegisterTile.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Records the calls as text. A value stands for its number of creation.
class RecordedMultiply : public Multiply {
public:
  explicit RecordedMultiply(ImplicitLocOpBuilder &builder)
      : Multiply(builder, /*block=*/4, VectorType::get({4}, builder.getI32Type())) {}

  Values loadWeights(Value offset) override { return {offset}; }
  Values loadInputs(ArrayRef<Value> offsets, int64_t steps) override {
    log += "load";
    for (Value offset : offsets) {
      log += offset ? " " + number(offset) : " -";
    }
    log += " x" + std::to_string(steps) + "\n";
    return Values(offsets);
  }
  Values inputsOf(ArrayRef<Value> loaded, int64_t step) override {
    log += "step " + std::to_string(step) + "\n";
    return Values(loaded);
  }
  Value multiplyAdd(int64_t i, Value sum, ArrayRef<Value> /*inputs*/,
                    ArrayRef<Value> weights) override {
    log += "sum " + number(sum) + " register " + std::to_string(i) + " weights " +
           number(weights[0]) + "\n";
    return sum;
  }

  static std::string number(Value value) {
    auto constant = value.getDefiningOp<arith::ConstantIndexOp>();
    return std::to_string(constant.value());
  }

  std::string log;
};

class RegisterTileTest : public ::testing::Test {
protected:
  RegisterTileTest()
      : b(UnknownLoc::get(&context), &context), module(ModuleOp::create(b.getLoc())) {
    context.loadDialect<arith::ArithDialect>();
    b.setInsertionPointToStart(module->getBody());
  }

  Value index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }
  /// Returns sums whose numbers are their places.
  RegisterTile::Values numbered(int64_t count) {
    RegisterTile::Values sums;
    for (int64_t i = 0; i < count; ++i) {
      sums.push_back(index(i));
    }
    return sums;
  }
  std::string accumulate(RecordedMultiply &multiply, int64_t vectors, int64_t pixels,
                         int64_t steps) {
    RegisterTile tile(multiply, vectors, pixels);
    tile.accumulate(
        steps, [&](int64_t step, int64_t v) { return index(step * 10 + v); },
        [&](int64_t step, int64_t pixel) {
          return pixel == 3 ? Value() : index(100 + step * 10 + pixel);
        },
        numbered(multiply.registers * vectors * tile.cells()));
    return multiply.log;
  }

  MLIRContext context;
  ImplicitLocOpBuilder b;
  OwningOpRef<ModuleOp> module;
};

TEST_F(RegisterTileTest, MultipliesEachPixelByEachVector) {
  RecordedMultiply multiply(b);
  EXPECT_EQ(accumulate(multiply, /*vectors=*/2, /*pixels=*/2, /*steps=*/1),
            "load 100 x1\nstep 0\nsum 0 register 0 weights 0\nsum 2 register 0 weights 1\n"
            "load 101 x1\nstep 0\nsum 1 register 0 weights 0\nsum 3 register 0 weights 1\n");
}

TEST_F(RegisterTileTest, PassesPixelsOutsideTheImageAsNull) {
  RecordedMultiply multiply(b);
  multiply.pixels = 2;
  multiply.registers = 2;
  // Pixel 3 is outside the image, pixel 5 is after the last one of the tile.
  EXPECT_EQ(accumulate(multiply, /*vectors=*/1, /*pixels=*/5, /*steps=*/1),
            "load 100 101 x1\nstep 0\nsum 0 register 0 weights 0\nsum 3 register 1 weights 0\n"
            "load 102 - x1\nstep 0\nsum 1 register 0 weights 0\nsum 4 register 1 weights 0\n"
            "load 104 - x1\nstep 0\nsum 2 register 0 weights 0\nsum 5 register 1 weights 0\n");
}

TEST_F(RegisterTileTest, LoadsTheInputsOfSeveralStepsOnce) {
  RecordedMultiply multiply(b);
  multiply.loadedSteps = 2;
  EXPECT_EQ(accumulate(multiply, /*vectors=*/1, /*pixels=*/1, /*steps=*/3),
            "load 100 x2\nstep 0\nsum 0 register 0 weights 0\n"
            "step 1\nsum 0 register 0 weights 10\n"
            "load 120 x1\nstep 0\nsum 0 register 0 weights 20\n");
}

TEST(PanelPlacesTest, KeepsTheChannelsOfAStepTogether) {
  PanelPlaces places(/*channels=*/20, /*taps=*/9, /*o=*/8, /*i=*/16, /*depth=*/4, /*head=*/4);
  EXPECT_EQ(places.blocks, 2);
  EXPECT_EQ(places.panelElements(), 8 * 4 + 2 * 9 * 16 * 8);
  EXPECT_EQ(places.place(0, 0, 0), 32);
  EXPECT_EQ(places.place(3, 0, 0), 32 + 3);      // the same step
  EXPECT_EQ(places.place(0, 0, 1), 32 + 4);      // the next output channel
  EXPECT_EQ(places.place(4, 0, 0), 32 + 32);     // the next step
  EXPECT_EQ(places.place(0, 1, 0), 32 + 16 * 8); // the next tap
  EXPECT_EQ(places.place(16, 0, 0), 32 + 9 * 16 * 8);
}

TEST(GroupWindowsTest, ContainTheGroupsOfAPanel) {
  GroupWindows windows{/*groups=*/4, /*inputs=*/24, /*outputs=*/24, /*o=*/32, /*i=*/16};
  EXPECT_EQ(windows.panels(), 3);
  EXPECT_EQ(windows.low(0), 0);
  EXPECT_EQ(windows.high(0), 3);
  EXPECT_EQ(windows.low(1), 1);
  EXPECT_EQ(windows.high(1), 5);
  EXPECT_EQ(windows.low(2), 3);
  EXPECT_EQ(windows.high(2), 6);
  EXPECT_EQ(windows.most(), 4);
  EXPECT_EQ(windows.blocks(), 10);
}

TEST(GroupWindowsTest, EndWithTheLastGroup) {
  // 55 groups of 8 channels are 27 blocks and a half.
  GroupWindows windows{/*groups=*/55, /*inputs=*/8, /*outputs=*/8, /*o=*/16, /*i=*/16};
  EXPECT_EQ(windows.panels(), 28);
  EXPECT_EQ(windows.low(27), 27);
  EXPECT_EQ(windows.high(27), 28);
  EXPECT_EQ(windows.most(), 1);
}

} // namespace
} // namespace convoy::kernels
