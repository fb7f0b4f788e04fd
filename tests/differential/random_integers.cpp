// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs chains of integer layers and products of bytes of random shapes on the reference and on the
// host, for each integer dot-product form and each vector width that the host supports. The results
// must be equal bit for bit.
//
//     random_integers [FIRST SEED [COUNT]]

#include "Kernels/DotProduct.h"
#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;
using graph::ShiftRounding;

namespace {

/// One dimension of a random window.
struct Extent {
  int64_t kernel, stride, dilation, begin, end;
};

class IntegerGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    int64_t channels = random.chance(0.3)   ? 3
                       : random.chance(0.3) ? random.between(51, 200)
                                            : random.between(1, 50);
    Shape input = {random.between(1, 2), channels, random.between(1, 20), random.between(1, 20)};
    hasWords = random.chance(0.3);
    return SeededGraph::make(
        input,
        [&](Value x) {
          for (int64_t layers = random.between(1, 3); layers > 0; --layers) {
            x = layer(x);
          }
          return random.chance(0.3) ? dense(x) : x;
        },
        narrowType());
  }

private:
  ElementType byteType() { return random.chance(0.5) ? ElementType::U8 : ElementType::I8; }
  /// Returns a type of 8 bits, or of 8 or 16 bits in graphs with words.
  ElementType narrowType() {
    ElementType byte = byteType();
    bool isWord = hasWords && random.chance(0.6);
    return !isWord ? byte : byte == ElementType::U8 ? ElementType::U16 : ElementType::I16;
  }
  static int64_t lowest(ElementType type) {
    return isSignedInteger(type) ? -(int64_t(1) << (bitWidth(type) - 1)) : 0;
  }
  static int64_t highest(ElementType type) {
    return lowest(type) + (int64_t(1) << bitWidth(type)) - 1;
  }
  /// Returns a zero point, which is often the lowest value, as after a relu, or 0 in a word.
  int64_t zeroPoint(ElementType type) {
    if (bitWidth(type) == 16 && random.chance(0.5)) {
      return 0;
    }
    return random.chance(0.4) ? lowest(type) : random.between(lowest(type), highest(type));
  }

  /// Returns a bias, null in some layers. An i64 bias makes i64 sums.
  Value biasOf(Value x, int64_t outputs) {
    bool isWide = bitWidth(b.element(x)) == 16 && random.chance(0.6);
    if (!isWide && random.chance(0.3)) {
      return {};
    }
    int64_t most = isWide ? int64_t(1) << 35 : 20000;
    return b.constant(
        randomInts(random, isWide ? ElementType::I64 : ElementType::I32, {outputs}, -most, most));
  }

  Value layer(Value x) {
    switch (random.between(0, 6)) {
    case 0:
      return depthwise(x);
    case 1:
      return add(conv(x, 0, 1), x);
    case 2:
      return maxPool(conv(x));
    case 3:
      return sumPool(conv(x));
    default:
      return conv(x);
    }
  }

  Extent extent(int64_t size, int64_t kernel) {
    int64_t dilation = random.chance(0.2) ? random.between(2, 3) : 1;
    int64_t reach = (kernel - 1) * dilation;
    int64_t begin = random.chance(0.3) ? 0 : random.between(0, reach);
    int64_t end = std::max(reach + 1 - size - begin, random.between(0, reach));
    return {kernel, random.chance(0.6) ? 1 : random.between(1, 3), dilation, begin, end};
  }

  /// Adds a convolution that keeps the sizes of `x` if `kernel` is 1.
  Value conv(Value x, int64_t outputs = 0, int64_t kernel = 0) {
    Shape shape = shapeOf(x);
    bool keeps = kernel == 1;
    bool isGrouped = !keeps && shape[1] % 16 == 0 && shape[1] > 16 && random.chance(0.5);
    int64_t groups = isGrouped ? shape[1] / 16 : 1;
    outputs = outputs     ? outputs
              : keeps     ? shape[1]
              : isGrouped ? shape[1] * random.between(1, 2)
                          : random.between(1, 70);
    static constexpr int64_t kKernels[] = {1, 1, 3, 3, 2, 5, 7};
    int64_t size = keeps ? 1 : random.pick(kKernels);
    Extent rows = extent(shape[2], size);
    Extent columns = extent(shape[3], size);
    if (keeps) {
      rows = columns = {1, 1, 1, 0, 0};
    }
    return windowed(x, {outputs, shape[1] / groups, size, size}, rows, columns, groups);
  }

  Value depthwise(Value x) {
    Shape shape = shapeOf(x);
    int64_t size = random.between(1, 5);
    return windowed(x, {shape[1], 1, size, size}, extent(shape[2], size), extent(shape[3], size),
                    shape[1]);
  }

  /// Returns the vectors of channels: the bias, if there is one.
  static SmallVector<Value> presentOf(Value bias) {
    return bias ? SmallVector<Value>{bias} : SmallVector<Value>();
  }

  Value windowed(Value x, ArrayRef<int64_t> weight, const Extent &rows, const Extent &columns,
                 int64_t groups) {
    auto [weights, weightZero] = weightsOf(weight);
    Value bias = biasOf(x, weight[0]);
    int64_t strides[] = {rows.stride, columns.stride};
    int64_t pads[] = {rows.begin, columns.begin, rows.end, columns.end};
    int64_t dilations[] = {rows.dilation, columns.dilation};
    Value sums = b.emit<graph::IntegerConvOp>(x, weights, presentOf(bias), zeroPoint(b.element(x)),
                                              weightZero, strides, pads, dilations, groups);
    return rescaled(sums, static_cast<double>(weight[1] * weight[2] * weight[3]), b.element(x));
  }

  /// Returns weights and their zero point, mostly ones that the dot-product templates support.
  std::pair<Value, int64_t> weightsOf(ArrayRef<int64_t> shape) {
    bool isSigned = random.chance(0.7);
    ElementType type = isSigned ? ElementType::I8 : ElementType::U8;
    int64_t zero = isSigned ? 0 : 128;
    if (random.chance(0.1)) {
      zero = lowest(type) + random.between(0, 255);
    }
    return {b.constant(randomInts(random, type, shape, lowest(type), lowest(type) + 255)), zero};
  }

  /// Rescales sums of `products` products with inputs of type `from` to 8 or 16 bits. Some
  /// multipliers produce ties, and some results exceed 32 bits. The products of i64 sums, which are
  /// below 2^42, stay below 2^62.
  Value rescaled(Value sums, double products, ElementType from) {
    ElementType to = narrowType();
    int64_t most = b.element(sums) == ElementType::I64 ? 20 : 31; // bits of a multiplier
    int64_t channels = random.chance(0.7) ? shapeOf(sums)[1] : 1;
    Shape shape = channels == 1 ? Shape() : Shape{channels};
    Tensor multipliers(ElementType::I32, shape);
    Tensor shifts(ElementType::I32, shape);
    bool isRound = random.chance(0.3);
    bool isLarge = random.chance(0.1);
    for (int64_t i = 0; i < channels; ++i) {
      // About the number of bits by which the sums exceed the result.
      auto bits = static_cast<int64_t>(std::log2(products * 5000) / 2) + random.between(4, 7);
      bits = std::max<int64_t>(bits + bitWidth(from) - bitWidth(to), 1);
      int64_t multiplier = isRound
                               ? random.between(1, 3)
                               : random.between(int64_t(1) << (most - 1), (int64_t(1) << most) - 1);
      multipliers.setInt(i, isLarge ? random.between(1, (int64_t(1) << most) - 1) : multiplier);
      shifts.setInt(i, isLarge ? random.between(1, most - 1) : isRound ? bits : bits + most - 1);
    }
    int64_t low = lowest(to) + (random.chance(0.3) ? random.between(0, 60) : 0);
    int64_t high = highest(to) - (random.chance(0.3) ? random.between(0, 60) : 0);
    static constexpr ShiftRounding kRoundings[] = {ShiftRounding::HalfEven, ShiftRounding::HalfEven,
                                                   ShiftRounding::HalfAway, ShiftRounding::HalfUp};
    ShiftRounding rounding = random.pick(kRoundings);
    return b.emit<graph::RequantizeOp>(sums, b.constant(multipliers), b.constant(shifts),
                                       int64_t(1), toMlir(to, builder.getContext()), int64_t(0),
                                       zeroPoint(to), low, high, rounding);
  }

  Value add(Value lhs, Value rhs) {
    ElementType to = narrowType();
    int64_t shift = random.between(10, hasWords ? 30 : 20);
    auto factor = [&] { return random.between(1, (int64_t(1) << shift)); };
    return b.emit<graph::IntegerAddOp>(
        lhs, rhs, toMlir(to, builder.getContext()), zeroPoint(b.element(lhs)),
        zeroPoint(b.element(rhs)), factor(), factor() * (random.chance(0.5) ? 1 : -1), shift,
        zeroPoint(to), lowest(to), highest(to), ShiftRounding::HalfEven);
  }

  Value maxPool(Value x) {
    Shape shape = shapeOf(x);
    int64_t kernel[] = {std::min<int64_t>(2, shape[2]), std::min<int64_t>(3, shape[3])};
    int64_t strides[] = {random.between(1, 2), random.between(1, 2)};
    int64_t pads[] = {0, kernel[1] / 2, kernel[0] / 2, 0};
    int64_t dilations[] = {1, 1};
    Operation *op = b.infer(builder.create<graph::MaxPoolOp>(
        loc, TypeRange{b.placeholder(), b.placeholder()}, x, kernel, strides, pads, dilations,
        /*ceilMode=*/false, /*columnMajor=*/false));
    return op->getResult(0);
  }

  Value sumPool(Value x) {
    Shape shape = shapeOf(x);
    int64_t kernel[] = {shape[2], shape[3]};
    int64_t strides[] = {1, 1};
    int64_t pads[] = {0, 0, 0, 0};
    int64_t dilations[] = {1, 1};
    Value sums = b.emit<graph::IntegerSumPoolOp>(x, zeroPoint(b.element(x)), kernel, strides, pads,
                                                 dilations, /*ceilMode=*/false);
    return rescaled(sums, 1, b.element(x));
  }

  Value dense(Value x) {
    Shape shape = shapeOf(x);
    int64_t inputs = shape[1] * shape[2] * shape[3];
    Value rows = b.reshape(x, {shape[0], inputs});
    int64_t outputs = random.between(1, 40);
    auto [weights, weightZero] = weightsOf({inputs, outputs});
    Value bias = hasWords ? biasOf(x, outputs) : Value();
    Value sums = b.emit<graph::IntegerMatMulOp>(rows, weights, presentOf(bias),
                                                zeroPoint(b.element(x)), weightZero);
    return rescaled(sums, static_cast<double>(inputs), b.element(x));
  }

  bool hasWords = false;
};

/// Products of 8-bit matrices with zero points that are constant or computed at run time.
class BytesGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    int64_t rows = random.chance(0.3) ? random.between(1, 5) : random.between(1, 90);
    return SeededGraph::make(
        {rows, depth()},
        [&](Value x) {
          Value y = product(x, depth());
          return random.chance(0.4)
                     ? product(quantized(b.cast(y, ElementType::F32)), random.between(1, 60))
                 : random.chance(0.7) ? real(y)
                                      : y;
        },
        byteType());
  }

private:
  ElementType byteType() { return random.chance(0.5) ? ElementType::U8 : ElementType::I8; }
  static int64_t lowest(ElementType type) { return type == ElementType::I8 ? -128 : 0; }
  /// Returns a depth or a number of columns, which is often a multiple of a tile.
  int64_t depth() {
    return random.chance(0.3) ? 64 * random.between(1, 3) : random.between(1, 150);
  }
  /// Returns a number at an end of the range or between the ends.
  int64_t anyByte(ElementType type) {
    int64_t offset = random.chance(0.5) ? 255 * random.between(0, 1) : random.between(0, 255);
    return lowest(type) + offset;
  }

  Value product(Value x, int64_t columns) {
    ElementType type = byteType();
    Shape shape = shapeOf(x);
    Tensor weights(type, {shape[1], columns});
    bool isExtreme = random.chance(0.2);
    for (int64_t i = 0; i < weights.size(); ++i) {
      weights.setInt(i, lowest(type) +
                            (isExtreme ? 255 * random.between(0, 1) : random.between(0, 255)));
    }
    return b.emit<graph::ByteMatMulOp>(x, b.constant(weights), leftZero(x),
                                       rightZero(type, columns));
  }

  /// Returns a constant, or the largest element of the matrix or of each row.
  Value leftZero(Value x) {
    switch (random.between(0, 2)) {
    case 0:
      return b.constant(Tensor::scalar(b.element(x), static_cast<double>(anyByte(b.element(x)))));
    case 1:
      return b.reshape(b.reduce(graph::ReduceKind::Max, x, {0, 1}), {});
    default:
      return b.reduce(graph::ReduceKind::Max, x, {1});
    }
  }

  Value rightZero(ElementType type, int64_t columns) {
    if (random.chance(0.6)) {
      return b.constant(Tensor::scalar(type, static_cast<double>(anyByte(type))));
    }
    return b.constant(randomInts(random, type, {1, columns}, lowest(type), lowest(type) + 255));
  }

  /// Scales sums and adds a bias, as exporters do after MatMulInteger.
  Value real(Value sums) {
    Value scaled =
        b.mul(b.cast(sums, ElementType::F32), b.constant(Tensor::scalar(ElementType::F32, 0.001)));
    Value y = b.add(scaled, constant({shapeOf(sums)[1]}));
    return random.chance(0.5) ? b.unary(graph::UnaryKind::Relu, y) : y;
  }

  Value quantized(Value x) {
    Operation *scale = b.infer(
        builder.create<graph::DynamicScaleOp>(loc, TypeRange{b.placeholder(), b.placeholder()}, x));
    return b.emit<graph::QuantizeLinearOp>(x, scale->getResult(0), scale->getResult(1),
                                           toMlir(ElementType::U8, builder.getContext()),
                                           int64_t(0), int64_t(0), /*saturate=*/true);
  }
};

/// Returns the machine descriptions that this CPU can run, the fastest first.
std::vector<kernels::Machine> machines() {
  kernels::Machine host = machineOf(targets::detectHost());
  std::vector<kernels::Machine> all;
  if (host.hasTiles) {
    all.push_back(host);
    host.hasTiles = false;
  }
  for (kernels::DotForm form : {kernels::DotForm::Bytes, kernels::DotForm::Pairs}) {
    for (int64_t bytes : {64, 32, 16}) {
      kernels::Machine machine = host;
      machine.vectorBytes = bytes;
      machine.vectorRegisters = bytes == 64 ? 32 : 16;
      machine.dot = form;
      if (bytes <= host.vectorBytes && form <= host.dot) {
        all.push_back(machine);
      }
    }
  }
  return all;
}

/// Numbers of kernels that use integer templates, in total, on tile registers, and of products of
/// bytes.
struct Taken {
  int64_t all = 0, onTiles = 0, bytes = 0;
};

void countTaken(ModuleOp module, const kernels::Machine &machine, Taken &taken) {
  OwningOpRef<ModuleOp> copy = module.clone();
  StageOptions options;
  options.machine = machine;
  if (succeeded(runStages(*copy, options, "", "layout"))) {
    copy->walk([&](graph::KernelOp kernel) {
      Attribute config = kernel.getConfigAttr();
      bool isOnTiles = isa_and_nonnull<kernels::ConvTilesAttr>(config);
      bool isOther = isa_and_nonnull<kernels::ConvDotAttr, kernels::DepthwiseAttr>(config);
      taken.bytes += isa_and_nonnull<kernels::ProductBytesAttr>(config);
      taken.all += isOnTiles || isOther;
      taken.onTiles += isOnTiles;
    });
  }
}

template <typename GraphT>
std::string compareGraph(uint64_t seed, const kernels::Machine &machine, Taken &taken) {
  GraphContext context;
  GraphT graph(&context, seed);
  graph.make();
  int64_t threads = seed % 5 == 0 ? 3 : 1;
  return compareWithReference(
      graph, seed,
      [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        countTaken(module, machine, taken);
        return runOnHostAs(machine, module, inputs, outputs, threads);
      },
      std::is_same_v<GraphT, BytesGraph>);
}

std::string compare(uint64_t seed, const kernels::Machine &machine, Taken &taken) {
  std::string problem = compareGraph<IntegerGraph>(seed, machine, taken);
  return problem.empty() ? compareGraph<BytesGraph>(seed, machine, taken) : problem;
}

std::string describe(const kernels::Machine &machine) {
  return "vectors of " + std::to_string(machine.vectorBytes) + " bytes, " +
         kernels::stringifyDotForm(machine.dot).str() + (machine.hasTiles ? ", tiles: " : ": ");
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 24};
  std::vector<kernels::Machine> all = machines();
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  if (all.empty()) {
    llvm::outs() << "SKIPPED: no integer template supports this CPU\n";
    return 0;
  }
  Taken taken;
  int failed = seeds.forEach([&](uint64_t seed) {
    if (seeds.count > 1) {
      // Every second seed uses the fastest machine, which most models run on.
      return compare(seed, all[seed % 2 == 0 ? 0 : seed / 2 % all.size()], taken);
    }
    std::string problems; // With one seed, runs every machine to show which ones fail.
    all.push_back(all[0]);
    all.back().dot = kernels::DotForm::None; // generic loops, for comparison
    for (const kernels::Machine &machine : all) {
      std::string problem = compare(seed, machine, taken);
      problems += problem.empty() ? "" : describe(machine) + problem + "; ";
    }
    return problems;
  });
  llvm::outs() << 2 * seeds.count << " graphs, " << taken.all << " kernels by integer templates, "
               << taken.onTiles << " on tile registers, " << taken.bytes << " products of bytes, "
               << failed << " failed\n";
  bool isCovered = taken.all >= static_cast<int64_t>(seeds.count) &&
                   taken.bytes >= static_cast<int64_t>(seeds.count) &&
                   (!all[0].hasTiles || seeds.count == 1 || taken.onTiles > 0);
  return failed || !isCovered ? 1 : 0;
}
