// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the limits of NVDLA's table. A layer at the maximum must run and equal the reference; a
// layer one above must be rejected with the name of the limit.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

/// Sizes of a layer, small except for the size at its limit.
struct Sizes {
  int64_t batch = 1, channels = 3, height = 4, width = 4, outputs = 3;
  int64_t kernel[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  int64_t pad = 0, multiplier = 77, neighbors = 3;

  bool set(Quantity quantity, int64_t value) {
    switch (quantity) {
    case Quantity::Batch:
      batch = value;
      return true;
    case Quantity::InputChannels:
      channels = value;
      return true;
    case Quantity::OutputChannels:
      outputs = value;
      return true;
    case Quantity::InputHeight:
      height = value;
      return true;
    case Quantity::InputWidth:
      width = value;
      return true;
    case Quantity::KernelHeight:
      kernel[0] = height = value;
      return true;
    case Quantity::KernelWidth:
      kernel[1] = width = value;
      return true;
    case Quantity::StrideHeight:
      strides[0] = height = value;
      return true;
    case Quantity::StrideWidth:
      strides[1] = width = value;
      return true;
    case Quantity::DilationHeight:
      dilations[0] = value;
      kernel[0] = 2;
      height = value + 2;
      return true;
    case Quantity::DilationWidth:
      dilations[1] = value;
      kernel[1] = 2;
      width = value + 2;
      return true;
    case Quantity::Pad:
      pad = value;
      kernel[0] = kernel[1] = std::min<int64_t>(value + 1, 32);
      return true;
    case Quantity::Multiplier:
      multiplier = value;
      return true;
    case Quantity::Neighbors:
      neighbors = value;
      return true;
    default:
      return false;
    }
  }
};

class Layer {
public:
  Layer(llvm::StringRef op, const Sizes &s) {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    auto loc = UnknownLoc::get(&context);
    auto i8 = builder.getIntegerType(8);
    auto input = RankedTensorType::get({s.batch, s.channels, s.height, s.width}, i8);
    function = builder.create<func::FuncOp>(loc, "layer", builder.getFunctionType({input}, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    convcore::LayerBuilder b(builder, loc, 0, mapping);
    Value x = block->getArgument(0);
    int64_t pads[] = {s.pad, s.pad, s.pad, s.pad};
    Value result;
    if (op == "conv") {
      auto weight = RankedTensorType::get({s.outputs, s.channels, s.kernel[0], s.kernel[1]}, i8);
      auto requant = convcore::RequantAttr::get(&context, i8, {s.multiplier}, {9}, 1, -128, 127,
                                                graph::ShiftRounding::HalfAway);
      result = b.emit<convcore::ConvOp>(x, b.constant(smallNumbers(weight, 2)), Value(),
                                        ArrayRef<int64_t>(s.strides), ArrayRef<int64_t>(pads),
                                        ArrayRef<int64_t>(s.dilations), int64_t(1), int64_t(2),
                                        int64_t(0), convcore::ActAttr(), requant);
    } else if (op == "integer_lrn") {
      auto requant = convcore::RequantAttr::get(&context, i8, {s.multiplier}, {20}, 0, -128, 127,
                                                graph::ShiftRounding::HalfAway);
      auto table = [&](int64_t entries) {
        auto type = RankedTensorType::get({entries}, builder.getIntegerType(16));
        return b.constant(smallNumbers(type, 4));
      };
      result =
          b.emit<convcore::IntegerLrnOp>(x, table(257), table(65), s.neighbors, int64_t(1),
                                         int64_t(0), int64_t(256), int64_t(4), int64_t(9), requant);
    } else {
      result = b.pool(convcore::PoolKind::Max, x, s.kernel, s.strides, pads,
                      /*countIncludePad=*/false);
    }
    builder.create<func::ReturnOp>(loc, result);
    function.setType(builder.getFunctionType(block->getArgumentTypes(), result.getType()));
    layer = result.getDefiningOp();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Operation *layer;
};

void expectRuns(Layer &layer, const Accelerator &device) {
  Tensor input = smallNumbers(layer.function.getArgumentTypes()[0], 3);
  auto results = runOnDevice(layer.function, device, {input});
  auto expected = reference::run(layer.function, {reference::Datum(input)});
  ASSERT_TRUE(succeeded(results) && succeeded(expected));
  const Tensor &right = expected->front().tensor;
  ASSERT_EQ(right.bytes(), results->front().bytes());
  EXPECT_EQ(std::memcmp(right.raw(), results->front().raw(), right.bytes()), 0);
}

TEST(NvdlaLimits, HoldAtTheMaximumAndRefuseOneAbove) {
  int probed = 0;
  for (const char *target : {"nvdla-small", "nvdla-large"}) {
    auto device = findAccelerator(target);
    ASSERT_TRUE(bool(device) && *device);
    for (const char *op : {"conv", "pool", "integer_lrn"}) {
      for (const Limit &limit : (*device)->capabilities().find(op)->limits) {
        SCOPED_TRACE(std::string(target) + " " + op + " " + name(limit.quantity).str());
        Sizes most;
        Sizes more;
        bool isOfConv = limit.quantity == Quantity::Multiplier && std::string(op) == "pool";
        // Ops other than convolutions have as many output channels as input channels.
        bool isSame = limit.quantity == Quantity::OutputChannels && std::string(op) != "conv";
        if (isOfConv || isSame || !most.set(limit.quantity, limit.most) ||
            !more.set(limit.quantity, limit.most + 1)) {
          continue;
        }
        Layer fits(op, most);
        Layer exceeds(op, more);
        std::optional<Refusal> none = whyNot(**device, fits.layer);
        EXPECT_FALSE(none) << none->reason;
        if (!none) {
          expectRuns(fits, **device);
        }
        std::optional<Refusal> refusal = whyNot(**device, exceeds.layer);
        ASSERT_TRUE(refusal);
        // Padding above the limit of a pool also needs a window above its limit.
        bool isNamed = limit.quantity != Quantity::Pad || std::string(op) == "conv";
        EXPECT_TRUE(!isNamed || refusal->reason.find(name(limit.quantity)) != std::string::npos)
            << refusal->reason;
        ++probed;
      }
    }
  }
  EXPECT_GE(probed, 48);
}

// One output row whose input and one group of kernels fill the buffer exactly: 16 banks for 8192
// entries of data, 16 banks for 8 kernels of 8192 weights. One more channel exceeds the buffer.
TEST(NvdlaLimits, ConvolutionBufferIsUsedToItsEnd) {
  auto device = findAccelerator("nvdla-small");
  ASSERT_TRUE(bool(device) && *device);
  Sizes sizes;
  sizes.channels = 1024;
  sizes.kernel[0] = sizes.height = 8;
  sizes.width = 8;
  sizes.outputs = 8;
  Layer fits("conv", sizes);
  std::optional<Refusal> none = whyNot(**device, fits.layer);
  EXPECT_FALSE(none) << none->reason;
  expectRuns(fits, **device);
  sizes.channels = 1032;
  Layer exceeds("conv", sizes);
  std::optional<Refusal> refusal = whyNot(**device, exceeds.layer);
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->reason.find("convolution buffer of 131072 bytes"), std::string::npos)
      << refusal->reason;
}

// On nv_small, all weights of 64 kernels of 3 x 3 x 64 take 9 banks, which leaves rows of 56 x 64
// bytes for three bands. Two groups of kernels take 3 banks and leave rows for two bands. The MAC
// array hides that the weights are fetched twice.
TEST(NvdlaLimits, BandsAreThoseOfTheFewestCycles) {
  nvdla::NvdlaOptions options;
  options.config = nvdla::findHardwareConfig("nv_small");
  nvdla::ConvShape shape;
  shape.input = {56, 56, 64};
  shape.kernels = shape.groupInputs = 64;
  shape.kernelWidth = shape.kernelHeight = 3;
  shape.padTop = shape.padLeft = 1;
  shape.outWidth = shape.outHeight = 56;
  shape.channels = nvdla::identityMap(64);
  nvdla::ConvPart whole = {0, 64, 0, 64};
  std::optional<nvdla::BufferPlan> plan = nvdla::planBuffer(shape, whole, options);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bands.size(), 2u);
  EXPECT_EQ(plan->weightBanks, 3);
  EXPECT_FALSE(plan->weightsStay);
  options.isSeparate = true; // the official compiler keeps the weights
  std::optional<nvdla::BufferPlan> official = nvdla::planBuffer(shape, whole, options);
  ASSERT_TRUE(official);
  EXPECT_EQ(official->bands.size(), 3u);
  EXPECT_TRUE(official->weightsStay);
}

// Two groups of 64 channels are two operations by default. One dense operation takes more cycles.
// If the buffer would split the dense operation into as many bands, the groups stay separate.
TEST(NvdlaLimits, DenseGroupsTakeFewerOperations) {
  nvdla::NvdlaOptions options;
  options.config = nvdla::findHardwareConfig("nv_large");
  nvdla::ConvShape shape;
  shape.input = {27, 27, 128};
  shape.kernels = 256;
  shape.groups = 2;
  shape.groupInputs = 64;
  shape.kernelWidth = shape.kernelHeight = 5;
  shape.padTop = shape.padLeft = 2;
  shape.outWidth = shape.outHeight = 27;
  shape.channels = nvdla::identityMap(128);
  std::vector<nvdla::ConvPart> split = nvdla::splitGroups(shape, options);
  EXPECT_EQ(split.size(), 2u);
  options.hasDenseGroups = true;
  std::vector<nvdla::ConvPart> dense = nvdla::splitGroups(shape, options);
  ASSERT_EQ(dense.size(), 1u);
  EXPECT_EQ(dense.front().channels, 128);
  EXPECT_GT(nvdla::cyclesOf(shape, dense, options), nvdla::cyclesOf(shape, split, options));
  shape.input = {27, 540, 128};
  shape.outHeight = 540;
  std::optional<nvdla::BufferPlan> tall = nvdla::planBuffer(shape, {0, 256, 0, 128}, options);
  ASSERT_TRUE(tall);
  ASSERT_GT(tall->bands.size(), 2u);
  EXPECT_EQ(nvdla::splitGroups(shape, options).size(), 2u);
}

} // namespace
