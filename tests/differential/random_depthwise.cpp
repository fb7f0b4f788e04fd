// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs depthwise convolutions of random shapes on the reference and on the host and compares the
// results. A pointwise convolution before and after makes blocked layouts profitable. Some graphs
// end in an op that blocked layouts make difficult: normalization over channels or concatenation.
//
//     random_depthwise [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// x -> pointwise -> depthwise -> fused epilogue -> pointwise.
class DepthwiseGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    Shape input = {random.between(1, 2), random.between(3, 9), random.between(1, 40),
                   random.between(1, 40)};
    int64_t channels = random.between(9, 70);
    return SeededGraph::make(input, [&](Value x) {
      Value y = behind(depthwise(pointwise(x, channels)));
      return pointwise(y, random.between(8, 40));
    });
  }

private:
  Value pointwise(Value x, int64_t outputs) {
    int64_t one[] = {1, 1};
    int64_t none[] = {0, 0, 0, 0};
    return b.emit<graph::ConvOp>(x, constant({outputs, shapeOf(x)[1], 1, 1}), Value(), one, none,
                                 one, /*groups=*/1);
  }

  Value depthwise(Value x) {
    Shape shape = shapeOf(x);
    Shape weight = {shape[1], 1}, strides, dilations, begins, ends;
    for (int64_t dim : {shape[2], shape[3]}) {
      static constexpr int64_t kKernels[] = {3, 3, 5, 7, 1, 2, 4, 11, 17};
      int64_t kernel = random.pick(kKernels);
      int64_t dilation = random.chance(0.2) ? random.between(2, 3) : 1;
      int64_t reach = (kernel - 1) * dilation;
      // Enough padding for a result. Sometimes a whole window lies in the padding.
      int64_t begin = random.chance(0.2) ? 0 : random.between(0, reach);
      int64_t end = std::max(reach + 1 - dim - begin, random.between(0, reach));
      weight.push_back(kernel);
      strides.push_back(random.chance(0.5) ? 1 : random.between(1, 3));
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(end);
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({shape[1]}) : Value();
    return b.emit<graph::ConvOp>(x, constant(weight), bias, strides, begins, dilations, shape[1]);
  }

  Value behind(Value y) {
    Shape shape = shapeOf(y);
    switch (random.between(0, 7)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.mul(y, b.unary(graph::UnaryKind::Sigmoid, y));
    case 2:
      return b.add(y, constant(shape));
    case 3:
      return b.mul(y, constant({1, shape[1], 1, 1}));
    case 4:
      // Windows cross block boundaries, also of the last block, which may be partial.
      return b.emit<graph::LRNOp>(
          b.unary(graph::UnaryKind::Relu, y), random.between(1, 6), llvm::APFloat(0.3),
          llvm::APFloat(random.chance(0.7) ? 0.75 : 0.6), llvm::APFloat(1.5));
    case 5:
      return b.concat({y, pointwise(y, random.between(1, 24))}, 1);
    case 6:
      // A concatenation of a concatenation; some parts end within a block.
      return b.concat({b.concat({pointwise(y, 16), pointwise(y, random.between(7, 9))}, 1), y}, 1);
    default:
      return y;
    }
  }
};

/// Counts the kernels that use the depthwise template.
int64_t countTaken(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  int64_t taken = 0;
  if (succeeded(runStages(*copy, {}, "", "layout"))) {
    copy->walk([&](graph::KernelOp kernel) {
      taken += isa_and_nonnull<kernels::DepthwiseAttr>(kernel.getConfigAttr());
    });
  }
  return taken;
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, int64_t &taken) {
  GraphContext context;
  DepthwiseGraph graph(&context, seed);
  graph.make();
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        taken += countTaken(module);
        return runOnHost(module, inputs, outputs);
      });
}

} // namespace

int main(int argc, char **argv) {
  return runSeeds(argc, argv, {1, 60}, "by the depthwise template", /*leastShare=*/0.75, compare);
}
