// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every limit in the table of every device of floats: at its maximum the layer runs
// and equals the reference, one above it is refused with the limit's name.

#include "Accelerators/ConvCore/LayerBuilder.h"
#include "DeviceCase.h"
#include "Graph/Graph.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

/// Sizes of a layer of which one is set to a limit.
struct Sizes {
  int64_t batch = 1, channels = 4, height = 12, width = 12, outputs = 4, inputs = 2;
  int64_t kernel[2] = {3, 3}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  int64_t pad = 1, groups = 1;

  /// False where the quantity is not one of these.
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
      return true;
    case Quantity::Groups:
      groups = channels = outputs = value;
      return true;
    case Quantity::Inputs:
      inputs = value;
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

  /// A function of this layer alone, or null where the op has no such sizes.
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
  static Value emit(StringRef op, const Sizes &s, ValueRange x, convcore::LayerBuilder &b) {
    int64_t pads[] = {s.pad, s.pad, s.pad, s.pad};
    if (op == "conv") {
      Type type =
          RankedTensorType::get({s.outputs, s.channels / s.groups, s.kernel[0], s.kernel[1]},
                                cast<TensorType>(x[0].getType()).getElementType());
      return b.conv(x[0], smallNumbers(type, 2), std::nullopt,
                    {s.strides, pads, s.dilations, s.groups});
    }
    if (op == "pool") {
      // Windows must hold an element, so a kernel is larger than its padding.
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

/// Returns whether the limit could be probed.
bool probe(const Accelerator &device, const OpSupport &row, const Limit &limit) {
  LayerCase atMost;
  LayerCase above;
  Sizes sizes;
  Sizes more;
  if (!isFloat(row.types.front()) || !sizes.set(limit.quantity, limit.most) ||
      !more.set(limit.quantity, limit.most + 1)) {
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

TEST(Limits, HoldAtTheMaximumAndRefuseOneAbove) {
  int probed = 0;
  for (const std::string &target : listTargets()) {
    auto device = findAccelerator(target);
    ASSERT_TRUE(bool(device));
    for (const OpSupport &row : (*device)->capabilities().ops()) {
      for (const Limit &limit : row.limits) {
        probed += probe(**device, row, limit);
      }
    }
  }
  EXPECT_GE(probed, 14) << "the example device alone has as many";
}

} // namespace
