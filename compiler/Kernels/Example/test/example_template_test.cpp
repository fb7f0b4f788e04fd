// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the example template from the choice of a configuration to the result. This program links a
// table of templates that contains it.

#include "Kernels/KernelTemplate.h"
#include "Layout/Candidates.h"
#include "Layout/Spaces.h"
#include "Pipeline/RunStages.h"
#include "mlir/Parser/Parser.h"
#include "reference/Reference.h"
#include "tests/differential/Differential.h"
#include <gtest/gtest.h>
#include <regex>

using namespace mlir;

namespace convoy {
namespace {

class ExampleTemplate : public testing::Test {
protected:
  ExampleTemplate() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<func::FuncDialect, graph::GraphDialect, kernels::KernelDialect>();
  }

  /// Returns a module that computes relu(x) * y on vectors of a length.
  OwningOpRef<ModuleOp> product(int64_t length) {
    std::string text = R"(
      func.func @main(%x: VECTOR {graph.name = "x"}, %y: VECTOR {graph.name = "y"})
          -> (VECTOR {graph.name = "z"}) {
        %0 = graph.unary relu %x : (VECTOR) -> VECTOR
        %1 = graph.binary mul %0, %y : (VECTOR, VECTOR) -> VECTOR
        return %1 : VECTOR
      })";
    std::string type = "tensor<" + std::to_string(length) + "xf32>";
    text = std::regex_replace(text, std::regex("VECTOR"), type);
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Returns the only kernel of the module after a stage.
  static graph::KernelOp kernelAfter(ModuleOp module, llvm::StringRef stage) {
    graph::KernelOp found;
    if (succeeded(runStages(module, {}, "", stage))) {
      module.walk([&](graph::KernelOp kernel) { found = kernel; });
    }
    return found;
  }

  MLIRContext context;
};

TEST_F(ExampleTemplate, IsInTheTableOfThisProgram) {
  const kernels::KernelTemplate *last = kernels::templates().back();
  EXPECT_EQ(last->id(), "example");
  EXPECT_EQ(layout::templateVersions().back().id, "example");
}

TEST_F(ExampleTemplate, RunsTheKernelThatItIsChosenFor) {
  OwningOpRef<ModuleOp> module = product(256);
  ASSERT_TRUE(module);
  OwningOpRef<ModuleOp> laidOut = module->clone();
  graph::KernelOp kernel = kernelAfter(*laidOut, "layout");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernels::layoutText(kernel.getConfigAttr()), "#kernel.example<lanes = 8, unroll = 4>");

  Tensor x(ElementType::F32, {256}), y(ElementType::F32, {256});
  for (int64_t i = 0; i < 256; ++i) {
    x.mutableData<float>()[i] = static_cast<float>(i - 128);
    y.mutableData<float>()[i] = 0.5F;
  }
  std::vector<Tensor> outputs;
  ASSERT_EQ(test::runOnHost(*module, {x, y}, outputs), "");
  for (int64_t i = 0; i < 256; ++i) {
    EXPECT_EQ(outputs[0].data<float>()[i], i < 128 ? 0 : static_cast<float>(i - 128) / 2);
  }
  EXPECT_EQ(test::whyThreadsDiffer(*module, {x, y}, /*threads=*/3), "");
}

TEST_F(ExampleTemplate, SaysWhyItRefusesAKernel) {
  OwningOpRef<ModuleOp> module = product(250);
  ASSERT_TRUE(module);
  graph::KernelOp kernel = kernelAfter(*module, "fusion");
  ASSERT_TRUE(kernel);
  kernels::KernelFacts facts(kernel, /*isStrictMath=*/false);
  EXPECT_EQ(kernels::templates().back()->whyNoCandidate(facts, kernels::Machine()),
            "250 elements are not a multiple of lanes x unroll = 32");
}

TEST_F(ExampleTemplate, GivesTheTunerItsKnob) {
  OwningOpRef<ModuleOp> module = product(256);
  ASSERT_TRUE(module);
  graph::KernelOp kernel = kernelAfter(*module, "fusion");
  ASSERT_TRUE(kernel);
  bool isFound = false;
  for (const layout::LayoutSpace &own :
       layout::spacesOf(kernel, kernels::Machine(), /*isStrictMath=*/false)) {
    if (own.space.templateId == "example") {
      isFound = true;
      EXPECT_EQ(own.space.size(), 4);
      EXPECT_EQ(own.space.whyNot({8}), "");
      EXPECT_EQ(own.space.whyNot({64}),
                "the number of elements is not a multiple of lanes x unroll");
    }
  }
  EXPECT_TRUE(isFound);
}

} // namespace
} // namespace convoy
