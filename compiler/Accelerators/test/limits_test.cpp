// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests every limit in the tables of devices. A layer at the maximum must run and equal the
// reference; a layer one above must be rejected with the name of the limit.

#include "ConvCore/LayerBuilder.h"
#include "DeviceCase.h"
#include "Graph/Graph.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

// Above this value the padding is on one side only and the stride is larger, so that results stay
// small.
constexpr int64_t kSmallPad = 64;

/// Sizes of a layer, one of which is set to a limit.
struct Sizes {
  int64_t batch = 1, channels = 4, height = 12, width = 12, outputs = 4, inputs = 2;
  int64_t kernel[2] = {3, 3}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  int64_t pad = 1, groups = 1;
  int64_t inputZero = 0, weightZero = 0;

  /// Reduces the number of products for layers with many channels.
  void shrink() {
    kernel[0] = kernel[1] = 1;
    pad = 0;
    height = width = 3;
  }

  /// Returns false if the quantity is not one of these sizes.
  bool set(Quantity quantity, int64_t value) {
    switch (quantity) {
    case Quantity::Batch:
      batch = value;
      return true;
    case Quantity::InputChannels:
      shrink();
      channels = value;
      return true;
    case Quantity::OutputChannels:
      shrink();
      outputs = value;
      return true;
    case Quantity::InputHeight:
      height = value;
      width = 4;
      return true;
    case Quantity::InputWidth:
      width = value;
      height = 4;
      return true;
    case Quantity::KernelHeight:
    case Quantity::KernelWidth:
      kernel[quantity == Quantity::KernelWidth] = value;
      height = width = std::max<int64_t>(height, value);
      return true;
    case Quantity::StrideHeight:
    case Quantity::StrideWidth:
      strides[quantity == Quantity::StrideWidth] = value;
      return true;
    case Quantity::DilationHeight:
    case Quantity::DilationWidth:
      dilations[quantity == Quantity::DilationWidth] = value;
      height = width = 12 + 2 * value;
      return true;
    case Quantity::Pad:
      pad = value;
      strides[0] = strides[1] = value > kSmallPad ? 16 : 1;
      return true;
    case Quantity::Groups:
      groups = channels = outputs = value;
      return true;
    case Quantity::Inputs:
      inputs = value;
      return true;
    case Quantity::ZeroPoint:
      inputZero = value;
      return true;
    case Quantity::WeightZeroPoint:
      weightZero = value;
      return true;
    default:
      return false;
    }
  }
};

class LayerCase {
public:
  LayerCase() {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  /// Makes a function of this layer only, or returns null if the op does not have these sizes.
  func::FuncOp make(StringRef op, ElementType type, const Sizes &s) {
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    auto loc = UnknownLoc::get(&context);
    auto input =
        RankedTensorType::get({s.batch, s.channels, s.height, s.width}, toMlir(type, &context));
    size_t count = op == "concat" ? s.inputs : 1;
    auto function = builder.create<func::FuncOp>(
        loc, "layer", builder.getFunctionType(SmallVector<Type>(count, input), {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    convcore::LayerBuilder b(builder, loc, 0, mapping);
    Value result = emit(op, s, block->getArguments(), b);
    if (!result) {
      function.erase();
      return nullptr;
    }
    builder.create<func::ReturnOp>(loc, result);
    function.setType(builder.getFunctionType(block->getArgumentTypes(), result.getType()));
    return function;
  }

  Operation *layerOf(func::FuncOp function) {
    return function.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  }

private:
  /// Returns a rescaling by 1/16 in the same type.
  static convcore::RequantAttr requantTo(ElementType type, convcore::LayerBuilder &b) {
    int64_t low = type == ElementType::U8 ? 0 : -128;
    return convcore::RequantAttr::get(b.context(), toMlir(type, b.context()), {1}, {4},
                                      /*zeroPoint=*/0, low, low + 255,
                                      graph::ShiftRounding::HalfAway);
  }

  static Value emitConv(const Sizes &s, ArrayRef<int64_t> pads, Value x,
                        convcore::LayerBuilder &b) {
    ElementType element = b.elementOf(x);
    Type type = RankedTensorType::get({s.outputs, s.channels / s.groups, s.kernel[0], s.kernel[1]},
                                      cast<TensorType>(x.getType()).getElementType());
    if (isFloat(element)) {
      return b.conv(x, smallNumbers(type, 2), std::nullopt,
                    {s.strides, pads, s.dilations, s.groups});
    }
    Value weight = b.constant(smallNumbers(type, 2));
    return b.emit<convcore::ConvOp>(x, weight, Value(), ArrayRef<int64_t>(s.strides), pads,
                                    ArrayRef<int64_t>(s.dilations), s.groups, s.inputZero,
                                    s.weightZero, convcore::ActAttr(), requantTo(element, b));
  }

  static Value emit(StringRef op, const Sizes &s, ValueRange x, convcore::LayerBuilder &b) {
    int64_t others = s.pad > kSmallPad ? 0 : s.pad;
    int64_t pads[] = {s.pad, others, others, others};
    ElementType element = b.elementOf(x[0]);
    if (op == "conv") {
      return emitConv(s, pads, x[0], b);
    }
    if (op == "pool" && !isFloat(element) && s.inputZero != 0) { // max pools have no zero point
      return b.pool(convcore::PoolKind::Average, x[0], s.kernel, s.strides, pads,
                    /*countIncludePad=*/true, s.inputZero, requantTo(element, b));
    }
    if (op == "requantize") {
      return b.emit<convcore::RequantizeOp>(x[0], s.inputZero, requantTo(element, b));
    }
    if (op == "pool") {
      // A window must contain an element, so the kernel is larger than the padding.
      int64_t kernel[] = {std::max(s.kernel[0], s.pad + 1), std::max(s.kernel[1], s.pad + 1)};
      return b.pool(convcore::PoolKind::Max, x[0], kernel, s.strides, pads,
                    /*countIncludePad=*/false);
    }
    if (op == "concat") {
      return b.emit<convcore::ConcatOp>(x, /*axis=*/1);
    }
    if (op == "slice") {
      return b.emit<convcore::SliceOp>(x[0], ArrayRef<int64_t>{0, 1, 0, 0},
                                       ArrayRef<int64_t>{s.batch, 2, s.height, s.width});
    }
    return {};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

void expectRuns(func::FuncOp function, const Accelerator &device) {
  std::vector<Tensor> inputs;
  std::vector<reference::Datum> data;
  for (Type type : function.getArgumentTypes()) {
    inputs.push_back(smallNumbers(type, inputs.size()));
    data.emplace_back(inputs.back());
  }
  auto results = runOnDevice(function, device, inputs);
  auto expected = reference::run(function, data);
  ASSERT_TRUE(succeeded(results) && succeeded(expected));
  const Tensor &right = expected->front().tensor;
  ASSERT_EQ(right.bytes(), results->front().bytes());
  EXPECT_EQ(std::memcmp(right.raw(), results->front().raw(), right.bytes()), 0);
}

/// Tests one limit; returns whether this test can reach it.
bool probe(const Accelerator &device, const OpSupport &row, const Limit &limit) {
  LayerCase atMost;
  LayerCase above;
  Sizes sizes;
  Sizes more;
  if (!sizes.set(limit.quantity, limit.most) || !more.set(limit.quantity, limit.most + 1)) {
    return false;
  }
  func::FuncOp fits = atMost.make(row.op, row.types.front(), sizes);
  func::FuncOp exceeds = above.make(row.op, row.types.front(), more);
  if (!fits || !exceeds) {
    return false;
  }
  SCOPED_TRACE((device.name() + " " + row.op + " " + name(limit.quantity)).str());
  std::optional<Refusal> none = whyNot(device, atMost.layerOf(fits));
  EXPECT_FALSE(none) << none->reason;
  if (!none) {
    expectRuns(fits, device);
  }
  std::optional<Refusal> refusal = whyNot(device, above.layerOf(exceeds));
  EXPECT_TRUE(refusal && refusal->quantity == limit.quantity);
  if (refusal) {
    EXPECT_EQ(refusal->actual, limit.most + 1);
    EXPECT_NE(refusal->reason.find(name(limit.quantity)), std::string::npos) << refusal->reason;
  }
  return true;
}

/// Returns how many limits of the device were tested, and how many there are.
std::pair<int, int> probeAll(const Accelerator &device, bool isOfFloatsOnly) {
  int probed = 0;
  int limits = 0;
  for (const OpSupport &row : device.capabilities().ops()) {
    for (const Limit &limit : row.limits) {
      bool isAsked = !isOfFloatsOnly || isFloat(row.types.front());
      probed += isAsked && probe(device, row, limit);
      ++limits;
    }
  }
  return {probed, limits};
}

/// Tests all devices. Integer layers need a rescaling in the device's own arithmetic, which this
/// test knows only for the devices below.
TEST(Limits, HoldAtTheMaximumAndRefuseOneAbove) {
  int probed = 0;
  for (const std::string &target : listTargets()) {
    auto device = findAccelerator(target);
    ASSERT_TRUE(device && *device);
    probed += probeAll(**device, /*isOfFloatsOnly=*/true).first;
  }
  EXPECT_GE(probed, 14) << "the example device alone has 14 limits";
}

TEST(Limits, AreAllProbed) {
  for (StringRef target :
       {"example", "abstract", "abstract:weight_zero_points=false:activation_zero_points=false"}) {
    SCOPED_TRACE(target.str());
    auto device = findAccelerator(target);
    ASSERT_TRUE(device && *device);
    auto [probed, limits] = probeAll(**device, /*isOfFloatsOnly=*/false);
    EXPECT_EQ(probed, limits) << "the test does not reach every limit";
    EXPECT_GE(limits, 14) << "the table has fewer than 14 limits";
  }
}

} // namespace
