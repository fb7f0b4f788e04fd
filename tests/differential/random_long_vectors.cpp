// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles convolutions of random shapes for a machine whose vectors are longer than the channel
// count of most layers, and compares the results with the reference. The host executes the long
// vectors in parts.
//
//     random_long_vectors [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// A sequence of convolutions, some followed by a residual or a pool.
class ConvGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  /// With `isFast`, makes layers that fast math computes as Winograd tiles.
  ModuleOp make(bool isFast) {
    Shape input = {random.between(1, 2), random.between(1, 5), random.between(1, 30),
                   random.between(1, 40)};
    bool isBlocked = isFast && random.chance(0.5);
    if (isBlocked) {
      input = {random.between(1, 2), random.between(40, 64), random.between(4, 8),
               random.between(4, 8)};
    } else if (isFast) {
      input = {random.between(1, 2), random.between(8, 20), random.between(20, 40),
               random.between(20, 50)};
    }
    return SeededGraph::make(
        input, [&](Value x) { return isFast ? tiledConvs(x, isBlocked) : someConvs(x); });
  }

private:
  Value someConvs(Value x) {
    Value y = behind(conv(x, random.between(1, 10)));
    return behind(conv(y, random.chance(0.3) ? random.between(60, 300) : random.between(1, 10)));
  }

  /// Adds two 3 x 3 convolutions, with many channels or with many tiles.
  Value tiledConvs(Value x, bool isBlocked) {
    auto channels = [&] { return isBlocked ? random.between(50, 80) : random.between(8, 20); };
    Value y = behind(threeByThree(x, channels()));
    Shape shape = shapeOf(y);
    return shape[2] > 2 && shape[3] > 2 ? behind(threeByThree(y, channels())) : y;
  }

  Value threeByThree(Value x, int64_t outputs) {
    Shape ones = {1, 1};
    Shape pads = {random.between(0, 2), random.between(0, 2), random.between(0, 2),
                  random.between(0, 2)};
    Tensor weight = randomTensor(random, ElementType::F32, {outputs, shapeOf(x)[1], 3, 3});
    for (float &factor : llvm::MutableArrayRef(weight.mutableData<float>(), weight.size())) {
      factor *= 0.02F; // keeps the magnitude of the values
    }
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, b.constant(weight), bias, ones, pads, ones, 1);
  }

  Value conv(Value x, int64_t outputs) {
    Shape shape = shapeOf(x);
    Shape weight = {outputs, shape[1]}, strides, dilations, begins, ends;
    bool isPointwise = random.chance(0.3);
    for (int64_t dim : {shape[2], shape[3]}) {
      static constexpr int64_t kKernels[] = {3, 3, 1, 2, 5, 7};
      int64_t kernel = isPointwise ? 1 : random.pick(kKernels);
      int64_t dilation = random.chance(0.2) ? random.between(2, 3) : 1;
      int64_t reach = (kernel - 1) * dilation;
      int64_t begin = random.chance(0.2) ? 0 : random.between(0, reach);
      int64_t end = std::max(reach + 1 - dim - begin, random.between(0, reach));
      weight.push_back(kernel);
      strides.push_back(random.chance(0.6) ? 1 : random.between(1, 3));
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(end);
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, constant(weight), bias, strides, begins, dilations, 1);
  }

  Value pool(Value y) {
    Shape kernel, strides, dilations, begins, ends;
    for (int64_t dim : ArrayRef<int64_t>(shapeOf(y)).drop_front(2)) {
      kernel.push_back(random.between(1, std::min<int64_t>(dim, 4)));
      strides.push_back(random.between(1, 3));
      dilations.push_back(1);
      begins.push_back(random.between(0, kernel.back() - 1));
      ends.push_back(random.between(0, kernel.back() - 1));
    }
    begins.append(ends);
    return b
        .infer(builder.create<graph::MaxPoolOp>(loc, b.placeholder(), b.placeholder(), y, kernel,
                                                strides, begins, dilations, /*ceilMode=*/false,
                                                /*columnMajor=*/false))
        ->getResult(0);
  }

  Value behind(Value y) {
    Shape shape = shapeOf(y);
    switch (random.between(0, 7)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.add(y, constant(shape));
    case 2:
      return b.mul(y, constant({1, shape[1], 1, 1}));
    case 3:
      return b.mul(y, constant({1, 1, shape[2], 1})); // rows differ, so the loop is no longer flat
    case 4:
      return b.add(b.unary(graph::UnaryKind::Relu, y), y);
    case 5:
    case 6:
      return pool(y);
    default:
      return y;
    }
  }
};

kernels::Machine longVectors(uint64_t seed) {
  kernels::Machine machine;
  machine.vectorBytes = seed % 2 == 0 ? 256 : 1024;
  machine.vectorRegisters = seed % 3 == 0 ? 8 : 4;
  machine.fmaPorts = 1;
  machine.hasScalarOperands = true;
  return machine;
}

struct Taken {
  int64_t flat = 0, banded = 0, direct = 0, pools = 0, tiles = 0, blockedTiles = 0;
};

void countTaken(ModuleOp module, const kernels::Machine &machine, bool isFast, Taken &taken) {
  OwningOpRef<ModuleOp> copy = module.clone();
  StageOptions options;
  options.machine = machine;
  options.layout.isStrictMath = !isFast;
  if (failed(runStages(*copy, options, "", "layout"))) {
    return;
  }
  copy->walk([&](graph::KernelOp kernel) {
    if (auto pixels = dyn_cast_or_null<kernels::ConvPixelsAttr>(kernel.getConfigAttr())) {
      ++(pixels.getRows() == 0 ? taken.flat : taken.banded);
    }
    taken.pools += isa_and_nonnull<kernels::PoolPixelsAttr>(kernel.getConfigAttr());
    taken.tiles += isa_and_nonnull<kernels::WinogradPixelsAttr>(kernel.getConfigAttr());
    taken.blockedTiles += isa_and_nonnull<kernels::WinogradAttr>(kernel.getConfigAttr());
    taken.direct += isa_and_nonnull<kernels::ConvDirectAttr>(kernel.getConfigAttr());
  });
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, Taken &taken) {
  GraphContext context;
  ConvGraph graph(&context, seed);
  bool isFast = seed % 4 == 0 || seed % 4 == 3;
  graph.make(isFast);
  kernels::Machine machine = longVectors(seed);
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        countTaken(module, machine, isFast, taken);
        return runOnHostAs(machine, module, inputs, outputs, 1 + seed % 5, !isFast);
      });
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 80};
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  Taken taken;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, taken); });
  llvm::outs() << seeds.count << " graphs, kernels with lanes along pixels: " << taken.flat
               << " in place, " << taken.banded << " by bands; along channels: " << taken.direct
               << "; along tiles: " << taken.tiles
               << ", along channels of tiles: " << taken.blockedTiles << "; pools: " << taken.pools
               << "; " << failed << " failed\n";
  // Fails if a template is used by few graphs, because the test would not cover it.
  auto share = static_cast<int64_t>(seeds.count) / 20;
  bool isCovered = taken.flat >= share && taken.banded >= 5 * share && taken.direct >= share &&
                   taken.pools >= share && taken.tiles >= 2 * share && taken.blockedTiles >= share;
  return failed || !isCovered ? 1 : 0;
}
