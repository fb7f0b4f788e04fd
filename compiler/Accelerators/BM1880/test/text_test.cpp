// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the text of instructions. Every instruction of the table must round-trip without a changed
// byte. Invalid text must give an error that names the line.

#include "Accelerators/BM1880/BM1880.h"
#include "Accelerators/BM1880/Text.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/bit.h"
#include <gtest/gtest.h>
#include <random>

namespace convoy::bm1880 {
namespace {

/// Returns a value in the range of a field's type, including its limits.
int64_t randomValue(FieldType type, std::mt19937 &random) {
  uint64_t bits = (uint64_t(random()) << 32) | random();
  switch (type) {
  case FieldType::U64:
    return static_cast<int64_t>(random() % 4 == 0 ? UINT64_MAX : bits);
  case FieldType::U32:
    return random() % 4 == 0 ? UINT32_MAX : static_cast<int64_t>(bits & UINT32_MAX);
  case FieldType::I32:
    return random() % 4 == 0 ? INT32_MIN : static_cast<int32_t>(bits);
  case FieldType::F32:
    return llvm::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(bits)) / 1e3f);
  case FieldType::Bool:
    return static_cast<int64_t>(bits & 1);
  case FieldType::Method:
    return static_cast<int64_t>(bits % 5);
  }
  return 0;
}

Instruction randomInstruction(const InstructionInfo &info, std::mt19937 &random) {
  Instruction result(info, random() % 4 == 0 ? "" : "layer \"\\ \n" + std::to_string(random()));
  for (size_t i = 0; i < info.fields.size(); ++i) {
    size_t count = info.fields[i].isList ? random() % 4 : 1;
    for (size_t k = 0; k < count; ++k) {
      result.at(i).push_back(randomValue(info.fields[i].type, random));
    }
  }
  return result;
}

std::string problemOf(const std::string &text) {
  llvm::Expected<std::vector<Instruction>> list = readText(text);
  return list ? "none" : llvm::toString(list.takeError());
}

TEST(BM1880Text, KnowsAllInstructions) {
  ASSERT_EQ(instructions().size(), 31u);
  int number = 4;
  for (const InstructionInfo &info : instructions()) {
    EXPECT_EQ(info.number, number++) << info.name.str();
    EXPECT_TRUE(info.kernel.starts_with("bmnet_") && info.kernel.ends_with("_bmkernel"));
  }
  EXPECT_EQ(findInstruction("conv_p")->fields.size(), 42u);
  EXPECT_EQ(findInstruction("conv_p")->fields[40].name, "scale_right_shift_width");
  EXPECT_EQ(findInstruction("conv")->fields[40].name, "scalar_right_shift_width");
  EXPECT_EQ(findInstruction("fc")->fields.size(), 19u);
  EXPECT_EQ(findInstruction("pooling")->fields.size(), 22u);
  EXPECT_EQ(findInstruction("bm_tl_conv")->fields.size(), 30u);
  EXPECT_EQ(findInstruction("nothing"), nullptr);
}

TEST(BM1880Text, EveryInstructionGoesThereAndBack) {
  std::mt19937 random(1);
  for (const InstructionInfo &info : instructions()) {
    for (int trial = 0; trial < 20; ++trial) {
      std::string text = writeText({randomInstruction(info, random)});
      llvm::Expected<std::vector<Instruction>> back = readText(text);
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError()) << "\n" << text;
      ASSERT_EQ(back->size(), 1u);
      EXPECT_EQ(writeText(*back), text);
    }
  }
}

TEST(BM1880Text, OpsHoldInstructions) {
  mlir::MLIRContext context;
  context.loadDialect<BM1880Dialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  std::mt19937 random(2);
  for (const InstructionInfo &info : instructions()) {
    Instruction instruction = randomInstruction(info, random);
    mlir::Operation *op = toOp(instruction, builder, module->getLoc());
    EXPECT_EQ(writeText({fromOp(op)}), writeText({instruction}));
  }
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  module->getBody()->front().removeAttr("ceil_mode");
  EXPECT_TRUE(mlir::failed(mlir::verify(*module)));
  EXPECT_EQ(message,
            "'bm1880.pooling' op expects field 'ceil_mode' to be an integer, got no attribute");
}

// The exact bytes of the text.
TEST(BM1880Text, IsProtobufText) {
  Instruction relu("relu", "relu1");
  relu.setAll("bottom_gaddr", {784, kNoAddress})
      .set("negative_slope", llvm::bit_cast<uint32_t>(0.1f))
      .setAll("input_n", {1, 20, 24, -1});
  const std::string text =
      "inst {\n  name: \"relu1\"\n  type: \"bmnet_relu_fixed_forward_bmkernel\"\n"
      "  relu {\n    bottom_gaddr: 784\n    top_gaddr: 1099511627775\n"
      "    negative_slope: 0.1\n    input_n: 1\n    input_c: 20\n"
      "    input_h: 24\n    input_w: -1\n  }\n}\n\n";
  EXPECT_EQ(writeText({relu}), text);
  EXPECT_EQ(problemOf("# a comment\n\n" + text), "none");
}

TEST(BM1880Text, ErrorsNameTheLine) {
  const std::string head = "inst {\n  type: \"bmnet_relu_fixed_forward_bmkernel\"\n  relu {\n";
  EXPECT_EQ(problemOf("isnt {"), "line 1: expected 'inst {', got 'isnt {'");
  EXPECT_EQ(problemOf("inst {\n  type: \"bmnet_new_bmkernel\"\n  new {\n"),
            "line 3: expected the message of 'bmnet_new_bmkernel', got 'new {'");
  EXPECT_EQ(problemOf("inst {\n  type: \"bmnet_lrn_fixed_forward_bmkernel\"\n  relu {\n"),
            "line 3: expected the message of 'bmnet_lrn_fixed_forward_bmkernel', got 'relu {'");
  EXPECT_EQ(problemOf(head + "    bottom_gaddr: -1\n"),
            "line 4: expected a value of bottom_gaddr, got 'bottom_gaddr: -1'");
  EXPECT_EQ(problemOf(head + "    top_gaddr: 1\n"),
            "line 4: expected field 'bottom_gaddr', got 'top_gaddr: 1'");
  EXPECT_EQ(problemOf(head + "    bottom_gaddr: 0\n    top_gaddr: 1\n    negative_slope: x\n"),
            "line 6: expected a value of negative_slope, got 'negative_slope: x'");
  EXPECT_EQ(problemOf(head), "line 3: expected field 'bottom_gaddr', got the end");
  EXPECT_EQ(problemOf("inst {\n  name: open\n"),
            "line 2: expected name in quotes, got 'name: open'");
}

/// Truncated or damaged text gives an error or a different program, but never a crash.
TEST(BM1880Text, DamagedTextIsNoCrash) {
  std::mt19937 random(3);
  std::string text;
  for (const InstructionInfo &info : instructions()) {
    text += writeText({randomInstruction(info, random)});
  }
  for (int trial = 0; trial < 500; ++trial) {
    std::string damaged = text.substr(0, random() % text.size());
    damaged[random() % damaged.size()] = static_cast<char>(random());
    EXPECT_FALSE(problemOf(damaged).empty());
  }
}

} // namespace
} // namespace convoy::bm1880
