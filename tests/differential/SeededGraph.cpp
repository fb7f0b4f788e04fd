// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the module of a seeded graph, compares it with the reference and loops over seeds.

#include "tests/differential/SeededGraph.h"
#include "Graph/Attributes.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace convoy::test {

SeededGraph::SeededGraph(MLIRContext *context, uint64_t seed)
    : random(seed), loc(UnknownLoc::get(context)), builder(context), module(ModuleOp::create(loc)),
      b(builder, loc) {}

ModuleOp SeededGraph::make(ArrayRef<int64_t> input, llvm::function_ref<Value(Value)> body,
                           ElementType element) {
  builder.setInsertionPointToEnd(module->getBody());
  auto type = RankedTensorType::get(input, toMlir(element, builder.getContext()));
  function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType({type}, {type}));
  graph::setArgumentName(function, 0, "x");
  graph::setResultName(function, 0, "y");
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Value y = body(function.getArgument(0));
  builder.create<func::ReturnOp>(loc, y);
  // The body may have added arguments.
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), {y.getType()}));
  return *module;
}

GraphContext::GraphContext() : MLIRContext(MLIRContext::Threading::DISABLED) {
  loadDialect<func::FuncDialect, graph::GraphDialect>();
}

std::string compareWithReference(
    SeededGraph &graph, uint64_t seed,
    llvm::function_ref<std::string(ModuleOp, ArrayRef<Tensor>, std::vector<Tensor> &)> run,
    bool allowsLarge) {
  auto module = graph.main()->getParentOfType<ModuleOp>();
  BlockArgument argument = graph.main().getArgument(0);
  auto type = cast<RankedTensorType>(argument.getType());
  ElementType element = fromMlir(type.getElementType());
  // Integers have 8 or 16 bits.
  int64_t values = int64_t(1) << std::min<int64_t>(bitWidth(element), 16);
  int64_t low = isSignedInteger(element) ? -values / 2 : 0;
  Tensor input = element == ElementType::F32
                     ? randomTensor(graph.random, element, type.getShape())
                     : randomInts(graph.random, element, type.getShape(), low, low + values - 1);
  Trial trial(seed);
  trial.allowsSpecials = allowsLarge;
  trial.define(argument, input);
  if (!trial.evaluate(graph.main().front())) {
    return ""; // Sums of many taps may be too large to compare; the seed does not count.
  }
  std::vector<Tensor> actual;
  std::string problem = run(module, {input}, actual);
  if (problem.empty()) {
    Value result = graph.main().front().getTerminator()->getOperand(0);
    problem = whyDifferent(actual[0], trial.of(result));
  }
  if (!problem.empty()) {
    OpPrintingFlags flags;
    module->print(llvm::outs(), flags.elideLargeElementsAttrs(16));
  }
  return problem;
}

bool Seeds::parse(int argc, char **argv) {
  bool isWrong = (argc > 1 && StringRef(argv[1]).getAsInteger(10, first)) ||
                 (argc > 2 && StringRef(argv[2]).getAsInteger(10, count)) || argc > 3;
  if (isWrong) {
    llvm::errs() << "usage: " << llvm::sys::path::filename(argv[0]) << " [FIRST SEED [COUNT]]\n";
  }
  return !isWrong;
}

int Seeds::forEach(llvm::function_ref<std::string(uint64_t)> problemOf) const {
  int failed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::string problem = problemOf(seed);
    if (!problem.empty()) {
      llvm::outs() << "FAILED seed " << seed << ": " << problem << "\n";
      ++failed;
    }
  }
  return failed;
}

int runSeeds(int argc, char **argv, Seeds seeds, llvm::StringRef reached, double leastShare,
             llvm::function_ref<std::string(uint64_t, int64_t &)> compare) {
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  int64_t covered = 0;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, covered); });
  llvm::outs() << seeds.count << " graphs, " << covered << " " << reached << ", " << failed
               << " failed\n";
  bool isCovered = static_cast<double>(covered) >= leastShare * static_cast<double>(seeds.count);
  return failed || !isCovered ? 1 : 0;
}

} // namespace convoy::test
