// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random layers on the BM1880's simulator and compares them with the reference byte for byte.
//
//     random_layers [FIRST SEED [COUNT]]

#include "Accelerators/test/DeviceCase.h"
#include "Graph/Graph.h"
#include "LayerGraph.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

/// Returns random values over the whole range of the type.
Tensor anyBytes(Type type, uint32_t seed) {
  auto ranked = cast<RankedTensorType>(type);
  Tensor tensor(fromMlir(ranked.getElementType()), ranked.getShape());
  std::mt19937 random(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.setInt(i, static_cast<int8_t>(random()));
  }
  return tensor;
}

std::string compare(uint32_t seed, const Accelerator &device, int64_t &localRuns) {
  MLIRContext context;
  context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
  bm1880::LayerGraph graph(&context, seed);
  func::FuncOp function = graph.make();
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (std::optional<Refusal> refusal = whyNot(device, &op)) {
      return "refused " + op.getName().getStringRef().str() + ": " + refusal->reason;
    }
  }
  Tensor input = anyBytes(function.getArgumentTypes()[0], seed);
  auto expected = reference::run(function, {reference::Datum(input)});
  auto results = runOnDevice(function, device, {input});
  if (failed(expected) || failed(results)) {
    return "does not run";
  }
  FailureOr<Program> program = device.lower(function, DependenceGraph(function.getBody().front()));
  std::string text(program->commands.begin(), program->commands.end());
  localRuns += text.find("bm_tl_conv") != std::string::npos;
  for (size_t i = 0; i < results->size(); ++i) {
    const Tensor &right = (*expected)[i].tensor;
    if (right.bytes() != (*results)[i].bytes() ||
        std::memcmp(right.raw(), (*results)[i].raw(), right.bytes()) != 0) {
      return "output " + std::to_string(i) + " differs";
    }
  }
  return "";
}

} // namespace

int main(int argc, char **argv) {
  auto first = static_cast<uint32_t>(argc > 1 ? std::atoi(argv[1]) : 1);
  auto count = static_cast<uint32_t>(argc > 2 ? std::atoi(argv[2]) : 50);
  auto device = findAccelerator("bm1880");
  if (!device || !*device) {
    llvm::outs() << "there is no device bm1880\n";
    return 2;
  }
  int failed = 0;
  int64_t localRuns = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    std::string problem = compare(seed, **device, localRuns);
    if (!problem.empty()) {
      llvm::outs() << "seed " << seed << ": " << problem << "\n";
      ++failed;
    }
  }
  llvm::outs() << count << " graphs, " << localRuns << " with convolutions in local memory, "
               << failed << " wrong\n";
  // Fails unless both kinds of kernels have been generated.
  return failed == 0 && localRuns * 5 > count && localRuns < count ? 0 : 1;
}
