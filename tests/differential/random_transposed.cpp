// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs transposed convolutions of random shapes on the reference and on the host and compares the
// results. The graphs have one to three spatial dimensions, groups, and element-wise ops or a
// convolution behind the transposed convolution.
//
//     random_transposed [FIRST SEED [COUNT]]

#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// x -> transposed convolution -> epilogue or convolution.
class TransposedGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    int64_t rank = random.chance(0.6) ? 2 : random.chance(0.7) ? 1 : 3;
    int64_t groups = random.chance(0.7) ? 1 : random.between(2, 5);
    Shape input = {random.between(1, 2), groups * random.between(1, random.chance(0.5) ? 5 : 20)};
    for (int64_t i = 0; i < rank; ++i) {
      input.push_back(random.between(1, rank == 1 ? 40 : rank == 2 ? 12 : 6));
    }
    return SeededGraph::make(input, [&](Value x) { return behind(transposed(x, groups)); });
  }

private:
  Value transposed(Value x, int64_t groups) {
    Shape shape = shapeOf(x);
    // Whole and partial vectors of channels.
    int64_t outputs = random.chance(0.4) ? 16 * random.between(1, 2) : random.between(1, 20);
    Shape weight = {shape[1], outputs}, strides, dilations, begins, ends, extras;
    for (int64_t dim : ArrayRef(shape).drop_front(2)) {
      int64_t kernel = random.between(1, shape.size() == 5 ? 4 : 7);
      int64_t dilation = random.chance(0.1) ? random.between(2, 3) : 1;
      // With a stride above the kernel, a phase has no tap.
      int64_t most = random.chance(0.95) ? std::min<int64_t>(kernel, 4) : 4;
      int64_t stride = random.chance(0.2) ? 1 : random.between(std::min<int64_t>(2, most), most);
      int64_t extra = random.chance(0.5) ? 0 : random.between(0, stride - 1);
      int64_t reach = (kernel - 1) * dilation;
      int64_t full = stride * (dim - 1) + reach + 1 + extra;
      int64_t begin = random.between(0, std::min(reach, full - 1));
      weight.push_back(kernel);
      strides.push_back(stride);
      dilations.push_back(dilation);
      extras.push_back(extra);
      begins.push_back(begin);
      ends.push_back(random.between(0, std::min(reach, full - 1 - begin)));
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({outputs * groups}) : Value();
    return b.emit<graph::ConvTransposeOp>(x, constant(weight), bias, strides, begins, dilations,
                                          extras, groups);
  }

  /// Returns a shape with one element per channel.
  static Shape channels(Value y, int64_t rank) {
    Shape shape(rank, 1);
    shape[rank + 1 - shapeOf(y).size()] = shapeOf(y)[1];
    return shape;
  }

  Value behind(Value y) {
    Shape shape = shapeOf(y);
    auto rank = static_cast<int64_t>(shape.size());
    switch (random.between(0, 6)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.mul(y, b.unary(graph::UnaryKind::Sigmoid, y));
    case 2:
      return b.add(b.unary(graph::UnaryKind::Tanh, y), constant(shape));
    case 3:
      return b.unary(graph::UnaryKind::Relu, b.mul(y, constant(channels(y, rank))));
    case 4:
      return b.mul(constant(channels(y, rank - 1)), b.add(y, constant({})));
    case 5: {
      SmallVector<int64_t> one(rank - 2, 1), none(2 * (rank - 2), 0);
      Shape weight(rank, 1);
      weight[0] = random.between(1, 20);
      weight[1] = shape[1];
      return b.emit<graph::ConvOp>(y, constant(weight), Value(), one, none, one, /*groups=*/1);
    }
    default:
      return y;
    }
  }
};

/// Returns whether the graph stage replaces the transposed convolution.
bool isLowered(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runStages(*copy, {}, "", "graph"))) {
    return false;
  }
  return !copy->walk([](graph::ConvTransposeOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, int64_t &lowered) {
  GraphContext context;
  TransposedGraph graph(&context, seed);
  graph.make();
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        lowered += isLowered(module);
        return runOnHost(module, inputs, outputs);
      });
}

} // namespace

int main(int argc, char **argv) {
  return runSeeds(argc, argv, {1, 80}, "lowered to convolutions", /*leastShare=*/0.5, compare);
}
