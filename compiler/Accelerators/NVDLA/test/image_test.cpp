// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests convolutions that read an argument of few channels as an image, in int8 and fp16. The
// results must equal the reference and need fewer cycles than from a feature cube.

#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

struct ImageSizes {
  int64_t channels, height, width, outputs, kernel, stride, pad;
};

class ImageCase {
public:
  explicit ImageCase(const std::string &target) : builder(&context) {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    device = std::move(*findAccelerator(target));
  }

  /// Makes a function with one convolution of an argument.
  func::FuncOp make(ElementType type, const ImageSizes &s) {
    auto loc = UnknownLoc::get(&context);
    auto input = RankedTensorType::get({1, s.channels, s.height, s.width}, toMlir(type, &context));
    auto function = builder.create<func::FuncOp>(loc, "image", builder.getFunctionType(input, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    convcore::LayerBuilder b(builder, loc, 0, mapping);
    bool isFloats = isFloat(type);
    ElementType weights = isFloats ? type : ElementType::I8;
    Tensor weight = smallNumbers(RankedTensorType::get({s.outputs, s.channels, s.kernel, s.kernel},
                                                       toMlir(weights, &context)),
                                 5);
    int64_t strides[] = {s.stride, s.stride};
    int64_t pads[] = {s.pad, s.pad, s.pad, s.pad};
    int64_t ones[] = {1, 1};
    convcore::RequantAttr requant;
    if (!isFloats) {
      requant = convcore::RequantAttr::get(
          &context, toMlir(type, &context), {7}, {6}, 3, type == ElementType::U8 ? 0 : -128,
          type == ElementType::U8 ? 255 : 127, graph::ShiftRounding::HalfAway);
    }
    int64_t zero = isFloats ? 0 : 5;
    Value y = b.emit<convcore::ConvOp>(block->getArgument(0), b.constant(weight), Value(),
                                       ArrayRef<int64_t>(strides), ArrayRef<int64_t>(pads),
                                       ArrayRef<int64_t>(ones), /*groups=*/1, zero,
                                       /*weightZeroPoint=*/0, convcore::ActAttr(), requant);
    builder.create<func::ReturnOp>(loc, y);
    function.setType(builder.getFunctionType(input, y.getType()));
    return function;
  }

  bool readsAnImage(func::FuncOp function) {
    OwningOpRef<func::FuncOp> own = function.clone();
    PassManager passes(&context, "func.func");
    device->addPasses(passes);
    bool isImage = false;
    if (succeeded(passes.run(*own))) {
      own->walk([&](Operation *op) { isImage |= op->hasAttr("image"); });
    }
    return isImage;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  std::unique_ptr<Accelerator> device;
};

void expectSame(const std::string &target, ElementType type, const ImageSizes &s) {
  SCOPED_TRACE(target + " " + name(type).str() + " of " + std::to_string(s.channels) +
               " channels, kernel " + std::to_string(s.kernel));
  ImageCase test(target);
  func::FuncOp function = test.make(type, s);
  EXPECT_EQ(test.readsAnImage(function), s.channels <= 4);
  std::vector<Tensor> inputs = {smallNumbers(function.getArgumentTypes()[0], 9)};
  std::vector<reference::Datum> data = {inputs[0]};
  auto expected = reference::run(function, data);
  auto results = runOnDevice(function, *test.device, inputs);
  ASSERT_TRUE(succeeded(expected) && succeeded(results));
  // Sums of small quarters and integers are exact in every order.
  const Tensor &right = expected->front().tensor;
  ASSERT_EQ(right.bytes(), results->front().bytes());
  EXPECT_EQ(std::memcmp(right.raw(), results->front().raw(), right.bytes()), 0);
}

TEST(Images, GiveWhatTheReferenceGives) {
  for (int64_t channels : {1, 2, 3, 4, 5}) {
    for (int64_t kernel : {1, 3, 7}) {
      ImageSizes s{channels, 13, 17, 20, kernel, kernel == 7 ? 2 : 1, kernel / 2};
      expectSame("nvdla-full", ElementType::F16, s);
      expectSame("nvdla-full", ElementType::U8, s);
      expectSame("nvdla-small", ElementType::I8, s);
      expectSame("nvdla-small", ElementType::U8, s);
      expectSame("nvdla-large", ElementType::I8, s);
    }
  }
}

TEST(Images, InBandsOfRows) {
  // 224 columns of four samples: the smallest buffer holds only some of the rows.
  expectSame("nvdla-small", ElementType::I8, {3, 200, 224, 40, 7, 2, 3});
  expectSame("nvdla-full", ElementType::F16, {3, 400, 500, 33, 3, 1, 1});
}

} // namespace
