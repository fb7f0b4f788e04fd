// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the order of the templates that refuse a kernel, and the remedies.
// compiler/Layout/test/refusals_test.cpp checks that templates word their reasons in this way.

#include "Driver/NearestTemplate.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::driver;

namespace {

KernelReport kernelWith(std::vector<TemplateRefusal> refusals) {
  CompileReport report;
  report.kernels.emplace_back();
  report.kernels.front().templateId = "loops";
  report.kernels.front().refusals = std::move(refusals);
  sortRefusals(report);
  return report.kernels.front();
}

std::string remedyOf(const std::string &reason) {
  return remedyFor(kernelWith({{"a", reason}}), "cortex-m4");
}

TEST(NearestTemplateTest, SortsByDistance) {
  KernelReport kernel = kernelWith({
      {"pool_pixels", "the kernel is not a single max pool of f32 images"},
      {"attention", "the kernel has no softmax between two products"},
      {"conv_tiles", "the target has no tile registers (AMX)"},
      {"conv_dot", "the kernel computes with floats, the template expects 8-bit integers"},
      {"conv_direct", "the convolution has 3 spatial dimensions, the template expects 1 or 2"},
      {"conv_pixels", "the convolution has negative padding"},
      {"product", "estimated slower: 12 cycles, the generic loops take 10 cycles"},
  });
  std::vector<std::string> ids;
  for (const TemplateRefusal &refusal : kernel.refusals) {
    ids.push_back(refusal.templateId);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"product", "conv_direct", "conv_pixels", "conv_dot",
                                           "conv_tiles", "pool_pixels", "attention"}));
  ASSERT_TRUE(nearestTemplate(kernel));
  EXPECT_EQ(nearestTemplate(kernel)->templateId, "product");
}

TEST(NearestTemplateTest, AReasonOfOneTemplateIsNearerThanAReasonOfSeveral) {
  const std::string constant = "the second operand of the product is computed at run time";
  KernelReport kernel = kernelWith({{"conv_direct", constant},
                                    {"conv_dot", constant},
                                    {"product", "the product does not multiply f32, f16 or bf16"}});
  ASSERT_TRUE(nearestTemplate(kernel));
  EXPECT_EQ(nearestTemplate(kernel)->templateId, "product");
  EXPECT_EQ(kernel.refusals[1].templateId, "conv_direct");
}

TEST(NearestTemplateTest, TemplatesOfOtherOpsAreNotNear) {
  KernelReport kernel = kernelWith({{"depthwise", "the kernel is not a depthwise convolution"},
                                    {"conv_direct", "the kernel is a transposed convolution"}});
  EXPECT_EQ(nearestTemplate(kernel), nullptr);
  EXPECT_EQ(nearestTemplate(kernelWith({})), nullptr);
  EXPECT_EQ(remedyFor(kernel, "host"), "none; no template computes these ops, so the generic loops "
                                       "are the only implementation");
}

TEST(NearestTemplateTest, HasOneRemedy) {
  EXPECT_EQ(remedyOf("estimated slower: 12 cycles, the generic loops take 10 cycles"),
            "none needed; `convoy tune` measures the template and the generic loops");
  EXPECT_EQ(remedyOf("the weights of the convolution are computed at run time"),
            "if the operand never changes, make it a constant with --const NAME=FILE");
  EXPECT_EQ(remedyOf("the kernel has inputs or weights that are not i8"),
            "quantize the float model with `convoy quantize --target=cortex-m4`");
  EXPECT_EQ(remedyOf("--math=strict excludes Winograd convolution"),
            "compile with --math=fast, which rounds in another way");
  EXPECT_EQ(remedyOf("the batch has 2 images, the template expects 1"),
            "compile for one image, for example with --dim batch=1");
  EXPECT_EQ(remedyOf("the convolution has negative padding"),
            "none by a flag; docs/howto/add-kernel.md adds a template");
}

} // namespace
