// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that equal kernels have equal keys and that the text of a task can be read back.

#include "Kernels/Kernel.h"
#include "TestKernels.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

using test::convTask;

constexpr test::ConvShape kConv = {64, 56, 64, 3, 1};

std::string problemOf(const std::string &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask({text, ""}, &context);
  return module ? "" : llvm::toString(module.takeError());
}

TEST(CanonicalTask, ReadsBackWhatItWrites) {
  Task task = convTask(kConv);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  EXPECT_EQ(taskOf(module->kernel(), module->settings)->text, task.text);
  EXPECT_EQ(module->main().getNumArguments(), 1u) << "weights are constants";
}

TEST(CanonicalTask, NamesWhatItDoes) {
  EXPECT_EQ(convTask(kConv).name, "1x64x56x56, conv 64x64x3x3, relu -> 1x64x56x56");
  EXPECT_EQ(convTask({32, 28, 32, 3, 2, 32}).name,
            "1x32x28x28, conv 32x1x3x3 s2 g32, relu -> 1x32x14x14");
}

TEST(CanonicalTask, ConfigurationAndLayoutAreNoPartOfIt) {
  Task task = convTask(kConv);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  ASSERT_TRUE(static_cast<bool>(module));
  module->kernel().setConfigAttr(
      kernels::DepthwiseAttr::get(&context, /*block=*/8, /*pixels=*/1, /*held=*/0, /*rows=*/1));
  module->kernel()->setAttr("note", mlir::UnitAttr::get(&context));
  EXPECT_EQ(taskOf(module->kernel(), module->settings)->key(), task.key());
}

TEST(CanonicalTask, SettingsAndShapesAre) {
  Task task = convTask(kConv);
  EXPECT_NE(convTask(kConv, {/*isStrictMath=*/true, 1}).key(), task.key());
  EXPECT_NE(convTask(kConv, {/*isStrictMath=*/false, 2}).key(), task.key());
  EXPECT_NE(convTask({64, 56, 64, 3, 2}).key(), task.key());
}

TEST(CanonicalTask, LayoutsHaveNoTask) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(convTask(kConv), &context);
  ASSERT_TRUE(static_cast<bool>(module));
  mlir::Value result = module->kernel().getResult(0);
  result.setType(graph::withLayout(result.getType(), graph::BlockedAttr::get(&context, 16)));
  EXPECT_FALSE(taskOf(module->kernel(), module->settings));
}

TEST(CanonicalTask, WeightsFollowFromTheKey) {
  auto first = [](const Task &task) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    llvm::Expected<TaskModule> module = readTask(task, &context);
    return taskInputs(task, *module).front().data<float>()[0];
  };
  EXPECT_EQ(first(convTask(kConv)), first(convTask(kConv)));
  EXPECT_NE(first(convTask(kConv)), first(convTask({64, 28, 64, 3, 1})));
}

TEST(CanonicalTask, SaysWhatIsWrongWithText) {
  EXPECT_EQ(problemOf("hello\n"),
            "invalid task text: expected the line 'convoy-task 1', got 'hello'");
  EXPECT_EQ(problemOf("convoy-task 1\nthreads 1\n"),
            "invalid task text: expected a line 'math ...', got 'threads 1'");
  EXPECT_EQ(problemOf("convoy-task 1\nmath quick\nthreads 0\n"),
            "invalid task text: expected math fast or strict and 1 thread or more, got math "
            "quick and threads 0");
  EXPECT_EQ(problemOf("convoy-task 1\nmath fast\nthreads 1\nmodule {}\n"),
            "invalid task text: expected a function @main of one kernel on planar f32 "
            "tensors");
  EXPECT_NE(problemOf("convoy-task 1\nmath fast\nthreads 1\nmodule {\n").find("invalid task text"),
            std::string::npos);
}

} // namespace
} // namespace convoy::tuning
