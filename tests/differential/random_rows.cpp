// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs normalizations and softmax of random shapes on the reference and on the host and compares
// the results. The host compiles for its own vectors or for shorter or longer ones, with one thread
// or several.
//
//     random_rows [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "tests/differential/SeededGraph.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;
using convoy::graph::ReduceKind;
using convoy::graph::UnaryKind;

namespace {

/// x -> element-wise op -> normalization -> element-wise op.
class RowsGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    static constexpr int64_t kLengths[] = {2, 3, 5, 8, 15, 16, 17, 31, 32, 100, 384, 1000, 5000};
    int64_t length = random.pick(kLengths);
    Shape shape = {random.between(1, 3), random.between(1, 5), length};
    axes = {2};
    switch (random.between(0, 4)) {
    case 0: // The reduction covers several dimensions.
      shape = {shape[0], shape[1], random.between(1, 4), random.between(1, 40)};
      axes = {2, 3};
      break;
    case 1:
      shape = {shape[0], random.between(1, 4), random.between(2, 40)};
      axes = {1, 2};
      break;
    case 2: // One row.
      shape = {length};
      axes = {0};
      break;
    default:
      break;
    }
    return SeededGraph::make(shape, [&](Value x) { return after(norm(before(x))); });
  }

private:
  Value reduce(ReduceKind kind, Value x) {
    if (random.chance(0.7)) {
      return b.reduce(kind, x, axes);
    }
    // Exporters also write a reduction and a reshape.
    Value dropped = b.emit<graph::ReduceOp>(kind, x, b.ints(axes), /*keepDims=*/false,
                                            /*noopWithEmptyAxes=*/true);
    Shape shape = shapeOf(x);
    for (int64_t axis : axes) {
      shape[axis] = 1;
    }
    return b.reshape(dropped, shape);
  }

  Value before(Value x) {
    Shape shape = shapeOf(x);
    switch (random.between(0, 5)) {
    case 0:
      return b.add(x, constant(shape));
    case 1:
      return b.mul(x, constant({shape.back()}));
    case 2: // Large magnitudes.
      return b.mul(x, b.scalarLike(x, 200));
    case 3:
      return b.unary(UnaryKind::Gelu, x);
    case 4: { // A large mean.
      return b.add(x, b.scalarLike(x, 50));
    }
    default:
      return x;
    }
  }

  Value softmax(Value x, bool isLog) {
    if (random.chance(0.3)) { // A mask. The first element of each row stays.
      Shape mask(shapeOf(x).size(), 1);
      mask.back() = shapeOf(x).back();
      Tensor values = randomTensor(random, ElementType::F32, mask);
      for (int64_t i = 0; i < values.size(); ++i) {
        values.setDouble(i, i > 0 && random.chance(0.5) ? -1e4 : 0);
      }
      x = b.add(x, b.constant(values));
    }
    Value shifted = b.sub(x, reduce(ReduceKind::Max, x));
    Value exponential = b.unary(UnaryKind::Exp, shifted);
    Value sum = reduce(ReduceKind::Sum, exponential);
    return isLog ? b.sub(shifted, b.unary(UnaryKind::Log, sum)) : b.div(exponential, sum);
  }

  Value layerNorm(Value x) {
    Value centered = b.sub(x, reduce(ReduceKind::Mean, x));
    Value square = random.chance(0.5)
                       ? b.mul(centered, centered)
                       : b.binary(graph::BinaryKind::Pow, centered, b.scalarLike(x, 2));
    Value variance = reduce(ReduceKind::Mean, square);
    Value deviation = b.unary(UnaryKind::Sqrt, b.add(variance, b.scalarLike(x, 1e-3)));
    return random.chance(0.5) ? b.div(centered, deviation)
                              : b.mul(centered, b.unary(UnaryKind::Reciprocal, deviation));
  }

  Value norm(Value x) {
    switch (random.between(0, 5)) {
    case 0:
      return softmax(x, /*isLog=*/false);
    case 1:
      return softmax(x, /*isLog=*/true);
    case 2:
    case 3:
      return layerNorm(x);
    case 4: { // RMS norm
      Value mean = reduce(ReduceKind::Mean, b.mul(x, x));
      return b.div(x, b.unary(UnaryKind::Sqrt, b.add(mean, b.scalarLike(x, 1e-3))));
    }
    default: { // Lp norm
      static constexpr ReduceKind kKinds[] = {ReduceKind::L1, ReduceKind::L2,
                                              ReduceKind::SumSquare};
      Value sum = reduce(random.pick(kKinds), x);
      return b.div(x, b.add(sum, b.scalarLike(x, 0.5)));
    }
    }
  }

  Value after(Value y) {
    Shape shape = shapeOf(y);
    switch (random.between(0, 6)) {
    case 0:
      return b.add(b.mul(y, constant({shape.back()})), constant({shape.back()}));
    case 1:
      return b.add(y, constant(shape));
    case 2:
      return b.unary(UnaryKind::Relu, y);
    case 3: { // One value per row, or per part of a row.
      Shape part(shape);
      part.back() = 1;
      return b.mul(y, constant(part));
    }
    case 4: // The end is a single reduction.
      return b.reduce(ReduceKind::Max, y, axes);
    case 5: // A reader of several dimensions less.
      return b.emit<graph::ReduceOp>(ReduceKind::Sum, b.unary(UnaryKind::Abs, y), b.ints(axes),
                                     /*keepDims=*/false, /*noopWithEmptyAxes=*/true);
    default:
      return y;
    }
  }

  Shape axes;
};

kernels::Machine machineFor(uint64_t seed) {
  static constexpr int64_t kBytes[] = {64, 32, 16, 4, 1024};
  kernels::Machine machine;
  machine.vectorBytes = kBytes[seed % std::size(kBytes)];
  return machine;
}

struct Taken {
  int64_t graphs = 0; // compared; rounding errors make other graphs unusable
  int64_t rows = 0;   // with a kernel of the template
};

/// Counts the kernels that use the template.
int64_t countTaken(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  int64_t taken = 0;
  if (succeeded(runStages(*copy, {}, "", "layout"))) {
    copy->walk([&](graph::KernelOp kernel) {
      taken += isa_and_nonnull<kernels::RowsAttr>(kernel.getConfigAttr());
    });
  }
  return taken;
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, Taken &taken) {
  GraphContext context;
  RowsGraph graph(&context, seed);
  graph.make();
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        ++taken.graphs;
        taken.rows += countTaken(module) > 0;
        int64_t threads = seed % 3 == 0 ? 2 : 1;
        return runOnHostAs(machineFor(seed), module, inputs, outputs, threads,
                           /*isStrictMath=*/seed % 2 == 0);
      });
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 200};
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  Taken taken;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, taken); });
  llvm::outs() << seeds.count << " graphs, " << taken.graphs << " compared, " << taken.rows
               << " by the template rows, " << failed << " failed\n";
  // Fails if few graphs use the template, because the test would not cover it.
  bool isCovered =
      taken.rows * 4 >= taken.graphs * 3 && taken.graphs * 2 >= static_cast<int64_t>(seeds.count);
  return failed || !isCovered ? 1 : 0;
}
