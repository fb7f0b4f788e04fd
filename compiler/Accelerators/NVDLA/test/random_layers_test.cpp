// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random functions of integer layers on NVDLA's configurations, from convcore through loadable
// and simulator. Every byte must equal the reference. The generator also makes layers beyond the
// device's limits and drops the rejected ones.

#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/LayerBuilder.h"
#include "Graph/Graph.h"
#include "mlir/Pass/PassManager.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

class LayerMaker {
public:
  LayerMaker(const Accelerator &device, uint32_t seed)
      : device(device), random(seed), builder(&context) {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
  }

  func::FuncOp make() {
    auto loc = UnknownLoc::get(&context);
    auto input = RankedTensorType::get({1, between(1, 40), between(3, 14), between(3, 14)},
                                       toMlir(pick(), &context));
    auto function =
        builder.create<func::FuncOp>(loc, "layers", builder.getFunctionType({input}, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    values.push_back(block->getArgument(0));
    for (int64_t i = 0, layers = between(1, 6); i < layers; ++i) {
      IRMapping mapping;
      convcore::LayerBuilder b(builder, loc, i, mapping);
      Value value = draw(b);
      if (value && whyNot(device, value.getDefiningOp())) {
        value.getDefiningOp()->erase();
        value = Value();
      }
      if (value) {
        values.push_back(value);
      }
    }
    SmallVector<Value> results = {values.back()};
    if (chance(30)) {
      results.push_back(values[between(0, static_cast<int64_t>(values.size()) - 1)]);
    }
    builder.create<func::ReturnOp>(loc, results);
    function.setType(
        builder.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
    return function;
  }

  size_t layers() const { return values.size() - 1; }

private:
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  ElementType pick() { return chance(50) ? ElementType::I8 : ElementType::U8; }

  Tensor numbers(ElementType type, ArrayRef<int64_t> shape, int64_t low, int64_t high) {
    Tensor tensor(type, shape);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.setInt(i, between(low, high));
    }
    return tensor;
  }

  /// `reach` is the approximate magnitude of the sums, so that results cover the type's range.
  convcore::RequantAttr requant(ElementType type, int64_t channels, double reach) {
    int64_t shift = between(8, 20);
    SmallVector<int64_t> multipliers;
    SmallVector<int64_t> shifts;
    for (int64_t c = 0; c < channels; ++c) {
      double factor = 100.0 / reach * static_cast<double>(between(50, 150)) / 100;
      auto multiplier = static_cast<int64_t>(factor * static_cast<double>(int64_t{1} << shift));
      multipliers.push_back(std::clamp<int64_t>(multiplier, 1, 32767));
      shifts.push_back(shift);
    }
    int64_t lowest = type == ElementType::U8 ? 0 : -128;
    int64_t zero = lowest + between(0, 255);
    int64_t low = chance(30) ? zero : chance(20) ? lowest + between(0, 100) : lowest;
    int64_t high = chance(20) ? between(std::max(low, lowest + 128), lowest + 255) : lowest + 255;
    return convcore::RequantAttr::get(&context, toMlir(type, &context), multipliers, shifts, zero,
                                      low, high, graph::ShiftRounding::HalfAway);
  }

  int64_t zeroPointOf(Value value, convcore::LayerBuilder &b) {
    return (b.elementOf(value) == ElementType::U8 ? 0 : -128) + between(0, 255);
  }

  Value draw(convcore::LayerBuilder &b) {
    Value x = values[chance(70) ? values.size() - 1
                                : between(0, static_cast<int64_t>(values.size()) - 1)];
    switch (between(0, 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return conv(x, b);
    case 4:
      return pool(x, b);
    case 5:
    case 6:
      return add(x, b);
    case 7:
      return concat(x, b);
    case 8:
      return slice(x, b);
    case 9:
      return lrn(x, b);
    case 10:
      return lookup(x, b);
    default:
      return b.emit<convcore::RequantizeOp>(x, zeroPointOf(x, b), requant(pick(), 1, 120));
    }
  }

  Value conv(Value x, convcore::LayerBuilder &b) {
    Shape shape = b.shapeOf(x);
    int64_t groups = chance(25) ? shape[1] : shape[1] % 2 == 0 && chance(20) ? 2 : 1;
    int64_t outputs = groups * between(1, groups == 1 ? 40 : 3);
    int64_t kernel[] = {between(1, std::min<int64_t>(shape[2], 4)),
                        between(1, std::min<int64_t>(shape[3], 4))};
    int64_t strides[] = {between(1, 3), between(1, 3)};
    int64_t dilations[] = {kernel[0] * 2 <= shape[2] && chance(20) ? 2 : 1, 1};
    int64_t pads[] = {between(0, kernel[0] - 1), between(0, kernel[1] - 1),
                      between(0, kernel[0] - 1), between(0, kernel[1] - 1)};
    bool isUnsigned = chance(20);
    ElementType type = isUnsigned ? ElementType::U8 : ElementType::I8;
    int64_t zero = isUnsigned ? 128 : 0;
    Tensor weight =
        numbers(type, {outputs, shape[1] / groups, kernel[0], kernel[1]}, zero - 128, zero + 127);
    double reach =
        5000.0 * std::sqrt(static_cast<double>(weight.size()) / static_cast<double>(outputs));
    auto most = static_cast<int64_t>(reach) * (chance(50) ? 2 : 1) / (chance(50) ? 40 : 1);
    Value bias =
        chance(70) ? b.constant(numbers(ElementType::I32, {outputs}, -most, most)) : Value();
    return b.emit<convcore::ConvOp>(x, b.constant(weight), bias, ArrayRef<int64_t>(strides),
                                    ArrayRef<int64_t>(pads), ArrayRef<int64_t>(dilations), groups,
                                    zeroPointOf(x, b), zero, convcore::ActAttr(),
                                    requant(pick(), chance(50) ? outputs : 1, reach));
  }

  Value pool(Value x, convcore::LayerBuilder &b) {
    Shape shape = b.shapeOf(x);
    int64_t kernel[] = {between(1, std::min<int64_t>(shape[2], 8)),
                        between(1, std::min<int64_t>(shape[3], 8))};
    int64_t strides[] = {between(1, 3), between(1, 3)};
    int64_t pads[] = {between(0, kernel[0] / 2), between(0, kernel[1] / 2), 0, 0};
    pads[0] = std::min(pads[0], kernel[0] - 1);
    pads[1] = std::min(pads[1], kernel[1] - 1);
    if (chance(20)) {
      int64_t origin = b.elementOf(x) == ElementType::U8 ? 128 : 0;
      return b.emit<convcore::PoolOp>(x, convcore::PoolKind::Average, ArrayRef<int64_t>(kernel),
                                      ArrayRef<int64_t>(strides), ArrayRef<int64_t>(pads),
                                      /*countIncludePad=*/true, origin, convcore::RequantAttr(),
                                      /*byAxis=*/true);
    }
    if (chance(40)) {
      return b.pool(convcore::PoolKind::Average, x, kernel, strides, pads, /*countIncludePad=*/true,
                    zeroPointOf(x, b),
                    requant(pick(), 1, 100.0 * static_cast<double>(kernel[0] * kernel[1])));
    }
    return b.pool(chance(80) ? convcore::PoolKind::Max : convcore::PoolKind::Min, x, kernel,
                  strides, pads, /*countIncludePad=*/false);
  }

  /// Adds a value of the same type, or the layer itself.
  Value add(Value x, convcore::LayerBuilder &b) {
    Value y;
    for (Value other : values) {
      y = other != x && other.getType() == x.getType() ? other : y;
    }
    if (!y) {
      return {};
    }
    int64_t common = between(1, 200);
    int64_t power = common << between(0, 6);
    ElementType type = pick();
    bool isScaled = chance(60); // the zero point is then a part of the sum
    int64_t factor = isScaled ? common * between(1, 127) * (chance(20) ? -1 : 1) : common;
    int64_t lowest = type == ElementType::U8 ? 0 : -128;
    int64_t zero = isScaled ? lowest + 128 : 3;
    auto kind = chance(80) ? convcore::EltwiseKind::Add : convcore::EltwiseKind::Sub;
    bool isLeftShifted = kind == convcore::EltwiseKind::Sub || chance(50);
    int64_t bias = isScaled && chance(70) ? common * between(-5000, 5000) : 0;
    return b.emit<convcore::EltwiseOp>(
        x, y, kind, zeroPointOf(x, b), zeroPointOf(y, b), isLeftShifted ? power : factor,
        isLeftShifted ? factor : power, convcore::ActAttr(),
        convcore::RequantAttr::get(&context, toMlir(type, &context), {1}, {between(8, 16)}, zero,
                                   chance(50) ? lowest : zero, chance(80) ? lowest + 255 : 120,
                                   graph::ShiftRounding::HalfAway),
        bias);
  }

  /// Adds an LRN whose tables have random entries. The far table may start before the near one
  /// ends.
  Value lrn(Value x, convcore::LayerBuilder &b) {
    bool isNearLong = chance(50);
    auto table = [&](int64_t entries) {
      return b.constant(numbers(ElementType::I16, {entries}, -32768, 32767));
    };
    int64_t nearShift = between(0, 10);
    int64_t nearEnd = (isNearLong ? 256 : 64) << nearShift;
    ElementType type = pick();
    int64_t lowest = type == ElementType::U8 ? 0 : -128;
    auto rescale = convcore::RequantAttr::get(&context, toMlir(type, &context), {between(1, 32767)},
                                              {between(20, 36)}, lowest + 128, lowest, lowest + 255,
                                              graph::ShiftRounding::HalfAway);
    return b.emit<convcore::IntegerLrnOp>(
        x, table(isNearLong ? 257 : 65), table(isNearLong ? 65 : 257), 2 * between(1, 4) + 1,
        zeroPointOf(x, b), nearShift, chance(70) ? nearEnd : between(0, nearEnd), between(0, 14),
        between(-(1 << 23), 1 << 23), rescale);
  }

  Value lookup(Value x, convcore::LayerBuilder &b) {
    ElementType type = pick();
    int64_t lowest = type == ElementType::U8 ? 0 : -128;
    return b.emit<convcore::LookupOp>(x, b.constant(numbers(type, {256}, lowest, lowest + 255)));
  }

  Value concat(Value x, convcore::LayerBuilder &b) {
    SmallVector<Value> inputs = {x};
    Shape shape = b.shapeOf(x);
    for (Value other : values) {
      Shape with = b.shapeOf(other);
      bool isAlike =
          with[2] == shape[2] && with[3] == shape[3] && b.elementOf(other) == b.elementOf(x);
      if (isAlike && inputs.size() < 4) {
        inputs.push_back(other);
      }
    }
    return b.emit<convcore::ConcatOp>(inputs, /*axis=*/1);
  }

  Value slice(Value x, convcore::LayerBuilder &b) {
    Shape sizes = b.shapeOf(x);
    SmallVector<int64_t> offsets(4, 0);
    for (size_t i = 1; i < 4; ++i) {
      if (chance(50)) {
        offsets[i] = between(0, sizes[i] - 1);
        offsets[i] = i == 1 && chance(50) ? offsets[i] / 8 * 8 : offsets[i];
        sizes[i] = between(1, sizes[i] - offsets[i]);
      }
    }
    return b.emit<convcore::SliceOp>(x, offsets, sizes);
  }

  const Accelerator &device;
  std::mt19937 random;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  std::vector<Value> values;
};

Tensor anyBytes(Type type, uint32_t seed) {
  auto ranked = cast<RankedTensorType>(type);
  Tensor tensor(fromMlir(ranked.getElementType()), ranked.getShape());
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensor.bytes(); ++i) {
    tensor.mutableData<uint8_t>()[i] = static_cast<uint8_t>(random());
  }
  return tensor;
}

std::string textOf(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream(text) << function;
  return text;
}

/// Compares one seed; returns how many layers the device ran.
size_t compare(const std::string &target, uint32_t seed) {
  SCOPED_TRACE(target + ", seed " + std::to_string(seed));
  auto device = findAccelerator(target);
  LayerMaker maker(**device, seed);
  func::FuncOp function = maker.make();
  std::vector<Tensor> inputs;
  std::vector<reference::Datum> data;
  for (Type type : function.getArgumentTypes()) {
    inputs.push_back(anyBytes(type, seed));
    data.emplace_back(inputs.back());
  }
  auto expected = reference::run(function, data);
  auto results = runOnDevice(function, **device, inputs);
  EXPECT_TRUE(succeeded(expected) && succeeded(results));
  for (size_t i = 0; succeeded(expected) && succeeded(results) && i < results->size(); ++i) {
    const Tensor &right = (*expected)[i].tensor;
    EXPECT_EQ(right.bytes(), (*results)[i].bytes());
    EXPECT_EQ(std::memcmp(right.raw(), (*results)[i].raw(), right.bytes()), 0)
        << "result " << i << " of\n"
        << textOf(function);
  }
  return maker.layers();
}

class RandomLayers : public ::testing::TestWithParam<const char *> {};

TEST_P(RandomLayers, GiveTheReferencesBytes) {
  size_t layers = 0;
  for (uint32_t seed = 1; seed <= 50 && !HasFailure(); ++seed) {
    layers += compare(GetParam(), seed);
  }
  EXPECT_GE(layers, 100u) << "the device supports too few of the random layers";
}

INSTANTIATE_TEST_SUITE_P(Targets, RandomLayers,
                         ::testing::Values("nvdla-small", "nvdla-small:optimize=memory",
                                           "nvdla-small-256", "nvdla-medium-512", "nvdla-large",
                                           "nvdla-full", "nvdla-large:profile=separate",
                                           "nvdla-large:groups=dense"));

} // namespace
