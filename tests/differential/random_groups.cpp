// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convolutions with groups of random widths on the reference and on the host and compares the
// results. The kernels compute groups that are not whole blocks of channels as one group. Machines
// with vectors of several lengths have other blocks and windows. A pointwise convolution before and
// after makes blocked layouts profitable.
//
//     random_groups [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// x -> pointwise -> groups -> fused epilogue -> pointwise.
class GroupsGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    Shape input = {random.between(1, 2), random.between(3, 9), random.between(1, 7),
                   random.between(1, 12)};
    int64_t groups = random.between(2, 9), inputs = random.between(2, 30);
    int64_t outputs = random.chance(0.7) ? inputs : random.between(1, 30);
    return SeededGraph::make(input, [&](Value x) {
      Value y = behind(grouped(pointwise(x, groups * inputs), groups, outputs));
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

  /// Weights are sometimes stored in 16 bits.
  Value weights(ArrayRef<int64_t> shape) {
    static constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F32, ElementType::F16,
                                             ElementType::BF16};
    ElementType type = random.pick(kTypes);
    Value weight = b.constant(randomTensor(random, type, shape));
    return type == ElementType::F32 ? weight : b.cast(weight, ElementType::F32);
  }

  Value grouped(Value x, int64_t groups, int64_t outputs) {
    Shape shape = shapeOf(x);
    Shape weight = {groups * outputs, shape[1] / groups}, strides, dilations, begins, ends;
    bool isPointwise = random.chance(0.25);
    for (int64_t dim : {shape[2], shape[3]}) {
      static constexpr int64_t kKernels[] = {3, 3, 3, 1, 2, 5};
      int64_t kernel = isPointwise ? 1 : random.pick(kKernels);
      int64_t dilation = random.chance(0.1) ? 2 : 1;
      int64_t reach = (kernel - 1) * dilation;
      int64_t begin = random.chance(0.2) ? 0 : random.between(0, reach);
      weight.push_back(kernel);
      strides.push_back(random.chance(0.7) ? 1 : 2);
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(std::max(reach + 1 - dim - begin, random.between(0, reach)));
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({groups * outputs}) : Value();
    return b.emit<graph::ConvOp>(x, weights(weight), bias, strides, begins, dilations, groups);
  }

  Value behind(Value y) {
    Shape shape = shapeOf(y);
    switch (random.between(0, 4)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.mul(y, b.unary(graph::UnaryKind::Sigmoid, y));
    case 2:
      return b.add(y, constant(shape));
    case 3:
      return b.mul(y, constant({1, shape[1], 1, 1}));
    default:
      return y;
    }
  }
};

/// Returns the machine of a seed: vectors of 16, 32, 64 or 256 bytes.
kernels::Machine machineOf(uint64_t seed) {
  static constexpr int64_t kBytes[] = {64, 32, 16, 256};
  kernels::Machine machine;
  machine.vectorBytes = kBytes[seed % 4];
  machine.vectorRegisters = machine.vectorBytes == 32 ? 16 : 32;
  return machine;
}

/// Returns whether a kernel computes several groups as one.
bool joinsGroups(ModuleOp module, const kernels::Machine &machine) {
  OwningOpRef<ModuleOp> copy = module.clone();
  StageOptions options;
  options.machine = machine;
  if (failed(runStages(*copy, options, "", "layout"))) {
    return false;
  }
  auto isJoined = [](graph::ConvOp conv) {
    Value weight = conv.getWeight();
    if (auto widening = weight.getDefiningOp<graph::CastOp>()) {
      weight = widening.getInput();
    }
    auto layout = dyn_cast_or_null<kernels::ConvWeightsAttr>(graph::layoutOf(weight.getType()));
    return layout && layout.getGroups() > 1 ? WalkResult::interrupt() : WalkResult::advance();
  };
  return copy->walk(isJoined).wasInterrupted();
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, int64_t &joined) {
  GraphContext context;
  GroupsGraph graph(&context, seed);
  graph.make();
  kernels::Machine machine = machineOf(seed);
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        joined += joinsGroups(module, machine);
        return runOnHostAs(machine, module, inputs, outputs, 1 + seed % 3, /*isStrictMath=*/false);
      });
}

} // namespace

int main(int argc, char **argv) {
  return runSeeds(argc, argv, {1, 40}, "with joined groups", /*leastShare=*/0.5, compare);
}
