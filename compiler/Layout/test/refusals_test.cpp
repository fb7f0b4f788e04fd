// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the words with which templates refuse a kernel, one kernel per reason.

#include "Kernels/KernelTemplate.h"
#include "Layout/Refusals.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace convoy;

namespace {

const std::string kNoLayer = "the kernel is not a convolution or a product with a constant matrix";
const std::string kShort = "the vectors of the target are shorter than 256 bytes";
const std::string kNoWinograd =
    "the kernel is not a 3 x 3 convolution with one group, stride 1 and dilation 1";
const std::string kNoDepthwise =
    "the kernel is not a depthwise convolution with one output channel per group";
const std::string kFloats = "the kernel computes with floats, the template expects 8-bit integers";
const std::string kIntegers = "the kernel computes with integers, the template expects f32";
const std::string kNoDot = "the target has no instruction for dot products of integers";

struct RefusalsTest : ::testing::Test {
  RefusalsTest() {
    context.loadDialect<graph::GraphDialect, kernels::KernelDialect, func::FuncDialect>();
  }

  /// Returns the reasons for a kernel of one op on %a and %b. %b is a constant unless the kernel is
  /// a product of two arguments.
  std::map<std::string, std::string> reasons(const std::string &op, const std::string &a,
                                             const std::string &b, const std::string &result,
                                             bool isConstant = true) {
    std::string second = isConstant ? "%w = graph.constant dense<1> : " + b + "\n" : "";
    if (llvm::StringRef(b).contains("f32")) {
      second = isConstant ? "%w = graph.constant dense<1.0> : " + b + "\n" : "";
    }
    std::string types = " : (" + a + ", " + b + ") -> " + result + "\n";
    std::string text = "func.func @main(%x: " + a + (isConstant ? "" : ", %w: " + b) + ") -> " +
                       result + " {\n" + second + "%0 = graph.kernel %x, %w {\n^bb0(%a: " + a +
                       ", %b: " + b + "):\n%1 = " + op + types + "graph.yield %1 : " + result +
                       "\n}" + types + "return %0 : " + result + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    std::map<std::string, std::string> found;
    EXPECT_TRUE(bool(module)) << text;
    if (module) {
      module->walk([&](graph::KernelOp kernel) {
        for (const TemplateRefusal &refusal : layout::refusalsOf(kernel, machine, isStrictMath)) {
          found[refusal.templateId] = refusal.reason;
        }
      });
    }
    return found;
  }

  std::map<std::string, std::string> conv(int64_t channels, int64_t groups, int64_t size,
                                          bool isConstant = true) {
    std::string image = "tensor<1x" + std::to_string(channels) + "x8x8xf32>";
    std::string kernel = std::to_string(size);
    std::string weight = "tensor<" + std::to_string(channels) + "x" +
                         std::to_string(channels / groups) + "x" + kernel + "x" + kernel + "xf32>";
    std::string pad = std::to_string(size / 2);
    return reasons("graph.conv %a, %b {dilations = array<i64: 1, 1>, groups = " +
                       std::to_string(groups) + " : i64, pads = array<i64: " + pad + ", " + pad +
                       ", " + pad + ", " + pad + ">, strides = array<i64: 1, 1>}",
                   image, weight, image, isConstant);
  }

  std::map<std::string, std::string> integerConv(const std::string &weightZeroPoint = "0") {
    return reasons("graph.integer_conv %a, %b {inputZeroPoint = 0 : i64, weightZeroPoint = " +
                       weightZeroPoint +
                       " : i64, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, "
                       "dilations = array<i64: 1, 1>, groups = 1 : i64}",
                   "tensor<1x64x8x8xui8>", "tensor<64x64x3x3xi8>", "tensor<1x64x8x8xi32>");
  }

  /// The parts of a kernel of an integer convolution and a requantize op.
  struct Bytes {
    std::string input = "1x8x6x6xi8", weight = "8x8x1x1xi8", result = "1x8x6x6";
    std::string bias = "7", shift = "35", groups = "1", zeroPoint = "0", pad = "0", to = "i8";
    std::string last; // ops after %2, the requantized sums
    std::string lastType;
  };

  /// Returns the reason of conv_bytes for a kernel on bytes.
  std::string bytes(const Bytes &k) {
    std::string result = k.lastType.empty() ? "tensor<" + k.result + "x" + k.to + ">" : k.lastType;
    std::string text =
        "func.func @main(%x: tensor<" + k.input + ">, %z: tensor<1x8x6x6xi8>) -> " + result +
        " {\n%w = graph.constant dense<1> : tensor<" + k.weight + ">\n%b = graph.constant dense<" +
        k.bias +
        "> : tensor<8xi32>\n%m = graph.constant dense<1518500250> : tensor<8xi32>\n"
        "%s = graph.constant dense<" +
        k.shift +
        "> : tensor<8xi32>\n%0 = graph.kernel %x, %w, %b, %m, %s, %z {\n^bb0(%a: tensor<" +
        k.input + ">, %c: tensor<" + k.weight +
        ">, %d: tensor<8xi32>, %e: tensor<8xi32>, %f: tensor<8xi32>, %g: tensor<1x8x6x6xi8>):\n"
        "%1 = graph.integer_conv %a, %c, %d {inputZeroPoint = 0 : i64, weightZeroPoint = " +
        k.zeroPoint + " : i64, strides = array<i64: 1, 1>, pads = array<i64: " + k.pad + ", " +
        k.pad + ", " + k.pad + ", " + k.pad +
        ">, dilations = array<i64: 1, 1>, groups = " + k.groups + " : i64} : (tensor<" + k.input +
        ">, tensor<" + k.weight + ">, tensor<8xi32>) -> tensor<" + k.result +
        "xi32>\n%2 = graph.requantize %1, %e, %f {axis = 1 : i64, to = " + k.to +
        ", inputZeroPoint = 0 : i64, zeroPoint = 0 : i64, low = 0 : i64, high = 127 : i64, "
        "rounding = 1 : i32} : (tensor<" +
        k.result + "xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<" + k.result + "x" + k.to +
        ">\n" + k.last + "graph.yield " + (k.last.empty() ? "%2" : "%3") + " : " + result +
        "\n} : (tensor<" + k.input + ">, tensor<" + k.weight +
        ">, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<1x8x6x6xi8>) -> " + result +
        "\nreturn %0 : " + result + "\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << text;
    std::string reason;
    if (module) {
      module->walk([&](graph::KernelOp kernel) {
        for (const TemplateRefusal &refusal : layout::refusalsOf(kernel, machine, isStrictMath)) {
          reason = refusal.templateId == "conv_bytes" ? refusal.reason : reason;
        }
      });
    }
    return reason;
  }

  Bytes pooled(const std::string &numbers, const std::string &size = "3x3") {
    Bytes kernel;
    kernel.lastType = "tensor<1x8x" + size + "xi8>";
    kernel.last = "%3, %4 = graph.max_pool %2 {" + numbers +
                  ", columnMajor = false} : (tensor<1x8x6x6xi8>) -> (" + kernel.lastType +
                  ", tensor<1x8x" + size + "xi64>)\n";
    return kernel;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  kernels::Machine machine; // vectors of 8 floats
  bool isStrictMath = false;
};

TEST_F(RefusalsTest, KernelsWithoutAConvolution) {
  std::string type = "tensor<4x8xf32>";
  auto found = reasons("graph.binary add %a, %b", type, type, type, /*isConstant=*/false);
  ASSERT_EQ(found.size(), kernels::templates().size());
  EXPECT_EQ(found["conv_direct"], kNoLayer);
  EXPECT_EQ(found["winograd_pixels"], kNoLayer);
  EXPECT_EQ(found["attention"], kNoLayer);
  EXPECT_EQ(found["pool_pixels"], "the kernel is not a single max pool of f32 images");
}

TEST_F(RefusalsTest, OperandsThatAreComputedAtRunTime) {
  std::string type = "tensor<8x8xf32>", batch = "tensor<2x8x8xf32>";
  EXPECT_EQ(reasons("graph.matmul %a, %b", type, type, type, false)["conv_direct"],
            "the second operand of the product is computed at run time");
  EXPECT_EQ(reasons("graph.matmul %a, %b", batch, batch, batch, false)["conv_direct"],
            "the second operand of the product is computed at run time");
  EXPECT_EQ(reasons("graph.matmul %a, %b", batch, batch, batch)["conv_direct"],
            "the operands of the product have 3 and 3 dimensions, the template expects two "
            "matrices");
  EXPECT_EQ(conv(16, 1, 3, /*isConstant=*/false)["conv_direct"],
            "the weights of the convolution are computed at run time");
}

TEST_F(RefusalsTest, ProductsOfComputedMatrices) {
  std::string type = "tensor<8x8xf32>", batch = "tensor<2x8x8xf32>", wide = "tensor<8x8xf64>";
  auto product = [&](const std::string &type, bool isConstant) {
    return reasons("graph.matmul %a, %b", type, type, type, isConstant);
  };
  EXPECT_EQ(product(type, false).count("product"), 0U);
  EXPECT_EQ(product(batch, true).count("product"), 0U);
  EXPECT_EQ(product(type, true)["product"], "the second operand of the product is a constant "
                                            "matrix, which conv_direct packs at compile time");
  EXPECT_EQ(product(wide, false)["product"], "the product does not multiply f32, f16 or bf16");
  EXPECT_EQ(conv(16, 1, 3)["product"], "the kernel is not a product of matrices");
  EXPECT_EQ(reasons("graph.matmul %a, %b", "tensor<2x65537xf32>", "tensor<65537x2xf32>",
                    "tensor<2x2xf32>", false)["product"],
            "the product sums 65537 elements, the template expects at most 65536");
}

TEST_F(RefusalsTest, GroupsThatAreNoWholeBlocks) {
  EXPECT_EQ(conv(12, 3, 3).count("conv_direct"), 0U);
  EXPECT_EQ(conv(12, 12, 3)["conv_direct"],
            "a group has 1 input and 1 output channels, the template expects multiples of 8");
  isStrictMath = true;
  auto found = conv(12, 3, 3);
  EXPECT_EQ(found["conv_direct"], "a group has 4 input and 4 output channels, the template expects "
                                  "multiples of 8 with strict math");
  EXPECT_EQ(found["depthwise"], kNoDepthwise);
  EXPECT_EQ(found["attention"], "the kernel has no softmax between two products");
  EXPECT_EQ(found["winograd"], kNoWinograd);
  EXPECT_EQ(found["conv_dot"], kFloats);
  EXPECT_EQ(found["conv_pixels"], kShort);
  machine.vectorBytes = 1024;
  EXPECT_EQ(conv(12, 3, 3)["conv_pixels"],
            "the kernel has groups, is a product of matrices or has a single pixel");
}

TEST_F(RefusalsTest, VectorsOfOneLane) {
  EXPECT_EQ(conv(16, 16, 3).count("depthwise"), 0U);
  machine.vectorBytes = 4;
  EXPECT_EQ(conv(16, 16, 3)["depthwise"], "the vectors of the target have one lane");
}

TEST_F(RefusalsTest, TemplatesThatAreCandidatesDoNotRefuse) {
  auto found = conv(16, 1, 3);
  EXPECT_EQ(found.count("conv_direct"), 0U);
  EXPECT_EQ(found.count("winograd"), 0U);
  EXPECT_EQ(found["winograd_pixels"], kShort);
}

TEST_F(RefusalsTest, Winograd) {
  EXPECT_EQ(conv(16, 1, 1)["winograd"], kNoWinograd);
  EXPECT_EQ(conv(2, 1, 3)["winograd"],
            "the convolution has 2 input channels, the template expects at least 4");
  isStrictMath = true;
  EXPECT_EQ(conv(16, 1, 3)["winograd"], "--math=strict excludes Winograd convolution");
}

TEST_F(RefusalsTest, Integers) {
  auto found = integerConv();
  EXPECT_EQ(found["conv_direct"], kIntegers);
  EXPECT_EQ(found["conv_dot"], kNoDot);
  machine.dot = kernels::DotForm::Bytes;
  EXPECT_EQ(integerConv()["conv_tiles"], "the target has no tile registers (AMX)");
  EXPECT_EQ(integerConv().count("conv_dot"), 0U);
  EXPECT_EQ(integerConv("3").count("conv_dot"), 0U);
}

TEST_F(RefusalsTest, Bytes) {
  EXPECT_EQ(bytes({}),
            "the target is not a microcontroller with plain loops, the only targets with "
            "byte ops");
  machine.hasByteOps = true;
  EXPECT_EQ(bytes({}), "");
  EXPECT_EQ(conv(16, 1, 3)["conv_bytes"], kFloats);
  Bytes kernel;
  kernel.input = "1x8x6x6xui8";
  EXPECT_EQ(bytes(kernel), "the kernel has inputs or weights that are not i8");
  kernel = {};
  kernel.zeroPoint = "3";
  EXPECT_EQ(bytes(kernel), "") << "the input sums correct the zero point";
  kernel = {};
  kernel.groups = "8";
  kernel.weight = "8x1x1x1xi8";
  EXPECT_EQ(bytes(kernel), "the convolution has 8 groups, the template expects 1");
  kernel = {};
  kernel.input = "2x8x6x6xi8";
  kernel.result = "2x8x6x6";
  EXPECT_EQ(bytes(kernel), "the batch has 2 images, the template expects 1");
  kernel = {};
  kernel.shift = "31";
  EXPECT_EQ(bytes(kernel), "the kernel shifts by 31, the template expects at least 32");
  kernel = {};
  kernel.bias = "1073741952"; // of dead channels in a network of MLPerf Tiny
  EXPECT_EQ(bytes(kernel), "");
  kernel.bias = "2147483647";
  EXPECT_EQ(bytes(kernel), "the sums of the kernel can exceed 31 bits");
  kernel = {};
  kernel.to = "ui8";
  EXPECT_EQ(bytes(kernel), "the kernel has sums that are not i32, or a result that is not i8");
  kernel = {};
  kernel.last = "%3 = graph.unary neg %2 : (tensor<1x8x6x6xi8>) -> tensor<1x8x6x6xi8>\n";
  EXPECT_EQ(bytes(kernel), "the kernel has other ops than a convolution or product, one requantize "
                           "and a max pool or sum");
}

TEST_F(RefusalsTest, BytesBeforeAPoolOrASum) {
  machine.hasByteOps = true;
  EXPECT_EQ(bytes(pooled("kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: "
                         "0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false")),
            "");
  EXPECT_EQ(bytes(pooled("kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: "
                         "0, 0, 1, 1>, dilations = array<i64: 1, 1>, ceilMode = false")),
            "the max pool has padding or dilations");
  EXPECT_EQ(bytes(pooled("kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: "
                         "0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = true")),
            "the windows of the max pool overlap, so sums would be computed twice");
  EXPECT_EQ(bytes(pooled("kernel = array<i64: 2, 1>, strides = array<i64: 2, 2>, pads = array<i64: "
                         "0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false")),
            "");
  EXPECT_EQ(bytes(pooled("kernel = array<i64: 4, 4>, strides = array<i64: 4, 4>, pads = array<i64: "
                         "0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = true",
                         "2x2")),
            "the last window of the max pool is not complete");
  Bytes large = pooled("kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: "
                       "0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceilMode = false");
  large.input = "1x600x6x6xi8";
  large.weight = "8x600x1x1xi8";
  EXPECT_EQ(bytes(large),
            "a window of the max pool reads 2400 bytes, the template expects at most 2048");
  auto sum = [&](const std::string &multiplier) {
    Bytes kernel;
    kernel.last =
        "%3 = graph.integer_add %2, %g {to = i8, lhsZeroPoint = 0 : i64, rhsZeroPoint = 0 "
        ": i64, lhsMultiplier = " +
        multiplier +
        " : i64, rhsMultiplier = 5 : i64, shift = 20 : i64, zeroPoint = 0 : i64, low = 0 "
        ": i64, high = 127 : i64, rounding = 1 : i32} : (tensor<1x8x6x6xi8>, "
        "tensor<1x8x6x6xi8>) -> tensor<1x8x6x6xi8>\n";
    return bytes(kernel);
  };
  EXPECT_EQ(sum("2097151"), "");
  EXPECT_EQ(sum("2097152"), "the sum does not fit in 32 bits");
}

} // namespace
