// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs f16 layers on nvdla-full, from convcore through loadable and simulator, and compares them
// with the reference within a tolerance. Also checks which layers become one job.

#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;
using convcore::ActAttr;
using convcore::ActKind;

namespace {

/// Generates a function of random f16 layers.
class FloatMaker {
public:
  explicit FloatMaker(uint32_t seed) : random(seed), builder(&context) {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    device = std::move(*findAccelerator("nvdla-full"));
  }

  void begin(ArrayRef<int64_t> shape) {
    auto loc = UnknownLoc::get(&context);
    auto input = RankedTensorType::get(shape, builder.getF16Type());
    function = builder.create<func::FuncOp>(loc, "layers", builder.getFunctionType({input}, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    values.push_back(block->getArgument(0));
  }

  /// Keeps the layer if the device supports it.
  Value keep(Value value) {
    if (value && whyNot(*device, value.getDefiningOp())) {
      value.getDefiningOp()->erase();
      return {};
    }
    if (value) {
      values.push_back(value);
    }
    return value;
  }

  func::FuncOp finish(ArrayRef<Value> results) {
    builder.create<func::ReturnOp>(function.getLoc(), results);
    function.setType(builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                             ValueRange(results).getTypes()));
    return function;
  }

  convcore::LayerBuilder layer() {
    return {builder, function.getLoc(), static_cast<int64_t>(values.size()), mapping};
  }

  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

  Tensor numbers(ArrayRef<int64_t> shape, double most) {
    Tensor tensor(ElementType::F16, shape);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.setDouble(i, most * static_cast<double>(between(-1000, 1000)) / 1000);
    }
    return tensor;
  }

  ActAttr activation() {
    return chance(40)   ? ActAttr::get(&context, ActKind::Relu)
           : chance(20) ? ActAttr::getClip(&context, 0, 1.5)
           : chance(10) ? ActAttr::getClip(&context, -0.5, 1.5)
                        : ActAttr();
  }

  Value conv(Value x) {
    convcore::LayerBuilder b = layer();
    Shape shape = b.shapeOf(x);
    int64_t groups = chance(25) ? shape[1] : shape[1] % 2 == 0 && chance(20) ? 2 : 1;
    int64_t outputs = groups * between(1, groups == 1 ? 40 : 3);
    int64_t kernel[] = {between(1, std::min<int64_t>(shape[2], 4)),
                        between(1, std::min<int64_t>(shape[3], 4))};
    int64_t strides[] = {between(1, 3), between(1, 3)};
    int64_t dilations[] = {kernel[0] * 2 <= shape[2] && chance(20) ? 2 : 1, 1};
    int64_t pads[] = {between(0, kernel[0] - 1), between(0, kernel[1] - 1),
                      between(0, kernel[0] - 1), between(0, kernel[1] - 1)};
    int64_t taps = shape[1] / groups * kernel[0] * kernel[1];
    Tensor weight = numbers({outputs, shape[1] / groups, kernel[0], kernel[1]},
                            2 / std::sqrt(static_cast<double>(taps)));
    std::optional<Tensor> bias = chance(70) ? std::optional(numbers({outputs}, 0.5)) : std::nullopt;
    return b.conv(x, weight, bias, {strides, pads, dilations, groups}, activation());
  }

  Value pool(Value x) {
    convcore::LayerBuilder b = layer();
    Shape shape = b.shapeOf(x);
    int64_t kernel[] = {between(1, std::min<int64_t>(shape[2], 5)),
                        between(1, std::min<int64_t>(shape[3], 5))};
    int64_t strides[] = {between(1, 3), between(1, 3)};
    bool isMean = chance(40);
    int64_t pad = isMean ? 0 : between(0, std::min(kernel[0], kernel[1]) - 1);
    int64_t pads[] = {pad, pad, 0, 0};
    return b.pool(isMean ? convcore::PoolKind::Average : convcore::PoolKind::Max, x, kernel,
                  strides, pads, /*countIncludePad=*/isMean);
  }

  /// Adds an element-wise op with another value of the same shape, if there is one.
  Value eltwise(Value x) {
    convcore::LayerBuilder b = layer();
    for (Value other : values) {
      if (other != x && other.getType() == x.getType()) {
        convcore::EltwiseKind kinds[] = {convcore::EltwiseKind::Add, convcore::EltwiseKind::Mul,
                                         convcore::EltwiseKind::Max, convcore::EltwiseKind::Min};
        return b.eltwise(chance(60) ? convcore::EltwiseKind::Add : kinds[between(0, 3)], x, other);
      }
    }
    return {};
  }

  Value scale(Value x) {
    convcore::LayerBuilder b = layer();
    int64_t channels = b.shapeOf(x)[1];
    return b.scale(x, numbers({channels}, 1.5), numbers({channels}, 1));
  }

  Value lrn(Value x) {
    convcore::LayerBuilder b = layer();
    auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
    return b.emit<convcore::LrnOp>(x, builder.getI64IntegerAttr(2 * between(1, 4) + 1),
                                   f64(chance(50) ? 1e-4 : 0.3), f64(0.75), f64(1));
  }

  Value concat(Value x) {
    convcore::LayerBuilder b = layer();
    SmallVector<Value> inputs = {x};
    for (Value other : values) {
      Shape with = b.shapeOf(other);
      if (with[2] == b.shapeOf(x)[2] && with[3] == b.shapeOf(x)[3] && inputs.size() < 4) {
        inputs.push_back(other);
      }
    }
    return b.emit<convcore::ConcatOp>(inputs, /*axis=*/1);
  }

  Value slice(Value x) {
    convcore::LayerBuilder b = layer();
    Shape sizes = b.shapeOf(x);
    SmallVector<int64_t> offsets(4, 0);
    offsets[1] = between(0, sizes[1] - 1);
    offsets[1] = chance(50) ? offsets[1] / 16 * 16 : offsets[1];
    sizes[1] = between(1, sizes[1] - offsets[1]);
    return b.emit<convcore::SliceOp>(x, offsets, sizes);
  }

  Value draw() {
    Value x = values[chance(70) ? values.size() - 1
                                : between(0, static_cast<int64_t>(values.size()) - 1)];
    switch (between(0, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return conv(x);
    case 4:
      return pool(x);
    case 5:
    case 6:
      return eltwise(x);
    case 7:
      return scale(x);
    case 8:
      return lrn(x);
    case 9:
      return concat(x);
    default:
      return slice(x);
    }
  }

  std::mt19937 random;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  IRMapping mapping;
  func::FuncOp function;
  std::vector<Value> values;
  std::unique_ptr<Accelerator> device;
};

std::string textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, OpPrintingFlags().elideLargeElementsAttrs(8));
  return text;
}

/// Returns the largest difference from the reference, in units in the last place of the larger of
/// the value and the root mean square.
double worstUlps(FloatMaker &maker) {
  Tensor input =
      maker.numbers(cast<RankedTensorType>(maker.function.getArgumentTypes()[0]).getShape(), 2);
  std::vector<reference::Datum> data = {input};
  auto expected = reference::run(maker.function, data);
  auto results = runOnDevice(maker.function, *maker.device, {input});
  EXPECT_TRUE(succeeded(expected) && succeeded(results));
  double worst = 0;
  for (size_t i = 0; succeeded(expected) && succeeded(results) && i < results->size(); ++i) {
    const Tensor &right = (*expected)[i].tensor;
    double squares = 0;
    for (int64_t j = 0; j < right.size(); ++j) {
      squares += right.asDouble(j) * right.asDouble(j);
    }
    double rms = std::sqrt(squares / static_cast<double>(right.size()));
    for (int64_t j = 0; j < right.size(); ++j) {
      double size = std::max({std::abs(right.asDouble(j)), rms, 1e-3});
      double error = std::abs(right.asDouble(j) - (*results)[i].asDouble(j));
      worst = std::max(worst, error / std::ldexp(1, std::ilogb(size) - 10));
    }
  }
  return worst;
}

TEST(FloatLayers, RandomFunctionsAreNearTheReference) {
  size_t layers = 0;
  for (uint32_t seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    FloatMaker maker(seed);
    maker.begin({1, maker.between(1, 40), maker.between(3, 14), maker.between(3, 14)});
    for (int64_t i = 0, count = maker.between(1, 6); i < count; ++i) {
      maker.keep(maker.draw());
    }
    SmallVector<Value> results = {maker.values.back()};
    if (maker.chance(30)) {
      results.push_back(maker.values[maker.values.size() / 2]);
    }
    maker.finish(results);
    layers += maker.values.size() - 1;
    // Up to six layers may each round differently, and later products amplify the difference.
    EXPECT_LE(worstUlps(maker), 16) << "seed " << seed << "\n" << textOf(maker.function);
  }
  EXPECT_GE(layers, 100U) << "the device supports too few of the random layers";
}

/// Returns the number of jobs per unit.
std::map<std::string, int> unitsOf(FloatMaker &maker) {
  OwningOpRef<func::FuncOp> own = maker.function.clone();
  PassManager passes(&maker.context, "func.func");
  maker.device->addPasses(passes);
  EXPECT_TRUE(succeeded(passes.run(*own)));
  std::map<std::string, int> units;
  own->walk([&](Operation *op) { ++units[op->getName().getStringRef().str()]; });
  return units;
}

TEST(FloatLayers, ResidualBlockIsOneJobPerConvolution) {
  FloatMaker maker(1);
  maker.begin({1, 16, 8, 8});
  Value x = maker.values[0];
  int64_t ones[] = {1, 1};
  int64_t pads[] = {1, 1, 1, 1};
  ActAttr relu = ActAttr::get(&maker.context, ActKind::Relu);
  convcore::LayerBuilder b = maker.layer();
  auto conv = [&](Value from, ActAttr activation) {
    return b.conv(from, maker.numbers({16, 16, 3, 3}, 0.2), maker.numbers({16}, 0.2),
                  {ones, pads, ones, 1}, activation);
  };
  Value first = conv(x, relu);
  Value second = conv(first, {});
  Value sum = b.eltwise(convcore::EltwiseKind::Add, x, second);
  sum.getDefiningOp()->setAttr("activation", relu);
  // The shortcut is a convolution too, created after the other branch.
  Value third = conv(sum, {});
  Value shortcut = conv(sum, {});
  Value both = b.eltwise(convcore::EltwiseKind::Add, third, shortcut);
  maker.finish({both});
  std::map<std::string, int> units = unitsOf(maker);
  EXPECT_EQ(units["nvdla.conv"], 4);
  EXPECT_EQ(units["nvdla.sdp"], 4);
  EXPECT_LE(worstUlps(maker), 8);
}

TEST(FloatLayers, CurvesAreStageY) {
  FloatMaker maker(3);
  maker.begin({1, 20, 9, 9});
  convcore::LayerBuilder b = maker.layer();
  Value x = b.scale(maker.values[0], maker.numbers({20}, 6), std::nullopt);
  Value y = b.activation(x, ActAttr::get(&maker.context, ActKind::Sigmoid));
  Value z = b.activation(y, ActAttr::get(&maker.context, ActKind::Tanh));
  maker.finish({y, z});
  EXPECT_LE(worstUlps(maker), 2);
  // The scale is a stage before the first table; each job has one table.
  EXPECT_EQ(unitsOf(maker)["nvdla.sdp"], 2);
}

/// Planes that are not multiples of a tile: in bands, concatenated, as operands of sums, and before
/// a pool.
TEST(FloatLayers, WinogradIsNearTheReference) {
  struct Case {
    int64_t channels, height, width;
  };
  for (const Case &c : {Case{64, 14, 14}, {40, 13, 30}, {64, 56, 56}, {96, 90, 80}}) {
    FloatMaker maker(3);
    maker.begin({1, c.channels, c.height, c.width});
    Value x = maker.values[0];
    int64_t ones[] = {1, 1};
    int64_t two[] = {2, 2};
    int64_t pads[] = {1, 1, 1, 1};
    int64_t none[] = {0, 0, 0, 0};
    convcore::LayerBuilder b = maker.layer();
    auto conv = [&](Value from, int64_t kernels, int64_t size) {
      int64_t inputs = b.shapeOf(from)[1];
      double most = 2 / std::sqrt(static_cast<double>(inputs * size * size));
      return b.conv(from, maker.numbers({kernels, inputs, size, size}, most),
                    maker.numbers({kernels}, 0.2), {ones, size == 3 ? pads : none, ones, 1},
                    ActAttr());
    };
    Value first = conv(x, 64, 3);
    Value second = conv(first, 64, 3);
    Value sum = b.eltwise(convcore::EltwiseKind::Add, second, conv(x, 64, 1));
    Value joined = b.emit<convcore::ConcatOp>(ValueRange{conv(sum, 20, 3), conv(sum, 64, 3)},
                                              /*axis=*/1);
    Value third = conv(joined, 32, 3);
    Value pooled = b.pool(convcore::PoolKind::Max, third, two, two, none, false);
    maker.finish({pooled, conv(third, 8, 1)});
    OwningOpRef<func::FuncOp> own = maker.function.clone();
    PassManager passes(&maker.context, "func.func");
    maker.device->addPasses(passes);
    ASSERT_TRUE(succeeded(passes.run(*own)));
    int tiled = 0;
    own->walk([&](Operation *op) { tiled += op->hasAttr("winograd"); });
    EXPECT_GE(tiled, 4) << c.height << " x " << c.width;
    EXPECT_LE(worstUlps(maker), 16) << c.height << " x " << c.width;
  }
}

TEST(FloatLayers, SayWhatTheyLack) {
  FloatMaker maker(1);
  maker.begin({1, 4, 4, 4});
  convcore::LayerBuilder b = maker.layer();
  auto reasonOf = [&](Value value) {
    std::optional<Refusal> refusal = whyNot(*maker.device, value.getDefiningOp());
    return refusal ? refusal->reason : "";
  };
  Value x = maker.values[0];
  int64_t two[] = {2, 2};
  int64_t pads[] = {1, 1, 1, 1};
  EXPECT_EQ(reasonOf(b.pool(convcore::PoolKind::Average, x, two, two, pads, false)),
            "the device counts padding in a mean, and this mean does not");
  EXPECT_EQ(reasonOf(b.activation(x, ActAttr::getLeakyRelu(&maker.context, 0.1))),
            "the device supports only the float activations relu, clip, sigmoid and tanh");
  EXPECT_EQ(reasonOf(b.eltwise(convcore::EltwiseKind::Sub, x, x)),
            "the device does not support sub on floats");
  EXPECT_EQ(reasonOf(b.emit<convcore::LrnOp>(x, 4, llvm::APFloat(1e-4), llvm::APFloat(0.75),
                                             llvm::APFloat(1.0))),
            "the device normalizes over 3, 5, 7 or 9 channels, and the op over 4");
}

} // namespace
