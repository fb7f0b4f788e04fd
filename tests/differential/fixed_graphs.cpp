// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the graphs of a file on the reference and on the host with random inputs, and compares the
// results. Inputs contain special values unless `plain` is given.
//
//     fixed_graphs FILE.mlir [plain]

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "mlir/Parser/Parser.h"
#include "tests/differential/Differential.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr uint64_t kSeeds = 8;

/// Sets the names of inputs and outputs that the importer would set.
void nameEnds(func::FuncOp function) {
  graph::numberInterface(function, "x", "y");
  function.setSymName("main");
}

/// Returns the problem with the function on inputs from the seed, or an empty string.
std::string compare(const HostGraph &graph, func::FuncOp function, uint64_t seed, bool isPlain) {
  Random random(seed);
  Trial trial(seed);
  trial.allowsSpecials = !isPlain;
  std::vector<Tensor> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    inputs.push_back(randomTensor(random, fromMlir(type.getElementType()), type.getShape(),
                                  isPlain || seed == 1 ? Content::Plain : Content::Special));
    trial.define(argument, inputs.back());
  }
  if (!trial.evaluate(function.front())) {
    return "the graph cannot be compared: " + trial.problem;
  }
  std::vector<Tensor> actual;
  std::string problem = graph.run(inputs, actual);
  Operation *exit = function.front().getTerminator();
  for (unsigned i = 0; i < exit->getNumOperands() && problem.empty(); ++i) {
    problem = whyDifferent(actual[i], trial.of(exit->getOperand(i)));
    problem = problem.empty() ? "" : "output " + std::to_string(i) + ", " + problem;
  }
  return problem;
}

/// Runs one graph; returns false after printing the problem.
bool run(const std::string &text, bool isPlain) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    return false;
  }
  auto function = *module->getOps<func::FuncOp>().begin();
  std::string name = function.getSymName().str();
  nameEnds(function);
  llvm::Expected<HostGraph> graph =
      HostGraph::compile(*module, /*threads=*/1, /*isStrictMath=*/true);
  if (!graph) {
    llvm::outs() << "FAILED " << name << ": " << llvm::toString(graph.takeError()) << "\n";
    return false;
  }
  bool isFine = true;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::string problem = compare(*graph, function, seed, isPlain);
    if (!problem.empty()) {
      llvm::outs() << "FAILED " << name << ", seed " << seed << ": " << problem << "\n";
      isFine = false;
    }
  }
  return isFine;
}

} // namespace

int main(int argc, char **argv) {
  bool isPlain = argc == 3 && StringRef(argv[2]) == "plain";
  if (argc != 2 && !isPlain) {
    llvm::errs() << "usage: fixed_graphs FILE.mlir [plain]\n";
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFile(argv[1]);
  if (!file) {
    llvm::errs() << argv[1] << ": " << file.getError().message() << "\n";
    return 2;
  }
  SmallVector<StringRef> graphs;
  (*file)->getBuffer().split(graphs, "// -----\n");
  int failedGraphs = 0;
  for (StringRef graph : graphs) {
    failedGraphs += run(graph.str(), isPlain) ? 0 : 1;
  }
  llvm::outs() << graphs.size() << " graphs, " << failedGraphs << " failed\n";
  return failedGraphs ? 1 : 0;
}
