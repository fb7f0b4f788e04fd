// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the union of spaces: its entries, their order, and the rejected points.

#include "TestKernels.h"
#include "tuning/space/TaskSpace.h"
#include <gtest/gtest.h>
#include <set>

namespace convoy::tuning {
namespace {

using test::ConvShape;

SpaceOptions options() {
  SpaceOptions options;
  options.machine.vectorBytes = 64;
  options.machine.vectorRegisters = 32;
  return options;
}

TaskSpace spaceFor(const Task &task, const SpaceOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  if (!module) {
    llvm::report_fatal_error(module.takeError());
  }
  llvm::Expected<TaskSpace> space = spaceOf(module->kernel(), options);
  if (!space) {
    llvm::report_fatal_error(space.takeError());
  }
  return std::move(*space);
}

TaskSpace spaceFor(const ConvShape &shape, const SpaceOptions &options) {
  return spaceFor(test::convTask(shape), options);
}

std::set<std::string> templatesOf(const TaskSpace &space) {
  std::set<std::string> ids;
  for (const SpaceEntry &entry : space.entries) {
    ids.insert(entry.configuration.templateId);
  }
  return ids;
}

TEST(TaskSpace, HoldsAllAlgorithmsAndLayouts) {
  TaskSpace space = spaceFor({64, 56, 64, 3, 1}, options());
  EXPECT_EQ(templatesOf(space), (std::set<std::string>{"conv_direct", "loops", "winograd"}));
  std::set<std::string> outputs;
  for (const SpaceEntry &entry : space.entries) {
    outputs.insert(entry.configuration.outputLayout);
  }
  EXPECT_EQ(outputs, (std::set<std::string>{"planar", "#graph.blocked<c = 8>",
                                            "#graph.blocked<c = 16>", "#graph.blocked<c = 32>"}));
}

TEST(TaskSpace, DotProductsAreNotWiderThanTheVectors) {
  SpaceOptions bytes = options();
  bytes.machine.dot = kernels::DotForm::Bytes;
  TaskSpace space = spaceFor(test::taskFrom(test::kByteProduct), bytes);
  bool hasDot = false;
  for (const SpaceEntry &entry : space.entries) {
    hasDot |= entry.configuration.templateId == "conv_dot";
    EXPECT_NE(entry.configuration.outputLayout, "#graph.blocked<c = 32>")
        << entry.configuration.text;
  }
  EXPECT_TRUE(hasDot);
}

TEST(TaskSpace, ConvolutionsOfBytesHaveKnobs) {
  SpaceOptions bytes = options();
  bytes.machine.dot = kernels::DotForm::Bytes;
  bytes.machine.hasTiles = true;
  for (int64_t kernel : {1, 3}) {
    TaskSpace space = spaceFor(test::taskFrom(test::byteConv(kernel)), bytes);
    std::map<std::string, int> points;
    for (const SpaceEntry &entry : space.entries) {
      ++points[entry.configuration.templateId];
    }
    EXPECT_GE(points["conv_dot"], 100);
    EXPECT_GE(points["conv_tiles"], 100);
    EXPECT_EQ(space.first().configuration.templateId, "conv_tiles");
    for (size_t i = 2; i < space.entries.size(); ++i) {
      ASSERT_LE(space.entries[i - 1].cycles, space.entries[i].cycles);
    }
  }
}

/// The choosers of integers find the point with the lowest estimate of their spaces.
TEST(TaskSpace, ChoosersOfBytesTakeTheBestOfTheSpace) {
  for (kernels::DotForm form :
       {kernels::DotForm::Bytes, kernels::DotForm::Pairs, kernels::DotForm::Usdot}) {
    SpaceOptions bytes = options();
    bytes.machine.dot = form;
    for (const std::string &text :
         {test::byteConv(1), test::byteConv(3), std::string(test::kByteProduct)}) {
      TaskSpace space = spaceFor(test::taskFrom(text), bytes);
      EXPECT_EQ(space.first().configuration.templateId, "conv_dot");
      EXPECT_EQ(space.first().cyclesByFewest, 1.0);
      EXPECT_EQ(space.first().configuration.text.find("unroll"), std::string::npos);
    }
  }
}

/// The registers of dot products with four lanes are joined, as the compiler does.
TEST(TaskSpace, BytesOnArmHaveBlocksOfFourRegisters) {
  SpaceOptions arm = options();
  arm.machine.vectorBytes = 16;
  arm.machine.dot = kernels::DotForm::Sdot;
  TaskSpace space = spaceFor(test::taskFrom(test::byteConv(1)), arm);
  EXPECT_NE(space.first().configuration.text.find("block = 16,"), std::string::npos);
  EXPECT_EQ(space.first().configuration.inputLayout, "#graph.blocked<c = 16>");
}

TEST(TaskSpace, StartsWithTheCompilersChoice) {
  TaskSpace space = spaceFor({64, 56, 64, 3, 1}, options());
  EXPECT_EQ(space.first().configuration.text,
            "#kernel.winograd<block = 16, tile = 4, vectors = 2, pixels = 14, groups = 2, "
            "panels = 1, depth = 64, unroll = 16>");
  for (size_t i = 2; i < space.entries.size(); ++i) {
    ASSERT_LE(space.entries[i - 1].cycles, space.entries[i].cycles);
  }
  EXPECT_EQ(space.find(space.entries[5].configuration), &space.entries[5]);
}

TEST(TaskSpace, CountsEveryPointOnce) {
  TaskSpace space = spaceFor({64, 56, 256, 1, 1}, options());
  int64_t left = space.points;
  for (const auto &[reason, count] : space.rejected) {
    EXPECT_FALSE(reason.empty());
    left -= count;
  }
  EXPECT_EQ(left, static_cast<int64_t>(space.entries.size()));
  EXPECT_LE(space.entries.size(), 1500u);
  std::set<Configuration> distinct;
  for (const SpaceEntry &entry : space.entries) {
    EXPECT_TRUE(distinct.insert(entry.configuration).second);
    EXPECT_EQ(entry.settings.size(), space.parts[entry.part].parameters.size());
  }
}

TEST(TaskSpace, StrictMathLeavesOutWinograd) {
  SpaceOptions strict = options();
  strict.isStrictMath = true;
  EXPECT_EQ(templatesOf(spaceFor({64, 56, 64, 3, 1}, strict)).count("winograd"), 0u);
}

TEST(TaskSpace, LongVectorsAddPixels) {
  SpaceOptions wide = options();
  wide.machine.vectorBytes = 1024;
  EXPECT_EQ(templatesOf(spaceFor({3, 56, 64, 3, 1}, wide)).count("conv_pixels"), 1u);
}

TEST(TaskSpace, AFileNarrowsAndWidensIt) {
  SpaceOptions changed = options();
  auto file = SpaceFile::parse(R"({"winograd": false, "conv_direct": {"unroll": [2]}})", "f.json");
  ASSERT_TRUE(static_cast<bool>(file));
  changed.file = &*file;
  TaskSpace space = spaceFor({64, 56, 64, 3, 1}, changed);
  EXPECT_EQ(templatesOf(space), (std::set<std::string>{"conv_direct", "loops"}));
  for (const SpaceEntry &entry : space.entries) {
    if (entry.configuration.templateId == "conv_direct") {
      EXPECT_NE(entry.configuration.text.find("unroll = 2,"), std::string::npos);
    }
  }
}

TEST(TaskSpace, AFewAreKeptOfEachPart) {
  SpaceOptions few = options();
  few.mostEntries = 100;
  TaskSpace space = spaceFor({64, 56, 64, 3, 1}, few);
  std::map<size_t, int> perPart;
  for (const SpaceEntry &entry : space.entries) {
    ++perPart[entry.part];
  }
  EXPECT_EQ(perPart.size(), space.parts.size());
  EXPECT_GT(space.rejected["its estimate is slower than the kept points, whose number is limited"],
            0);
}

} // namespace
} // namespace convoy::tuning
