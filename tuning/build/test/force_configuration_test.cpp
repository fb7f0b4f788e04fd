// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the error for each way in which a configuration may not fit a task.

#include "Layout/Spaces.h"
#include "mlir/IR/Verifier.h"
#include "tuning/build/ForceConfiguration.h"
#include "tuning/space/test/TestKernels.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

using test::ConvShape;

constexpr char kBlocked[] = "#graph.blocked<c = 16>";
constexpr ConvShape kConv = {64, 14, 64, 3, 1};
constexpr ConvShape kPointwise = {64, 14, 64, 1, 1};

std::string direct(const std::string &vectors = "2", const std::string &depth = "64",
                   const std::string &columns = "0") {
  return "#kernel.conv_direct<block = 16, vectors = " + vectors + ", pixels = 7, depth = " + depth +
         ", unroll = 4, columns = " + columns +
         ", rows = 1, panels = 1, fetch = 0, fetchResult = false>";
}

/// A product of a matrix of 48 rows.
constexpr char kProduct[] = R"(
  func.func @main(%x: tensor<48x64xf32>, %w: tensor<64x32xf32> {graph.weight}) -> tensor<48x32xf32> {
    %0 = graph.kernel %x, %w {
    ^bb0(%i: tensor<48x64xf32>, %j: tensor<64x32xf32>):
      %1 = graph.matmul %i, %j : (tensor<48x64xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
      graph.yield %1 : tensor<48x32xf32>
    } : (tensor<48x64xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
    return %0 : tensor<48x32xf32>
  }
)";

std::string problemOf(const Task &raw, const Configuration &configuration) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> task = readTask(raw, &context);
  if (!task) {
    return llvm::toString(task.takeError());
  }
  return llvm::toString(forceConfiguration(task->kernel(), configuration));
}

std::string problemOf(const ConvShape &shape, const Configuration &configuration) {
  return problemOf(test::convTask(shape), configuration);
}

int versionOf(llvm::StringRef id) {
  std::vector<layout::TemplateVersion> versions = layout::templateVersions();
  auto known =
      llvm::find_if(versions, [&](const layout::TemplateVersion &one) { return one.id == id; });
  return known->version;
}

TEST(ForceConfiguration, GivesTheFunctionTheKernelsLayouts) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  llvm::Expected<TaskModule> task = readTask(test::convTask(kConv), &context);
  ASSERT_TRUE(static_cast<bool>(task));
  llvm::Error error =
      forceConfiguration(task->kernel(), {"conv_direct", 1, direct(), kBlocked, kBlocked});
  ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  mlir::Attribute blocked = graph::BlockedAttr::get(&context, 16);
  EXPECT_EQ(graph::layoutOf(task->main().getArgumentTypes()[0]), blocked);
  EXPECT_EQ(graph::layoutOf(task->main().getResultTypes()[0]), blocked);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*task->module)));
}

TEST(ForceConfiguration, ReadsText) {
  EXPECT_NE(problemOf(kConv, {"conv_direct", 1, "#kernel.conv_direct<", kBlocked, kBlocked})
                .find("configuration '#kernel.conv_direct<' cannot be read: "),
            std::string::npos);
  EXPECT_NE(problemOf(kConv, {"conv_direct", 1, direct("0"), kBlocked, kBlocked})
                .find("expects vectors from 1 to 1048576, got 0"),
            std::string::npos);
  EXPECT_NE(problemOf(kConv, {"conv_direct", 1, direct(), "#graph.blocked<", kBlocked})
                .find("input layout '#graph.blocked<' cannot be read: "),
            std::string::npos);
  EXPECT_EQ(problemOf(kConv, {"conv_direct", 1, direct(), "3 : i64", kBlocked}),
            "input layout '3 : i64' is neither #graph.blocked nor planar");
}

TEST(ForceConfiguration, WantsTheRightTemplate) {
  EXPECT_EQ(problemOf(kConv, {"winograd", 1, direct(), kBlocked, kBlocked}),
            "configuration '" + direct() + "' does not belong to template 'winograd'");
  EXPECT_EQ(problemOf(kConv, {"conv_direct", 99, direct(), kBlocked, kBlocked}),
            "configuration '" + direct() +
                "' has version 99 of template 'conv_direct', whose current version is 1; measure "
                "it again");
}

TEST(ForceConfiguration, SaysWhatDoesNotFit) {
  auto cannot = [](const std::string &config, const std::string &reason) {
    return "the kernel cannot run as " + config + ": " + reason;
  };
  EXPECT_EQ(problemOf(kConv, {"conv_direct", 1, direct(), kBlocked, "planar"}),
            "configuration '" + direct() + "' produces the result in layout " + kBlocked +
                ", expected planar");
  EXPECT_EQ(problemOf(kConv, {"conv_direct", 1, direct(), "#graph.blocked<c = 8>", kBlocked}),
            cannot(direct(),
                   "the template expects its input as #graph.blocked<c = 16> or planar, got "
                   "#graph.blocked<c = 8>"));
  EXPECT_EQ(
      problemOf(kConv, {"conv_direct", 1, direct("8"), kBlocked, kBlocked}),
      cannot(direct("8"),
             "the kernel has 4 blocks of output channels, which tiles of 8 blocks do not fit"));
  EXPECT_EQ(problemOf(kConv, {"conv_direct", 1, direct("2", "20"), kBlocked, kBlocked}),
            cannot(direct("2", "20"), "depth is not a multiple of a block of 16 input channels"));
  EXPECT_EQ(problemOf(kPointwise, {"conv_direct", 1, direct("2", "64", "21"), kBlocked, kBlocked}),
            cannot(direct("2", "64", "21"), "rows of 14 pixels cannot be joined to columns = 21"));
  Task product = test::taskFrom(kProduct);
  EXPECT_EQ(problemOf(product, {"conv_direct", 1, direct("2", "64", "16"), "planar", kBlocked}),
            "");
  EXPECT_EQ(problemOf(product, {"conv_direct", 1, direct("2", "64", "20"), "planar", kBlocked}),
            cannot(direct("2", "64", "20"),
                   "a matrix of 48 rows cannot be split into parts of columns = 20"));
  // Groups that are not whole blocks are computed as one.
  EXPECT_EQ(problemOf({64, 14, 64, 3, 1, 8}, {"conv_direct", 1, direct(), kBlocked, kBlocked}), "");
  EXPECT_EQ(problemOf(kConv, {"loops", 1, "", kBlocked, kBlocked}),
            cannot("generic loops",
                   "the generic loops do not support the input layout #graph.blocked<c = 16>"));
  std::string depthwise = "#kernel.depthwise<block = 16, pixels = 4, held = 0, rows = 1>";
  EXPECT_EQ(problemOf(kConv, {"depthwise", 1, depthwise, kBlocked, kBlocked}),
            cannot(depthwise,
                   "the kernel is not a depthwise convolution with one output channel per group"));
  EXPECT_EQ(
      problemOf({64, 14, 64, 3, 1, 64}, {"depthwise", 1, depthwise, "planar", kBlocked}),
      cannot(depthwise, "the template expects its input as #graph.blocked<c = 16>, got planar"));
  std::string winograd = "#kernel.winograd<block = 16, tile = 4, vectors = 2, pixels = 14, groups "
                         "= 2, panels = 1, depth = 64, unroll = 16>";
  EXPECT_EQ(
      problemOf(kPointwise, {"winograd", versionOf("winograd"), winograd, kBlocked, kBlocked}),
      cannot(
          winograd,
          "the kernel is not a 3 x 3 convolution at stride 1, or the tile size is not supported"));
  std::string pixels = "#kernel.conv_pixels<lanes = 64, channels = 4, rows = 99, unroll = 1>";
  EXPECT_EQ(problemOf(kConv, {"conv_pixels", versionOf("conv_pixels"), pixels, "planar", "planar"}),
            cannot(pixels,
                   "the layer cannot be split into bands of rows = 99 with lanes = 64 per vector"));
  EXPECT_EQ(
      problemOf({64, 14, 64, 3, 1, 8},
                {"conv_pixels", versionOf("conv_pixels"), pixels, "planar", "planar"}),
      cannot(pixels, "the kernel has groups, is a product of matrices or has a single pixel"));
  std::string pool = "#kernel.pool_pixels<lanes = 64, rows = 1>";
  EXPECT_EQ(problemOf(kConv, {"pool_pixels", versionOf("pool_pixels"), pool, "planar", "planar"}),
            cannot(pool, "the kernel is not a single max pool of f32 images"));
}

} // namespace
} // namespace convoy::tuning
