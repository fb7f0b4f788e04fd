// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the BM1880 through the accelerator interface: results computed by hand, limits at their
// maximum, reasons for unsupported layers, use of local memory, and damaged programs.

#include "Accelerators/BM1880/LowerRegion.h"
#include "Accelerators/BM1880/Text.h"
#include "Accelerators/BM1880/Timing.h"
#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "convoy/convoy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy::accelerators {
namespace {

class BM1880Device : public ::testing::Test {
protected:
  BM1880Device() {
    context.loadDialect<graph::GraphDialect, convcore::ConvCoreDialect, func::FuncDialect>();
    device = std::move(*findAccelerator("bm1880"));
  }

  func::FuncOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return *module->getOps<func::FuncOp>().begin();
  }

  std::string reasonOf(const std::string &text) {
    func::FuncOp function = parse(text);
    Operation *op = function.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    std::optional<Refusal> refusal = whyNot(*device, op);
    return refusal ? refusal->reason : "taken";
  }

  std::vector<int64_t> run(const std::string &text, const std::vector<int64_t> &input) {
    func::FuncOp function = parse(text);
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[0]);
    Tensor tensor(ElementType::I8, type.getShape());
    for (size_t i = 0; i < input.size(); ++i) {
      tensor.setInt(static_cast<int64_t>(i), input[i]);
    }
    auto results = runOnDevice(function, *device, {tensor});
    auto expected = reference::run(function, {reference::Datum(tensor)});
    EXPECT_TRUE(succeeded(results) && succeeded(expected));
    Shape values = results->front().ints();
    EXPECT_EQ(values, expected->front().tensor.ints());
    return {values.begin(), values.end()};
  }

  std::vector<bm1880::Instruction> instructionsOf(const std::string &text) {
    func::FuncOp function = parse(text);
    FailureOr<Program> program =
        device->lower(function, DependenceGraph(function.getBody().front()));
    EXPECT_TRUE(succeeded(program));
    commands = program->commands;
    auto parts = bm1880::splitCommands(commands);
    EXPECT_TRUE(bool(parts));
    sizes = *parts;
    auto list = bm1880::readText(parts->text);
    EXPECT_TRUE(bool(list));
    return *list;
  }

  static std::string namesOf(const std::vector<bm1880::Instruction> &list) {
    std::string names;
    for (const bm1880::Instruction &i : list) {
      names += (names.empty() ? "" : " ") + i.name().str();
    }
    return names;
  }

  MLIRContext context;
  std::unique_ptr<Accelerator> device;
  OwningOpRef<ModuleOp> module;
  std::vector<uint8_t> commands;
  bm1880::Commands sizes;
};

std::string requant(const std::string &numbers = "multipliers = [1], shifts = [1]",
                    const std::string &low = "-128") {
  return "requant = #convcore.requant<i8, " + numbers + ", zeroPoint = 0, low = " + low +
         ", high = 127, rounding = half_up>";
}

struct ConvText {
  std::string input = "1x1x3x3", weights = "1x1x2x2", result = "1x1x2x2";
  std::string weight = "1", bias = "", strides = "1, 1", pads = "0, 0, 0, 0", dilations = "1, 1";
  std::string groups = "1", rescale = requant(), extra = "";

  std::string str() const {
    std::string in = "tensor<" + input + "xi8>";
    std::string kernel = "tensor<" + weights + "xi8>";
    std::string out = "tensor<" + result + "xi8>";
    std::string outputs = weights.substr(0, weights.find('x'));
    std::string biasType = "tensor<" + outputs + "xi32>";
    std::string text = "func.func @f(%x: " + in + ") -> " + out +
                       " {\n  %w = graph.constant dense<" + weight + "> : " + kernel + "\n";
    if (!bias.empty()) {
      text += "  %b = graph.constant dense<" + bias + "> : " + biasType + "\n";
    }
    return text + "  %y = convcore.conv %x, %w" + (bias.empty() ? "" : ", %b") +
           " {strides = array<i64: " + strides + ">, pads = array<i64: " + pads +
           ">, dilations = array<i64: " + dilations + ">, groups = " + groups + " : i64, " + extra +
           rescale + "} : (" + in + ", " + kernel + (bias.empty() ? "" : ", " + biasType) +
           ") -> " + out + "\n  return %y : " + out + "\n}";
  }
};

TEST_F(BM1880Device, ShiftsRoundHalfUpAndSaturate) {
  ConvText conv;
  conv.weights = conv.result = conv.input = "1x1x1x1";
  // 3 / 2 and -3 / 2: ties round up.
  EXPECT_EQ(run(conv.str(), {3}), std::vector<int64_t>{2});
  EXPECT_EQ(run(conv.str(), {-3}), std::vector<int64_t>{-1});
  conv.weight = "100";
  EXPECT_EQ(run(conv.str(), {100}), std::vector<int64_t>{127});
  EXPECT_EQ(run(conv.str(), {-100}), std::vector<int64_t>{-128});
  conv.rescale = requant("multipliers = [128], shifts = [12]", "0"); // a shift by 5, and relu
  conv.bias = "-32768";
  EXPECT_EQ(run(conv.str(), {-1}), std::vector<int64_t>{0});
  conv.bias = "32767";
  EXPECT_EQ(run(conv.str(), {-128}), std::vector<int64_t>{127}); // 19967 / 32 saturates
  conv.rescale = requant("multipliers = [1], shifts = [10]");
  EXPECT_EQ(run(conv.str(), {-128}), std::vector<int64_t>{19}); // 19967 / 1024 = 19.499
}

// Pads 0 and 1, as TensorFlow uses them, for one group and for depthwise.
TEST_F(BM1880Device, PadsMayDiffer) {
  ConvText conv;
  conv.input = "1x1x4x4";
  conv.weights = "1x1x3x3";
  conv.weight = "[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]";
  conv.strides = "2, 2";
  conv.pads = "0, 0, 1, 1";
  std::vector<int64_t> input = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  conv.rescale = requant("multipliers = [1], shifts = [2]");
  EXPECT_EQ(run(conv.str(), input), (std::vector<int64_t>{87, 63, 69, 44}));
  conv.input = conv.result = "2x1x4x4"; // two images, so the kernel reads global memory
  conv.result = "2x1x2x2";
  input.resize(32, 1);
  std::vector<bm1880::Instruction> list = instructionsOf(conv.str());
  ASSERT_EQ(namesOf(list), "conv_p");
  EXPECT_EQ(list[0].get("pad_h"), 1);
  EXPECT_EQ(list[0].get("kh"), 4); // one more row, of zeros
  EXPECT_EQ(run(conv.str(), input)[0], 87);
}

TEST_F(BM1880Device, LimitsHoldAtTheirMostAndRefuseOneMore) {
  ConvText conv;
  conv.weights = "1x1x1x1";
  conv.result = "1x1x1x1";
  conv.strides = "255, 255";
  EXPECT_EQ(reasonOf(conv.str()), "taken");
  EXPECT_EQ(run(conv.str(), {9, 0, 0, 0, 0, 0, 0, 0, 0}), std::vector<int64_t>{5});
  conv.strides = "256, 1";
  conv.result = "1x1x1x3";
  EXPECT_EQ(reasonOf(conv.str()),
            "stride along the height of conv is 256; the device supports at most 255");
  ConvText padded;
  padded.weights = "1x1x1x1";
  padded.pads = "255, 0, 255, 0";
  padded.result = "1x1x513x3";
  EXPECT_EQ(reasonOf(padded.str()), "taken");
  padded.pads = "256, 0, 0, 0";
  padded.result = "1x1x259x3";
  EXPECT_EQ(reasonOf(padded.str()), "padding of conv is 256; the device supports at most 255");
  ConvText biased;
  biased.bias = "32768";
  EXPECT_EQ(reasonOf(biased.str()), "bias 32768 of channel 0 has more than 16 bits");
  biased.bias = "-32768";
  EXPECT_EQ(reasonOf(biased.str()), "taken");
}

TEST_F(BM1880Device, SaysWhatItLacks) {
  ConvText conv;
  conv.rescale = requant("multipliers = [3], shifts = [4]");
  EXPECT_EQ(reasonOf(conv.str()),
            "the requantization needs a multiplier of 3; the chip supports only a shift");
  conv.rescale = requant("multipliers = [4], shifts = [35]");
  EXPECT_EQ(reasonOf(conv.str()),
            "the chip supports only one shift for all channels, round half up and relu");
  conv.rescale = requant("multipliers = [4], shifts = [33]");
  EXPECT_EQ(reasonOf(conv.str()), "taken");
  conv.rescale = requant("multipliers = [1], shifts = [1]", "-3");
  EXPECT_EQ(reasonOf(conv.str()),
            "the chip supports only one shift for all channels, round half up and relu");
  conv = ConvText();
  conv.extra = "inputZeroPoint = 3 : i64, ";
  EXPECT_EQ(reasonOf(conv.str()),
            "magnitude of the input's zero point of conv is 3; the device supports at most 0");
  conv = ConvText();
  conv.dilations = "2, 2";
  conv.pads = "0, 0, 1, 1";
  EXPECT_EQ(reasonOf(conv.str()),
            "the pads of two sides do not differ by a multiple of the dilation");
}

std::string eltwise(const std::string &numbers, const std::string &kind) {
  return "func.func @f(%x: tensor<1x4xi8>) -> tensor<1x4xi8> {\n  %y = convcore.eltwise %x, %x "
         "{kind = " +
         kind + " : i32, " + numbers +
         "} : (tensor<1x4xi8>, tensor<1x4xi8>) -> tensor<1x4xi8>\n"
         "  return %y : tensor<1x4xi8>\n}";
}

TEST_F(BM1880Device, MultipliersHaveEightBits) {
  std::string most = "lhsMultiplier = 255 : i64, rhsMultiplier = 1 : i64, " +
                     requant("multipliers = [1], shifts = [8]");
  EXPECT_EQ(run(eltwise(most, "0"), {1, -1, 100, -128}), (std::vector<int64_t>{1, -1, 100, -128}));
  std::string more = "lhsMultiplier = 257 : i64, rhsMultiplier = 1 : i64, " + requant();
  EXPECT_EQ(reasonOf(eltwise(more, "0")),
            "the multipliers of the two operands are not both in [0, 255]");
  // In lowest terms, 512 and 2 over 16 are 256 and 1 over 8, which still exceed the limit.
  std::string even = "lhsMultiplier = 508 : i64, rhsMultiplier = 2 : i64, " +
                     requant("multipliers = [1], shifts = [9]");
  EXPECT_EQ(reasonOf(eltwise(even, "0")), "taken");
  EXPECT_EQ(reasonOf(eltwise(requant(), "1")), // a - b
            "the multipliers of the two operands are not both in [0, 255]");
  EXPECT_EQ(run(eltwise(requant("multipliers = [3], shifts = [4]"), "2"), {4, 8, -4, 100}),
            (std::vector<int64_t>{3, 12, 3, 127})); // 3 x^2 / 16
}

std::string normalization(const std::string &scale) {
  return "func.func @f(%x: tensor<1x3x1x1xi8>) -> tensor<1x3x1x1xi8> {\n"
         "  %s = graph.constant dense<10> : tensor<256xui8>\n"
         "  %f = graph.constant dense<200> : tensor<256xui8>\n"
         "  %y = convcore.byte_lrn %x, %s, %f {size = 5 : i64, sumMultiplier = 202 : i64, "
         "sumShift = 7 : i64, " +
         requant(scale) +
         "} : (tensor<1x3x1x1xi8>, tensor<256xui8>, tensor<256xui8>) -> tensor<1x3x1x1xi8>\n"
         "  return %y : tensor<1x3x1x1xi8>\n}";
}

// The fields are those of the published program of GoogLeNet's second LRN; the table of squares is
// read by magnitude.
TEST_F(BM1880Device, NormalizationHasTwoTables) {
  const std::string text = normalization("multipliers = [147], shifts = [13]");
  EXPECT_EQ(run(text, {100, -128, 0}), (std::vector<int64_t>{127, -128, 0})); // x * 3.59
  EXPECT_EQ(run(text, {10, -10, 1}), (std::vector<int64_t>{36, -36, 4}));
  std::vector<bm1880::Instruction> list = instructionsOf(text);
  ASSERT_EQ(namesOf(list), "lrn");
  EXPECT_EQ(list[0].get("sqr_lut_gaddr"), 0);
  EXPECT_EQ(list[0].get("power_lut_gaddr"), 256 * 32);
  EXPECT_EQ(list[0].get("size"), 5);
  EXPECT_EQ(list[0].get("sum_right_shift_width"), 7);
  EXPECT_EQ(list[0].get("lrn_right_shift_width"), 13);
  EXPECT_EQ(list[0].list("threshold_x_quantized"), (std::vector<int64_t>{202, 147}));
}

// 512 over 2^14 is 1 over 32, but the emitted multiplier is not in lowest terms.
TEST_F(BM1880Device, NormalizationHasAMultiplierOfEightBits) {
  EXPECT_EQ(
      reasonOf(normalization("multipliers = [512], shifts = [14]")),
      "the chip supports lrn only with constant tables, a multiplier in [0, 255] and shifts of "
      "at most 31 bits");
}

// Two convolutions that wait for the bus, and a pool: intermediate values stay in the lanes.
TEST_F(BM1880Device, RunsStayInLocalMemory) {
  const std::string conv =
      " {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, "
      "groups = 1 : i64, " +
      requant("multipliers = [1], shifts = [9]") +
      "} : (tensor<1x32x14x14xi8>, tensor<32x32x1x1xi8>) -> tensor<1x32x14x14xi8>\n";
  const std::string text =
      "func.func @f(%x: tensor<1x32x14x14xi8>) -> tensor<1x32x7x7xi8> {\n"
      "  %w = graph.constant dense<3> : tensor<32x32x1x1xi8>\n  %0 = convcore.conv %x, %w" +
      conv + "  %1 = convcore.conv %0, %w" + conv +
      "  %2 = convcore.pool %1 {kind = 0 : i32, kernel = array<i64: 2, 2>, strides = array<i64: 2, "
      "2>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x32x14x14xi8>) -> tensor<1x32x7x7xi8>\n"
      "  return %2 : tensor<1x32x7x7xi8>\n}";
  std::vector<bm1880::Instruction> list = instructionsOf(text);
  // The second weights are loaded before the first convolution, so that the load overlaps it.
  EXPECT_EQ(namesOf(list), "tl_layer_load_stride tl_layer_load_stride tl_layer_load_stride "
                           "bm_tl_conv bm_tl_conv tl_pool tl_layer_store_stride");
  std::vector<bm1880::Interval> times = bm1880::schedule(list);
  EXPECT_LT(times[2].start, times[3].end); // overlaps the convolution
  EXPECT_GE(times[3].start, times[1].end); // the convolution waits for its own weights
  EXPECT_GE(times[6].start, times[5].end);
  // Neuron memory holds only input and output; one buffer per tensor would need four.
  EXPECT_EQ(sizes.neuronBytes, 32 * 14 * 14 + 1600); // 32 * 7 * 7, aligned to 64
  EXPECT_EQ(sizes.bytesWithoutReuse, 3 * 32 * 14 * 14 + 32 * 7 * 7);
  run(text, std::vector<int64_t>(32 * 14 * 14, 5));
  device = std::move(*findAccelerator("bm1880:local=off"));
  EXPECT_EQ(namesOf(instructionsOf(text)), "conv_p conv_p pooling");
  run(text, std::vector<int64_t>(32 * 14 * 14, 5));
}

TEST_F(BM1880Device, FormulasAreThoseOfTheModel) {
  bm1880::Instruction conv("bm_tl_conv", "");
  conv.setAll("input_n", {1, 20, 12, 12}).setAll("group", {1, 50, 8, 8, 5, 5});
  conv.set("do_bias", 1);
  bm1880::Work work = bm1880::workOf(conv);
  EXPECT_EQ(work.computeCycles, 2 * 4 * (500 + 2 + 3)); // ceil(50/32) ceil(64/16) (5 5 20 + 2 + 3)
  EXPECT_EQ(work.products, 50 * 64 * 500);
  bm1880::Instruction pool("tl_pool", "");
  pool.setAll("output_n", {1, 20, 12, 12, 2, 2, 2, 2});
  EXPECT_EQ(bm1880::workOf(pool).computeCycles, 18 * (4 + 6)); // ceil(144/8) (1 2 2 + 6)
  bm1880::Instruction add("eltwise", "");
  add.setAll("ga_output", {0, 2, 1}).setAll("input_n", {1, 64, 5, 5});
  EXPECT_EQ(bm1880::workOf(add).computeCycles, 2 * 2 * 6);
  EXPECT_EQ(bm1880::workOf(add).bytesMoved, 3 * 64 * 25);
}

TEST_F(BM1880Device, ParametersAreChecked) {
  auto keep = findAccelerator("bm1880:scales=keep");
  ASSERT_TRUE(bool(keep));
  EXPECT_FALSE((*keep)->arithmetic().shiftsOnly);
  EXPECT_TRUE(device->arithmetic().shiftsOnly);
  auto wrong = findAccelerator("bm1880:lanes=64");
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(
      llvm::toString(wrong.takeError()),
      "target 'bm1880:lanes=64' expects scales=shifts, scales=keep, local=on or local=off, got "
      "'lanes=64'");
}

/// Programs with one damaged number give an error or different results, but never crash.
TEST_F(BM1880Device, DamagedProgramsAreErrors) {
  ConvText conv;
  func::FuncOp function = parse(conv.str());
  FailureOr<Program> whole = device->lower(function, DependenceGraph(function.getBody().front()));
  ASSERT_TRUE(succeeded(whole));
  int broken = 0;
  for (size_t i = 0; i < whole->commands.size(); ++i) {
    if (!std::isdigit(whole->commands[i])) {
      continue;
    }
    Program program = *whole;
    program.commands.insert(program.commands.begin() + static_cast<int64_t>(i), 3, '9');
    std::vector<uint8_t> bytes = encodeProgram(program, "bm1880");
    std::unique_ptr<Simulator> simulator = device->simulator();
    convoy_loaded_program loaded = {};
    ASSERT_EQ(convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded),
              CONVOY_OK);
    std::vector<uint8_t> input(9);
    std::vector<uint8_t> output(4);
    const void *inputs[] = {input.data()};
    void *outputs[] = {output.data()};
    broken += convoy_run_program(&loaded, inputs, outputs) == CONVOY_ERROR_PROGRAM;
    convoy_unload_program(&loaded);
  }
  EXPECT_GT(broken, 20);
}

} // namespace
} // namespace convoy::accelerators
