// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random graphs on the reference and on the host. Prints the seed and the module of every
// graph whose results differ.
//
//     random_graphs --count 1000              seeds 1 to 1000
//     random_graphs --seed 17 --dump          only seed 17; prints its module
//     random_graphs --seed 17 --max-ops 4     only seed 17, with at most 4 ops
//     random_graphs --count 200 --threads 3   compares three threads with one, bit by bit

#include "Graph/Graph.h"
#include "mlir/IR/Verifier.h"
#include "reference/Reference.h"
#include "tests/differential/Differential.h"
#include "tests/differential/GraphMaker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

struct Arguments {
  uint64_t first = 1;
  uint64_t count = 1;
  int maxOps = 20;
  int64_t threads = 1;
  bool dumps = false;
  bool isWrong = false;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc && !arguments.isWrong; ++i) {
    StringRef flag = argv[i];
    StringRef value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--dump") {
      arguments.dumps = true;
      continue;
    }
    arguments.isWrong = flag == "--seed"      ? value.getAsInteger(10, arguments.first)
                        : flag == "--count"   ? value.getAsInteger(10, arguments.count)
                        : flag == "--max-ops" ? value.getAsInteger(10, arguments.maxOps)
                        : flag == "--threads" ? value.getAsInteger(10, arguments.threads)
                                              : true;
    ++i;
  }
  return arguments;
}

// The signal handler prints this seed if compiled code crashes.
uint64_t currentSeed = 0;

void printSeed(void *) { llvm::errs() << "crashed at seed " << currentSeed << "\n"; }

class Runner {
public:
  explicit Runner(const Arguments &arguments) : arguments(arguments) {}

  /// Runs one graph; returns false after printing the problem.
  bool run(uint64_t seed) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<func::FuncDialect, graph::GraphDialect>();
    std::string diagnostics;
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    GraphMaker maker(&context, seed);
    OwningOpRef<ModuleOp> module = maker.make(arguments.maxOps);
    if (!module) {
      return report(seed, "the compiler rejected an op of the generator", diagnostics, nullptr);
    }
    if (arguments.dumps) {
      module->print(llvm::outs());
    }
    OwningOpRef<ModuleOp> reducedModule;
    std::string problem = compare(maker, *module, reducedModule);
    return problem.empty() ||
           report(seed, problem, diagnostics, reducedModule ? *reducedModule : *module);
  }

  int64_t opCount() const {
    int64_t total = 0;
    for (const auto &[name, count] : ops) {
      total += count;
    }
    return total;
  }
  void printOps() const {
    for (const auto &[name, count] : ops) {
      llvm::outs() << "  " << name << " " << count << "\n";
    }
  }

private:
  std::string compare(GraphMaker &maker, ModuleOp module, OwningOpRef<ModuleOp> &reducedModule) {
    module.walk([&](Operation *op) {
      if (isa<graph::GraphDialect>(op->getDialect()) &&
          !isa<graph::YieldOp, graph::ConstantOp>(op)) {
        ++ops[op->getName().getStringRef().str()];
      }
    });
    if (failed(verify(module))) {
      return "the module does not verify";
    }
    if (arguments.threads > 1) {
      return whyThreadsDiffer(module, maker.inputs(), arguments.threads);
    }
    std::vector<Sample> expected = maker.outputs();
    std::vector<reference::Datum> inputs(maker.inputs().begin(), maker.inputs().end());
    auto function = module.lookupSymbol<func::FuncOp>("main");
    FailureOr<std::vector<reference::Datum>> whole = reference::run(function, inputs);
    if (failed(whole)) {
      return "the reference failed";
    }
    std::vector<Tensor> actual;
    std::string problem = runOnHost(module, maker.inputs(), actual, 1, maker.hasSpecials());
    for (size_t i = 0; i < expected.size() && problem.empty(); ++i) {
      Sample plain((*whole)[i].tensor);
      // The reference on the whole module must agree with Trial, which runs op by op.
      problem = withOutput(i, "reference", whyDifferent(expected[i].plain, plain));
      if (problem.empty()) {
        problem = withOutput(i, "host", whyDifferent(actual[i], expected[i]));
        reducedModule = problem.empty() ? nullptr : reduced(maker, module, i);
      }
    }
    return problem;
  }

  /// Returns the module reduced to one result and the ops it needs, if the reduced module fails as
  /// well. Fusion differs with fewer ops, so the reduced module may pass.
  OwningOpRef<ModuleOp> reduced(GraphMaker &maker, ModuleOp module, unsigned output) {
    OwningOpRef<ModuleOp> copy = module.clone();
    auto function = copy->lookupSymbol<func::FuncOp>("main");
    Operation *exit = function.front().getTerminator();
    exit->setOperands({exit->getOperand(output)});
    function.setFunctionType(FunctionType::get(module.getContext(), function.getArgumentTypes(),
                                               exit->getOperandTypes()));
    function.setAllResultAttrs(ArrayRef<DictionaryAttr>{function.getResultAttrDict(output)});
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front()))) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
      }
    }
    std::vector<Tensor> actual;
    bool isWrong = !runOnHost(*copy, maker.inputs(), actual, 1, maker.hasSpecials()).empty() ||
                   !whyDifferent(actual[0], maker.outputs()[output]).empty();
    return isWrong ? std::move(copy) : OwningOpRef<ModuleOp>(module.clone());
  }

  static std::string withOutput(size_t i, StringRef target, const std::string &problem) {
    return problem.empty() ? "" : (target + ": output " + llvm::Twine(i) + ", " + problem).str();
  }

  bool report(uint64_t seed, StringRef problem, StringRef diagnostics, ModuleOp module) {
    llvm::outs() << "FAILED seed " << seed << ": " << problem << "\n" << diagnostics;
    if (module && !arguments.dumps) {
      OpPrintingFlags flags;
      module->print(llvm::outs(), flags.elideLargeElementsAttrs(16));
      llvm::outs() << "\n";
    }
    llvm::outs().flush();
    return false;
  }

  const Arguments &arguments;
  std::map<std::string, int64_t> ops;
};

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parse(argc, argv);
  if (arguments.isWrong) {
    llvm::errs()
        << "usage: random_graphs [--seed N] [--count N] [--max-ops N] [--threads N] [--dump]\n";
    return 2;
  }
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  llvm::sys::AddSignalHandler(printSeed, nullptr);
  Runner runner(arguments);
  std::vector<std::string> failedSeeds;
  for (uint64_t i = 0; i < arguments.count; ++i) {
    currentSeed = arguments.first + i;
    if (!runner.run(currentSeed)) {
      failedSeeds.push_back(std::to_string(currentSeed));
    }
  }
  if (arguments.count > 1) {
    runner.printOps();
  }
  llvm::outs() << arguments.count << " graphs of " << runner.opCount() << " ops, "
               << failedSeeds.size() << " failed"
               << (failedSeeds.empty() ? "" : ": " + llvm::join(failedSeeds, " ")) << "\n";
  return failedSeeds.empty() ? 0 : 1;
}
