// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the words with which the templates depthwise_bytes, pool_bytes and add_bytes refuse a
// kernel, one kernel per reason.

#include "Layout/Refusals.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;

namespace {

/// The parts of a depthwise kernel that the tests replace.
struct Depthwise {
  std::string image = "1x8x6x6";
  std::string input = "i8";
  std::string taps = "3x3";
  std::string weight = "1";
  std::string bias = "5";
  std::string shift = "36";
  std::string rounding = "1";
  std::string pad = "1";
};

/// A pool or an addition of %a, or of %a and %b, and the type of its result.
struct Simple {
  std::string type = "tensor<1x8x6x6xi8>";
  std::string ops;
  std::string result = "tensor<1x8x1x1xi8>";
};

struct ByteRefusalsTest : ::testing::Test {
  ByteRefusalsTest() {
    context.loadDialect<graph::GraphDialect, kernels::KernelDialect, func::FuncDialect>();
    machine.hasByteOps = true;
  }

  /// Returns the reason of a template for the only kernel of a module.
  std::string reason(const std::string &id, const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    std::string found;
    if (module) {
      module->walk([&](graph::KernelOp kernel) {
        for (const TemplateRefusal &refusal :
             layout::refusalsOf(kernel, machine, /*isStrictMath=*/false)) {
          found = refusal.templateId == id ? refusal.reason : found;
        }
      });
    }
    return found;
  }

  std::string depthwise(const Depthwise &k) {
    std::string x = "tensor<" + k.image + "x" + k.input + ">";
    std::string w = "tensor<8x1x" + k.taps + "xi8>";
    std::string sums = "tensor<" + k.image + "xi32>", y = "tensor<" + k.image + "xi8>";
    std::string types = x + ", " + w + ", tensor<8xi32>, tensor<8xi32>, tensor<8xi32>";
    return reason(
        "depthwise_bytes",
        "func.func @main(%x: " + x + ") -> " + y + " {\n%w = graph.constant dense<" + k.weight +
            "> : " + w + "\n%b = graph.constant dense<" + k.bias +
            "> : tensor<8xi32>\n%m = graph.constant dense<1518500250> : tensor<8xi32>\n"
            "%s = graph.constant dense<" +
            k.shift + "> : tensor<8xi32>\n%0 = graph.kernel %x, %w, %b, %m, %s {\n^bb0(%a: " + x +
            ", %c: " + w + ", %d: tensor<8xi32>, %e: tensor<8xi32>, %f: tensor<8xi32>):\n" +
            "%1 = graph.integer_conv %a, %c, %d {inputZeroPoint = -1 : i64, weightZeroPoint = 0 : "
            "i64, strides = array<i64: 1, 1>, pads = array<i64: " +
            k.pad + ", " + k.pad + ", " + k.pad + ", " + k.pad +
            ">, dilations = array<i64: 1, 1>, groups = 8 : i64} : (" + x + ", " + w +
            ", tensor<8xi32>) -> " + sums +
            "\n%2 = graph.requantize %1, %e, %f {axis = 1 : i64, to = i8, inputZeroPoint = 0 : "
            "i64, zeroPoint = 0 : i64, low = 0 : i64, high = 127 : i64, rounding = " +
            k.rounding + " : i32} : (" + sums + ", tensor<8xi32>, tensor<8xi32>) -> " + y +
            "\ngraph.yield %2 : " + y + "\n} : (" + types + ") -> " + y + "\nreturn %0 : " + y +
            "\n}");
  }

  std::string simple(const std::string &id, const Simple &k) {
    return reason(id, "func.func @main(%x: " + k.type + ", %y: " + k.type + ") -> " + k.result +
                          " {\n%0 = graph.kernel %x, %y {\n^bb0(%a: " + k.type + ", %b: " + k.type +
                          "):\n" + k.ops + "} : (" + k.type + ", " + k.type + ") -> " + k.result +
                          "\nreturn %0 : " + k.result + "\n}");
  }

  std::string sumPool(const std::string &shift, const std::string &type = "tensor<1x8x6x6xi8>") {
    std::string sums = "tensor<1x8x1x1xi32>";
    return simple(
        "pool_bytes",
        {type,
         "%1 = graph.integer_sum_pool %a {ceilMode = false, dilations = array<i64: 1, 1>, "
         "inputZeroPoint = 0 : i64, kernel = array<i64: 6, 6>, pads = array<i64: 0, 0, 0, "
         "0>, strides = array<i64: 6, 6>} : (" +
             type + ") -> " + sums +
             "\n%m = graph.constant dense<1099511628> : tensor<i32>\n%s = graph.constant "
             "dense<" +
             shift +
             "> : tensor<i32>\n%2 = graph.requantize %1, %m, %s {axis = 1 : i64, high = 127 "
             ": i64, inputZeroPoint = 0 : i64, low = -128 : i64, rounding = 1 : i32, to = "
             "i8, zeroPoint = 0 : i64} : (" +
             sums + ", tensor<i32>, tensor<i32>) -> tensor<1x8x1x1xi8>\n" +
             "graph.yield %2 : tensor<1x8x1x1xi8>\n",
         "tensor<1x8x1x1xi8>"});
  }

  std::string sum(const std::string &multiplier, const std::string &type,
                  const std::string &more = "") {
    std::string yielded = more.empty() ? "%1" : "%2";
    return simple(
        "add_bytes",
        {type,
         "%1 = graph.integer_add %a, %b {high = 127 : i64, lhsMultiplier = " + multiplier +
             " : i64, lhsZeroPoint = 0 : i64, low = 0 : i64, rhsMultiplier = 9 : i64, "
             "rhsZeroPoint = 4 : i64, rounding = 1 : i32, shift = 19 : i64, to = i8, "
             "zeroPoint = 0 : i64} : (" +
             type + ", " + type + ") -> tensor<1x8x6x6xi8>\n" + more + "graph.yield " + yielded +
             " : tensor<1x8x6x6xi8>\n",
         "tensor<1x8x6x6xi8>"});
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  kernels::Machine machine;
};

TEST_F(ByteRefusalsTest, DepthwiseConvolutions) {
  EXPECT_EQ(depthwise({}), "");
  Depthwise kernel;
  kernel.input = "ui8";
  EXPECT_EQ(depthwise(kernel), "the kernel has inputs or weights that are not i8");
  kernel = {};
  kernel.taps = "5x5";
  kernel.pad = "2";
  EXPECT_EQ(depthwise(kernel), "the convolution has 5 x 5 taps, the template expects 3 x 3");
  kernel = {};
  kernel.image = "2x8x6x6";
  EXPECT_EQ(depthwise(kernel), "the template expects one image with two spatial dimensions");
  kernel = {};
  kernel.weight = "-128"; // 2 * 128 * 128 is 2^15, so the configuration is wide
  EXPECT_EQ(depthwise(kernel), "");
  kernel = {};
  kernel.shift = "31";
  EXPECT_EQ(depthwise(kernel), "the kernel shifts by 31, the template expects at least 32");
  kernel = {};
  kernel.bias = "1073741824";
  EXPECT_EQ(depthwise(kernel), "the sums of the kernel can exceed 31 bits");
  kernel = {};
  kernel.rounding = "2";
  EXPECT_EQ(depthwise(kernel), "the kernel has other ops than a convolution and a requantize that "
                               "rounds ties up to i8");
  machine.hasByteOps = false;
  EXPECT_EQ(depthwise({}),
            "the target is not a microcontroller with plain loops, the only targets with byte ops");
}

TEST_F(ByteRefusalsTest, Pools) {
  EXPECT_EQ(sumPool("37"), "");
  EXPECT_EQ(sumPool("31"), "the requantize has several multipliers, a shift below 32, or sums of "
                           "more than 31 bits");
  EXPECT_EQ(sumPool("37", "tensor<1x8x6x6xui8>"),
            "the kernel is not a sum pool of one i8 image with one requantize");
  EXPECT_EQ(simple("pool_bytes", {"tensor<1x8x6x6xi8>",
                                  "%1 = graph.unary neg %a : (tensor<1x8x6x6xi8>) -> "
                                  "tensor<1x8x6x6xi8>\ngraph.yield %1 : tensor<1x8x6x6xi8>\n",
                                  "tensor<1x8x6x6xi8>"}),
            "the kernel has no max pool and no sum pool");
  std::string both = "%1 = graph.unary neg %a : (tensor<1x8x6x6xi8>) -> tensor<1x8x6x6xi8>\n"
                     "%2, %3 = graph.max_pool %1 {kernel = array<i64: 6, 6>, strides = array<i64: "
                     "6, 6>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode "
                     "= false, columnMajor = false} : (tensor<1x8x6x6xi8>) -> (tensor<1x8x1x1xi8>, "
                     "tensor<1x8x1x1xi64>)\ngraph.yield %2 : tensor<1x8x1x1xi8>\n";
  EXPECT_EQ(simple("pool_bytes", {"tensor<1x8x6x6xi8>", both, "tensor<1x8x1x1xi8>"}),
            "the kernel is not a single max pool of one i8 image");
  machine.hasByteOps = false;
  EXPECT_EQ(sumPool("37"),
            "the target is not a microcontroller with plain loops, the only targets with byte ops");
}

TEST_F(ByteRefusalsTest, Sums) {
  EXPECT_EQ(sum("7", "tensor<1x8x6x6xi8>"), "");
  EXPECT_EQ(sum("2097152", "tensor<1x8x6x6xi8>"), "the sums of the addition can exceed 31 bits");
  EXPECT_EQ(sum("7", "tensor<1x8x6x6xui8>"),
            "the addition has operands or a result that are not i8");
  EXPECT_EQ(sum("7", "tensor<1x8x6x6xi8>",
                "%2 = graph.unary neg %1 : (tensor<1x8x6x6xi8>) -> tensor<1x8x6x6xi8>\n"),
            "the kernel is not a single addition of quantized tensors");
  machine.hasByteOps = false;
  EXPECT_EQ(sum("7", "tensor<1x8x6x6xi8>"),
            "the target is not a microcontroller with plain loops, the only targets with byte ops");
}

} // namespace
