// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which examples the cost model receives from other tasks.

#include "tuning/search/Experience.h"
#include "tuning/space/test/TestKernels.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

SpaceOptions options() {
  SpaceOptions result;
  result.machine.vectorBytes = 32;
  return result;
}

TaskSpace spaceOfTask(const Task &task) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TaskModule module = llvm::cantFail(readTask(task, &context));
  return llvm::cantFail(spaceOf(module.kernel(), options()));
}

Record record(const Task &task, const Configuration &configuration, int64_t ns) {
  Record result;
  result.taskText = task.text;
  result.configuration = configuration;
  result.samples = {{1, ns, ns, true}};
  return result;
}

TEST(ExperienceTest, OthersTeachATaskNotItself) {
  Task first = test::convTask({16, 16, 32, 3, 1}), second = test::convTask({16, 16, 64, 3, 1});
  TaskSpace space = spaceOfTask(first);
  Experience experience(options(), 1);
  experience.learn(first.text, {record(first, space.entries[0].configuration, 1000),
                                record(first, space.entries[1].configuration, 2000)});
  EXPECT_TRUE(experience.examplesFor(first.text).empty());
  std::vector<Example> examples = experience.examplesFor(second.text);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].features, featuresOf(space.entries[0]));
  // The examples keep the ratio of the two times, centered.
  float apart =
      exampleOf(space.entries[1], 2e-6).slowness - exampleOf(space.entries[0], 1e-6).slowness;
  EXPECT_NEAR(examples[1].slowness - examples[0].slowness, apart, 1e-5);
  EXPECT_NEAR(examples[0].slowness + examples[1].slowness, 0, 1e-5);
}

TEST(ExperienceTest, WhatIsUnknownTeachesNothing) {
  Task task = test::convTask({16, 16, 32, 3, 1});
  TaskSpace space = spaceOfTask(task);
  Record stale = record(task, space.entries[0].configuration, 1000);
  stale.configuration.templateVersion = 99;
  Record failed = record(task, space.entries[0].configuration, 1000);
  failed.outcome = Outcome::Crash;
  Experience experience(options(), 1), onTwo(options(), 2);
  experience.learn(task.text, {stale, failed});
  experience.learn("no task at all", {record(task, space.entries[0].configuration, 1000)});
  EXPECT_TRUE(experience.examplesFor("another").empty());
  onTwo.learn(task.text, {record(task, space.entries[0].configuration, 1000)});
  EXPECT_TRUE(onTwo.examplesFor("another").empty());
}

TEST(ExperienceTest, IsBoundedAndFair) {
  Task task = test::convTask({16, 16, 32, 3, 1});
  TaskSpace space = spaceOfTask(task);
  Experience experience(options(), 1);
  for (int other = 0; other < 8; ++other) {
    for (int i = 0; i < 100 + 50 * other; ++i) {
      experience.learn("task " + std::to_string(other), space.entries[i % space.entries.size()],
                       1e-6 * (1 + i));
    }
  }
  std::vector<Example> examples = experience.examplesFor("mine");
  EXPECT_EQ(examples.size(), 256u); // 32 of each task
  // The examples of the first task, from the fastest to the slowest.
  EXPECT_EQ(examples[0].features, featuresOf(space.entries[0]));
  EXPECT_EQ(examples[31].features, featuresOf(space.entries[99 % space.entries.size()]));
}

} // namespace
} // namespace convoy::tuning
