// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the steps of docs/howto/add-knob.md on the space of depthwise convolution. check_howto.py
// checks that the page shows this code.

#include "Kernels/Depthwise/Depthwise.h"
#include "mlir/IR/MLIRContext.h"
#include "tuning/space/SpaceFile.h"
#include <gtest/gtest.h>

namespace convoy::kernels {
namespace {

class AddKnob : public testing::Test {
protected:
  Space spaceWithKnob(int64_t rows) {
    context.loadDialect<KernelDialect>();
    ConvProblem p;
    p.groups = 32;
    p.inputChannels = p.outputChannels = 1;
    p.kernelRows = p.kernelColumns = 3;
    p.inputRows = rows + 2;
    p.inputColumns = 18;
    p.outputRows = rows;
    p.outputColumns = 16;
    Space space = depthwiseSpace(p, Machine(), &context);
    space.templateId = DepthwiseAttr::getMnemonic().str(); // KernelTemplate::named sets it
    before = space;
    space.knobs.push_back({"order", KnobKind::Unordered, {"isUpward"}, {{0}, {1}}});
    space.constraints.push_back(
        {"one row has no order", [rows](const Settings &s) { return s.back() == 0 || rows > 1; }});
    space.cycles = [cycles = space.cycles](const Settings &s) {
      return cycles(s) * (s.back() == 0 ? 1.0 : 1.01);
    };
    return space;
  }

  /// Returns the number of valid points, and the settings with the fewest cycles.
  std::pair<int64_t, Settings> walk(const Space &space) {
    std::pair<int64_t, Settings> result;
    double least = 0;
    space.forEach([&](const Settings &s) {
      if (!space.whyNot(s).empty()) {
        return;
      }
      if (result.first++ == 0 || space.cycles(s) < least) {
        least = space.cycles(s);
        result.second = s;
      }
    });
    return result;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Space before;
};

TEST_F(AddKnob, DoublesTheSpace) {
  Space space = spaceWithKnob(16);
  EXPECT_EQ(space.size(), 2 * before.size());
  EXPECT_EQ(walk(space).first, 2 * walk(before).first);
}

TEST_F(AddKnob, KeepsTheDefault) {
  Space space = spaceWithKnob(16);
  Settings best = walk(space).second;
  EXPECT_EQ(best.back(), 0);
  best.pop_back();
  EXPECT_EQ(best, walk(before).second);
}

TEST_F(AddKnob, ConstraintSaysWhy) {
  Space space = spaceWithKnob(1);
  EXPECT_EQ(walk(space).first, walk(before).first);
  Settings upward = walk(space).second;
  upward.back() = 1;
  EXPECT_EQ(space.whyNot(upward), "one row has no order");
}

TEST_F(AddKnob, AFileKnowsIt) {
  Space space = spaceWithKnob(16);
  auto file = tuning::SpaceFile::parse(R"({"depthwise": {"order": [1]}})", "f.json");
  ASSERT_TRUE(static_cast<bool>(file));
  ASSERT_FALSE(static_cast<bool>(file->apply(space)));
  EXPECT_EQ(walk(space).second.back(), 1);
}

} // namespace
} // namespace convoy::kernels
