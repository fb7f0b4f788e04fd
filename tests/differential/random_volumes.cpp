// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convolutions over three dimensions of random shapes on the reference and on the host and
// compares the results. The graphs have two convolutions with element-wise ops, a gate or a
// residual connection between them.
//
//     random_volumes [FIRST SEED [COUNT]]

#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// x -> convolution -> element-wise ops -> convolution.
class VolumeGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    Shape input = {random.chance(0.9) ? 1 : 2, channels()};
    for (int64_t i = 0; i < 3; ++i) {
      input.push_back(random.between(1, 7));
    }
    return SeededGraph::make(input, [&](Value x) { return conv(between(conv(x))); });
  }

private:
  int64_t channels() {
    return random.chance(0.5) ? 16 * random.between(1, 2) : random.between(1, 20);
  }

  Value conv(Value x) {
    Shape shape = shapeOf(x);
    int64_t groups = random.chance(0.4) ? shape[1] : 1;
    int64_t outputs = groups > 1 ? groups : channels();
    Shape weight = {outputs, shape[1] / groups}, strides, dilations, begins, ends;
    for (int64_t dim : ArrayRef(shape).drop_front(2)) {
      int64_t kernel = random.chance(0.4) ? 1 : random.between(2, 3);
      int64_t dilation = random.chance(0.2) ? 2 : 1;
      int64_t reach = (kernel - 1) * dilation;
      int64_t begin = random.chance(0.3) ? 0 : random.between(0, reach);
      weight.push_back(kernel);
      strides.push_back(random.chance(0.7) ? 1 : 2);
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(std::max(reach + 1 - dim - begin, random.between(0, reach)));
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, constant(weight), bias, strides, begins, dilations, groups);
  }

  Value between(Value y) {
    int64_t count = shapeOf(y)[1];
    switch (random.between(0, 4)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.mul(
          y, b.unary(graph::UnaryKind::Sigmoid, b.reduce(graph::ReduceKind::Mean, y, {2, 3, 4})));
    case 2:
      return b.add(b.mul(y, constant({1, count, 1, 1, 1})), constant({count, 1, 1, 1}));
    case 3:
      return b.add(y, constant(shapeOf(y)));
    default:
      return y;
    }
  }
};

/// Returns whether the graph stage leaves no convolution over three dimensions.
bool isLowered(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runStages(*copy, {}, "", "graph"))) {
    return false;
  }
  return !copy->walk([](graph::ConvOp conv) {
                return conv.getStrides().size() == 3 ? WalkResult::interrupt()
                                                     : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, int64_t &lowered) {
  GraphContext context;
  VolumeGraph graph(&context, seed);
  graph.make();
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        lowered += isLowered(module);
        return runOnHost(module, inputs, outputs);
      });
}

} // namespace

int main(int argc, char **argv) {
  return runSeeds(argc, argv, {1, 60}, "lowered to images", /*leastShare=*/0.5, compare);
}
