// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers random quantized graphs of int8 and int16 values and of 8-bit and 4-bit weights to integer
// graphs. The host must give the bytes of the reference at each vector width that it supports.
//
//     random_quantized [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "reference/Reference.h"
#include "tests/differential/QuantizedGraph.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// Numbers of integer layers, in total, with 16-bit inputs and with 64-bit sums.
struct Layers {
  int64_t all = 0, wide = 0, wideSums = 0;

  void count(ModuleOp module) {
    auto bits = [](Value value) {
      return cast<TensorType>(value.getType()).getElementTypeBitWidth();
    };
    module.walk([&](Operation *op) {
      if (isa<graph::IntegerConvOp, graph::IntegerMatMulOp>(op)) {
        ++all;
        wide += bits(op->getOperand(0)) == 16;
        wideSums += bits(op->getResult(0)) == 64;
      }
    });
  }
};

kernels::Machine machineFor(uint64_t seed) {
  kernels::Machine machine = machineOf(targets::detectHost());
  int64_t bytes = int64_t(64) >> (seed % 3);
  if (bytes < machine.vectorBytes) {
    machine.vectorBytes = bytes;
    machine.vectorRegisters = 16;
    machine.hasTiles = false;
  }
  return machine;
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, Layers &layers) {
  GraphContext context;
  QuantizedGraph graph(&context, seed);
  graph.wideShare = 0.6;
  graph.narrowShare = 0.4;
  ModuleOp module = graph.make();
  StageOptions options;
  options.quantize.isInteger = true;
  if (failed(runStages(module, options, "", "quantize"))) {
    return "the graph has no integer form";
  }
  layers.count(module);
  auto type = cast<RankedTensorType>(graph.main().getArgument(0).getType());
  Tensor input = randomTensor(graph.random, ElementType::F32, type.getShape());
  auto expected = reference::run(graph.main(), {reference::Datum(input)});
  std::vector<Tensor> actual;
  std::string problem = failed(expected) ? "the reference failed"
                                         : runOnHostAs(machineFor(seed), module, {input}, actual,
                                                       seed % 5 == 0 ? 3 : 1);
  if (problem.empty()) {
    const Tensor &right = expected->front().tensor;
    bool isSame = right.bytes() == actual[0].bytes() &&
                  std::memcmp(right.raw(), actual[0].raw(), right.bytes()) == 0;
    problem = isSame ? "" : "the bytes differ from the reference";
  }
  if (!problem.empty()) {
    module->print(llvm::outs(), OpPrintingFlags().elideLargeElementsAttrs(16));
  }
  return problem;
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 60};
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  Layers layers;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, layers); });
  llvm::outs() << seeds.count << " graphs, " << layers.all << " integer layers, " << layers.wide
               << " with 16-bit inputs, " << layers.wideSums << " with 64-bit sums, " << failed
               << " failed\n";
  bool isCovered = layers.wide * 4 >= static_cast<int64_t>(seeds.count);
  return failed == 0 && isCovered ? 0 : 1;
}
