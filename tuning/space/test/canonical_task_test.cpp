// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that equal kernels have equal keys and that the text of a task can be read back.

#include "Kernels/Kernel.h"
#include "TestKernels.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

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

TEST(CanonicalTask, NamesOtherTypesThanF32) {
  EXPECT_EQ(test::taskFrom(test::kByteProduct).name,
            "9x64xui8, integer_matmul 64x48, requantize -> 9x48xui8");
  EXPECT_EQ(test::taskFrom(test::kHalfProduct).name, "5x33xf16, matmul 33x7 -> 5x7xf16");
}

TEST(CanonicalTask, DataFollowsTheType) {
  Task task = test::taskFrom(test::kByteProduct);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(task, &context);
  ASSERT_TRUE(static_cast<bool>(module));
  Tensor input = taskInputs(task, *module).front();
  EXPECT_EQ(input.type(), ElementType::U8);
  double largest = 0;
  for (int64_t i = 0; i < input.size(); ++i) {
    largest = std::max(largest, input.asDouble(i));
  }
  EXPECT_GT(largest, 240) << "bytes use their whole range";
  Tensor multiplier = randomTensor(ElementType::I32, {100}, 1, 0x1p30, 0x1p31);
  Tensor halves = randomTensor(ElementType::F16, {100}, 1, -0.5, 0.5);
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_GE(multiplier.asDouble(i), 0x1p30);
    EXPECT_LE(std::abs(halves.asDouble(i)), 0.5);
  }
}

TEST(CanonicalTask, IndicesHaveNoTask) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadTaskDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%x: tensor<9x4xf32>, %i: tensor<3xi32>) -> tensor<3x4xf32> {
      %0 = graph.kernel %x, %i {
      ^bb0(%a: tensor<9x4xf32>, %b: tensor<3xi32>):
        %1 = graph.gather %a, %b {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
        graph.yield %1 : tensor<3x4xf32>
      } : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
      return %0 : tensor<3x4xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  module->walk([](graph::KernelOp kernel) { EXPECT_FALSE(taskOf(kernel, {})); });
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

/// A product whose weights have this type in memory.
Task productWithWeights(const std::string &type) {
  std::string cast = type == "f32" ? ""
                                   : R"(
        %0 = "graph.cast"(%j) {to = f32} : (tensor<33x7x)" +
                                         type + R"(>) -> tensor<33x7xf32>)";
  return test::taskFrom(R"(
    func.func @main(%x: tensor<5x33xf32>, %w: tensor<33x7x)" +
                        type + R"(> {graph.weight}) -> tensor<5x7xf32> {
      %y = graph.kernel %x, %w {
      ^bb0(%i: tensor<5x33xf32>, %j: tensor<33x7x)" +
                        type + ">):" + cast + R"(
        %1 = graph.matmul %i, )" +
                        (cast.empty() ? "%j" : "%0") +
                        R"( : (tensor<5x33xf32>, tensor<33x7xf32>) -> tensor<5x7xf32>
        graph.yield %1 : tensor<5x7xf32>
      } : (tensor<5x33xf32>, tensor<33x7x)" +
                        type + R"(>) -> tensor<5x7xf32>
      return %y : tensor<5x7xf32>
    })");
}

TEST(CanonicalTask, TypeOfTheWeightsIsPartOfTheKey) {
  std::set<std::string> keys;
  for (const char *type : {"f32", "f16", "bf16"}) {
    keys.insert(productWithWeights(type).key());
  }
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_EQ(productWithWeights("f16").name, "5x33, cast, matmul 33x7 -> 5x7");
}

TEST(CanonicalTask, LayoutsHaveNoTask) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> module = readTask(convTask(kConv), &context);
  ASSERT_TRUE(static_cast<bool>(module));
  mlir::Value result = module->kernel().getResult(0);
  result.setType(graph::withLayout(result.getType(), graph::BlockedAttr::get(&context, 16)));
  EXPECT_FALSE(taskOf(module->kernel(), module->settings));
}

// The measurements of a function of the user say nothing about another function of its name.
TEST(CanonicalTask, CustomOpsHaveNoTask) {
  std::string text = R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = graph.kernel %x {
    ^bb0(%a: tensor<4xf32>):
      %z = graph.custom %a {op = "d.Op", function = "f", inputNames = ["x"], parameterNames = [],
        parameterValues = [], resultTypes = ["x"], resultShapes = ["x"]} : (tensor<4xf32>) -> tensor<4xf32>
      graph.yield %z : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  })";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadTaskDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(static_cast<bool>(module));
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  EXPECT_FALSE(taskOf(*main.getOps<graph::KernelOp>().begin(), TaskSettings()));
  EXPECT_EQ(problemOf("convoy-task 1\nmath fast\nthreads 1\n" + text),
            "invalid task text: expected ops of Convoy, got a custom op, whose function is not in "
            "the text");
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
            "invalid task text: expected a function @main of one kernel on planar tensors "
            "of f32, f16, bf16, 8-bit integers, i32 or i1");
  EXPECT_NE(problemOf("convoy-task 1\nmath fast\nthreads 1\nmodule {\n").find("invalid task text"),
            std::string::npos);
}

} // namespace
} // namespace convoy::tuning
