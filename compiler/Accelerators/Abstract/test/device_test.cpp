// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the abstract device through the accelerator interface: the layers it supports, the reasons
// it gives for unsupported layers, and programs that run through the function table.

#include "Accelerators/Registry.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "convoy/abstract.h"
#include "convoy/convoy.h"
#include "convoy/device.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace convoy::accelerators {
namespace {

class AbstractDevice : public ::testing::Test {
protected:
  AbstractDevice() {
    context.loadDialect<graph::GraphDialect, convcore::ConvCoreDialect, func::FuncDialect>();
  }

  std::unique_ptr<Accelerator> find(const std::string &target) {
    llvm::Expected<std::unique_ptr<Accelerator>> device = findAccelerator(target);
    EXPECT_TRUE(static_cast<bool>(device)) << llvm::toString(device.takeError());
    EXPECT_TRUE(*device) << target;
    return std::move(*device);
  }

  func::FuncOp parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return *module->getOps<func::FuncOp>().begin();
  }

  /// Returns the reason for the op that defines the function's result, or "taken".
  std::string reasonOf(const std::string &target, const std::string &text) {
    func::FuncOp function = parse(text);
    Operation *op = function.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
    std::optional<Refusal> refusal = whyNot(*find(target), op);
    return refusal ? refusal->reason : "taken";
  }

  /// Runs a function of one input and one output on the device.
  std::vector<uint8_t> run(const std::string &target, const std::string &text,
                           const std::vector<uint8_t> &input, size_t outputBytes) {
    std::unique_ptr<Accelerator> device = find(target);
    func::FuncOp function = parse(text);
    FailureOr<Program> program =
        device->lower(function, DependenceGraph(function.getBody().front()));
    EXPECT_TRUE(succeeded(program));
    std::vector<uint8_t> bytes = encodeProgram(*program, device->name());
    std::unique_ptr<Simulator> simulator = device->simulator();
    convoy_loaded_program loaded = {};
    EXPECT_EQ(convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded),
              CONVOY_OK)
        << simulator->error().str();
    std::vector<uint8_t> output(outputBytes);
    const void *inputs[] = {input.data()};
    void *outputs[] = {output.data()};
    EXPECT_EQ(convoy_run_program(&loaded, inputs, outputs), CONVOY_OK) << simulator->error().str();
    convoy_unload_program(&loaded);
    layers = simulator->report();
    return output;
  }

  /// Runs a function through the function table that is written in C.
  std::vector<uint8_t> runInC(const std::string &text, const std::vector<uint8_t> &input,
                              size_t outputBytes) {
    std::unique_ptr<Accelerator> device = find("abstract");
    func::FuncOp function = parse(text);
    FailureOr<Program> program =
        device->lower(function, DependenceGraph(function.getBody().front()));
    EXPECT_TRUE(succeeded(program));
    std::vector<uint8_t> bytes = encodeProgram(*program, "abstract");
    const convoy_abstract_device parameters = {
        8, CONVOY_ABSTRACT_OUTPUT_PARALLEL, 2048, 4, 10, 4, 4, 1, 1, 1, 0};
    const convoy_abstract_options options = {CONVOY_ABSTRACT_TILE_ALL};
    convoy_abstract_simulator simulator;
    convoy_device table;
    std::vector<uint64_t> memory(8192);
    EXPECT_EQ(convoy_abstract_open(&simulator, &parameters, &options, memory.data(),
                                   memory.size() * 8, &table),
              CONVOY_OK);
    convoy_loaded_program loaded = {};
    EXPECT_EQ(convoy_load_program(&table, bytes.data(), bytes.size(), &loaded), CONVOY_OK);
    std::vector<uint8_t> output(outputBytes);
    const void *inputs[] = {input.data()};
    void *outputs[] = {output.data()};
    EXPECT_EQ(convoy_run_program(&loaded, inputs, outputs), CONVOY_OK);
    EXPECT_GT(simulator.cycles, 0u);
    return output;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<LayerReport> layers;
};

// Sums of 2 x 2 windows, rounded half away from zero. The values times two are concatenated with
// the values themselves and flattened.
const char *const kNetwork = R"(
func.func @f(%x: tensor<1x1x3x3xi8>) -> tensor<1x8xi8> {
  %w = graph.constant dense<1> : tensor<1x1x2x2xi8>
  %b = graph.constant dense<[1]> : tensor<1xi32>
  %0 = convcore.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, groups = 1 : i64, requant =
      #convcore.requant<i8, multipliers = [1], shifts = [1], zeroPoint = 0, low = -128,
                        high = 127, rounding = half_away>}
      : (tensor<1x1x3x3xi8>, tensor<1x1x2x2xi8>, tensor<1xi32>) -> tensor<1x1x2x2xi8>
  %1 = convcore.eltwise %0, %0 {kind = 0 : i32, requant =
      #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, low = -128,
                        high = 100, rounding = half_away>}
      : (tensor<1x1x2x2xi8>, tensor<1x1x2x2xi8>) -> tensor<1x1x2x2xi8>
  %2 = convcore.concat %0, %1 {axis = 1 : i64}
      : (tensor<1x1x2x2xi8>, tensor<1x1x2x2xi8>) -> tensor<1x2x2x2xi8>
  %3 = convcore.reshape %2 {shape = array<i64: 1, 8>} : (tensor<1x2x2x2xi8>) -> tensor<1x8xi8>
  return %3 : tensor<1x8xi8>
})";

const std::vector<uint8_t> kInput = {1, 2, 3, 4, 5, 6, 60, 80, 100};
// 1+2+4+5+1 = 13, 17, 150, 192; halved: 7, 9, 75, 96; twice: 14, 18, 100 and 100 (clamped).
const std::vector<uint8_t> kExpected = {7, 9, 75, 96, 14, 18, 100, 100};

TEST_F(AbstractDevice, RunsASmallNetwork) {
  EXPECT_EQ(run("abstract", kNetwork, kInput, 8), kExpected);
  EXPECT_EQ(run("abstract:pes=1:memory_bytes=1K:parallel=input", kNetwork, kInput, 8), kExpected);
  ASSERT_EQ(layers.size(), 4u); // the reshape costs nothing, the concatenation two copies
  EXPECT_GT(layers[0].cycles, 0);
  EXPECT_GT(layers[0].utilization, 0);
}

TEST_F(AbstractDevice, RunsThroughTheTableInC) {
  EXPECT_EQ(runInC(kNetwork, kInput, 8), kExpected);
}

std::string conv(const std::string &weights, const std::string &shape, int64_t inputs,
                 const std::string &extra) {
  std::string in = "tensor<1x" + std::to_string(inputs) + "x8x8xi8>";
  return "func.func @f(%x: " + in + ") -> tensor<1x" + shape +
         "xi8> {\n"
         "  %w = graph.constant dense<1> : tensor<" +
         weights +
         "xi8>\n"
         "  %y = convcore.conv %x, %w {strides = array<i64: 1, 1>, "
         "pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, " +
         extra +
         ", requant = #convcore.requant<i8, multipliers = [2], shifts = [1], zeroPoint = 0, "
         "low = -128, high = 127, rounding = half_away>}\n"
         "      : (" +
         in + ", tensor<" + weights + "xi8>) -> tensor<1x" + shape +
         "xi8>\n"
         "  return %y : tensor<1x" +
         shape + "xi8>\n}";
}

TEST_F(AbstractDevice, SaysWhatItLacks) {
  std::string depthwise = conv("4x1x3x3", "4x8x8", 4, "groups = 4 : i64");
  EXPECT_EQ(reasonOf("abstract", depthwise), "taken");
  EXPECT_EQ(reasonOf("abstract:depthwise=mapped", depthwise), "taken");
  EXPECT_EQ(reasonOf("abstract:depthwise=none", depthwise),
            "the device does not support depthwise convolution");
  std::string zero = conv("4x4x3x3", "4x8x8", 4,
                          "groups = 1 : i64, inputZeroPoint = 3 : i64, weightZeroPoint = 2 : i64");
  EXPECT_EQ(reasonOf("abstract", zero), "taken");
  EXPECT_EQ(reasonOf("abstract:weight_zero_points=false", zero),
            "magnitude of the weights' zero point of conv is 2; the device supports at most 0");
  EXPECT_EQ(reasonOf("abstract:activation_zero_points=false", zero),
            "magnitude of the input's zero point of conv is 3; the device supports at most 0");
  std::string deep = conv("1x512x3x3", "1x8x8", 512, "groups = 1 : i64");
  EXPECT_EQ(reasonOf("abstract:memory_bytes=16K", deep), "taken");
  // 4 x 3 x 3 inputs of 512 channels, as many weights, a row of the table, one result.
  EXPECT_EQ(reasonOf("abstract:memory_bytes=8K", deep),
            "the smallest tile needs 9248 bytes of local memory; the device has 8192");
}

std::string concat(int64_t pieces) {
  std::string in = "tensor<1x" + std::to_string(pieces) + "x2x4xi8>";
  std::string out = "tensor<1x" + std::to_string(pieces) + "x4x4xi8>";
  return "func.func @f(%x: " + in + ") -> " + out +
         " {\n  %y = convcore.concat %x, %x {axis = 2 : i64} : (" + in + ", " + in + ") -> " + out +
         "\n  return %y : " + out + "\n}";
}

std::string slice(int64_t pieces) {
  std::string in = "tensor<1x" + std::to_string(pieces) + "x4x4xi8>";
  std::string out = "tensor<1x" + std::to_string(pieces) + "x2x4xi8>";
  return "func.func @f(%x: " + in + ") -> " + out +
         " {\n  %y = convcore.slice %x {offsets = array<i64: 0, 0, 1, 0>, sizes = array<i64: 1, " +
         std::to_string(pieces) + ", 2, 4>} : (" + in + ") -> " + out + "\n  return %y : " + out +
         "\n}";
}

/// Returns the sum of a tensor with itself, times `multiplier`.
std::string sum(int64_t elements, const std::string &multiplier) {
  std::string type = "tensor<1x" + std::to_string(elements) + "xi8>";
  return "func.func @f(%x: " + type + ") -> " + type +
         " {\n  %y = convcore.eltwise %x, %x {kind = 0 : i32, requant = #convcore.requant<i8, "
         "multipliers = [" +
         multiplier +
         "], shifts = [1], zeroPoint = 0, low = -128, high = 127, rounding = half_away>, "
         "lhsMultiplier = 2 : i64} : (" +
         type + ", " + type + ") -> " + type + "\n  return %y : " + type + "\n}";
}

std::string replace(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Returns a pointwise convolution of 16-bit activations.
std::string wide(int64_t channels) {
  std::string inputs = std::to_string(channels);
  std::string text = conv("1x" + inputs + "x1x1", "1x8x8", channels, "groups = 1 : i64");
  text = replace(replace(text, "x8x8xi8", "x8x8xi16"), "requant<i8,", "requant<i16,");
  return replace(text, "pads = array<i64: 1, 1, 1, 1>", "pads = array<i64: 0, 0, 0, 0>");
}

/// A limit that the table of quantities cannot express: the largest supported layer, and one above.
struct LimitCase {
  std::string target, most, above, reason;
};

TEST_F(AbstractDevice, LimitsHoldAtTheirMostAndRefuseOneMore) {
  std::string one = "groups = 1 : i64";
  std::string deep = conv("1x512x3x3", "1x8x8", 512, one);
  const LimitCase kCases[] = {
      {"abstract", conv("1x8192x2x2", "1x9x9", 8192, one),
       conv("1x10923x3x1", "1x8x10", 10923, one),
       "a sum has 32769 products; the device supports at most 32768"},
      {"abstract:wide_data=true", wide(256), wide(257),
       "a sum has 257 products; the device supports at most 256"},
      {"abstract", concat(16), concat(17),
       "a concatenation along dimension 2 has 17 pieces of each input; the device supports at most "
       "16"},
      {"abstract", slice(16), slice(17),
       "the device supports slice only along one dimension, in at most 16 pieces"},
      // 32749 and 32771 are primes, so a tensor has that many channels of one element.
      {"abstract", sum(32749, "1"), sum(32771, "1"),
       "32771 elements cannot be arranged in rows of at most 8192"},
      {"abstract", sum(64, "1073741823"), sum(64, "1073741824"),
       "the product of multipliers 1073741824 and 2 has more than 32 bits"},
  };
  for (const LimitCase &limit : kCases) {
    SCOPED_TRACE(limit.reason);
    EXPECT_EQ(reasonOf(limit.target, limit.most), "taken");
    EXPECT_EQ(reasonOf(limit.target, limit.above), limit.reason);
  }
  // 4 x 3 x 3 inputs of 512 channels, as many weights, a row of the table, one result.
  EXPECT_EQ(reasonOf("abstract:memory_bytes=9248", deep), "taken");
  EXPECT_EQ(reasonOf("abstract:memory_bytes=9247", deep),
            "the smallest tile needs 9248 bytes of local memory; the device has 9247");
}

TEST_F(AbstractDevice, ParametersAreChecked) {
  for (auto [target, text] :
       {std::pair("abstract:pes=0",
                  "target 'abstract:pes=0': parameter pes expects a number from 1 to 65536, got "
                  "'0'"),
        std::pair("abstract:file=/nowhere.json",
                  "/nowhere.json: cannot be read: No such file or directory")}) {
    llvm::Expected<std::unique_ptr<Accelerator>> device = findAccelerator(target);
    ASSERT_FALSE(static_cast<bool>(device));
    EXPECT_EQ(llvm::toString(device.takeError()), text);
  }
}

TEST_F(AbstractDevice, BrokenProgramsAreRefused) {
  std::unique_ptr<Simulator> simulator = find("abstract")->simulator();
  std::vector<uint8_t> bytes(200);
  convoy_loaded_program loaded = {};
  EXPECT_EQ(convoy_load_program(&simulator->device(), bytes.data(), bytes.size(), &loaded),
            CONVOY_ERROR_PROGRAM);
  EXPECT_EQ(simulator->error(), "the data is not a program, or it is truncated");
}

} // namespace
} // namespace convoy::accelerators
