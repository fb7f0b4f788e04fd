// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random convolutions on the host, as emitted C and on 64-bit Arm, and compares the results
// with the reference. Integers must be equal bit for bit, floats within the rounding of their type.
// A batch of graphs is one module, so that compilers and emulators start once per batch.
//
//     random_convolutions PLACES [FIRST SEED [COUNT]]      PLACES: host,c,aarch64

#include "Graph/Attributes.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/ConvolutionGraph.h"
#include "tests/differential/TargetRun.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr uint64_t kBatch = 16;
/// Graphs that amplify rounding errors are replaced this often.
constexpr uint64_t kMostAttempts = 20;

/// One graph and the results of the reference.
struct Case {
  uint64_t seed;
  std::unique_ptr<ConvolutionGraph> graph;
  Sample expected;

  ModuleOp module() const { return graph->main()->getParentOfType<ModuleOp>(); }
};

/// Returns the reference's result; nullopt if it cannot be compared.
std::optional<Sample> evaluate(ConvolutionGraph &graph, uint64_t seed, bool hasSpecials) {
  Trial trial(seed);
  trial.allowsSpecials = hasSpecials;
  for (auto [argument, tensor] : llvm::zip(graph.main().getArguments(), graph.inputs)) {
    trial.define(argument, tensor);
  }
  Block &block = graph.main().front();
  return trial.evaluate(block) ? std::optional(trial.of(block.getTerminator()->getOperand(0)))
                               : std::nullopt;
}

/// Returns the first comparable graph of a seed.
std::optional<Case> makeCase(MLIRContext *context, uint64_t seed, bool hasSpecials) {
  for (uint64_t attempt = 0; attempt < kMostAttempts; ++attempt) {
    auto graph = std::make_unique<ConvolutionGraph>(context, seed + (attempt << 32));
    ModuleOp module = graph->make(hasSpecials);
    StageOptions options;
    options.quantize.isInteger = true;
    if (graph->hasIntegerForm && failed(runStages(module, options, "", "quantize"))) {
      continue;
    }
    if (std::optional<Sample> expected = evaluate(*graph, seed, hasSpecials)) {
      return Case{seed, std::move(graph), std::move(*expected)};
    }
  }
  return std::nullopt;
}

/// Returns a module with the inputs, ops and results of all cases.
OwningOpRef<ModuleOp> joined(ArrayRef<const Case *> cases) {
  Location loc = cases.front()->module()->getLoc();
  OpBuilder builder(loc.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputs, outputs;
  for (const Case *own : cases) {
    llvm::append_range(inputs, own->graph->main().getArgumentTypes());
    llvm::append_range(outputs, own->graph->main().getResultTypes());
  }
  auto function =
      builder.create<func::FuncOp>(loc, "main", builder.getFunctionType(inputs, outputs));
  graph::numberInterface(function, "x", "y");
  builder.setInsertionPointToEnd(function.addEntryBlock());
  SmallVector<Value> results;
  unsigned next = 0;
  for (const Case *own : cases) {
    IRMapping mapping;
    for (BlockArgument argument : own->graph->main().getArguments()) {
      mapping.map(argument, function.getArgument(next++));
    }
    Block &block = own->graph->main().front();
    for (Operation &op : block.without_terminator()) {
      builder.clone(op, mapping);
    }
    results.push_back(mapping.lookup(block.getTerminator()->getOperand(0)));
  }
  builder.create<func::ReturnOp>(loc, results);
  return module;
}

/// Returns machines with vectors and instructions that this CPU has.
kernels::Machine hostMachine(uint64_t number) {
  kernels::Machine machine = machineOf(targets::detectHost());
  if (number % 3 == 0) {
    return machine;
  }
  machine.hasTiles = false;
  int64_t bytes = int64_t(64) >> (number % 4);
  if (bytes < machine.vectorBytes) {
    machine.vectorBytes = bytes == 8 ? 4 : bytes;
    machine.vectorRegisters = 16;
    machine.dot = kernels::DotForm::None;
  }
  return machine;
}

/// A way to run code: the host, emitted C or an emulated machine.
struct Place {
  std::string name;
  std::vector<driver::ResolvedTarget> targets; // none for the host
  int64_t compared = 0;
};

/// Numbers of graphs whose convolutions the graph stage should lower, and does.
struct Coverage {
  int64_t transposed = 0, loweredTransposed = 0, volumes = 0, loweredVolumes = 0;

  void count(ModuleOp module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    bool wasTransposed = has<graph::ConvTransposeOp>(*copy, 0);
    bool wasVolume = has<graph::ConvOp>(*copy, 3);
    if (failed(runStages(*copy, {}, "", "graph"))) {
      return;
    }
    transposed += wasTransposed;
    loweredTransposed += wasTransposed && !has<graph::ConvTransposeOp>(*copy, 0);
    volumes += wasVolume;
    loweredVolumes += wasVolume && !has<graph::ConvOp>(*copy, 3);
  }

  /// Returns whether the graph stage lowers most of the convolutions. It keeps volumes with
  /// computed weights.
  bool isEnough() const {
    bool isSmall = transposed < 10 || volumes < 10; // single seeds
    return isSmall ||
           (loweredTransposed * 10 >= transposed * 9 && loweredVolumes * 10 >= volumes * 7);
  }

private:
  /// Returns whether there is an op with this number of spatial dimensions; 0: any.
  template <typename OpT>
  static bool has(ModuleOp module, size_t rank) {
    return module
        ->walk([&](OpT op) {
          return rank == 0 || op.getStrides().size() == rank ? WalkResult::interrupt()
                                                             : WalkResult::advance();
        })
        .wasInterrupted();
  }
};

class Comparison {
public:
  explicit Comparison(std::vector<Place> places) : places(std::move(places)) {}

  void run(const Seeds &seeds) {
    uint64_t end = seeds.first + seeds.count;
    for (uint64_t seed = seeds.first; seed < end;) {
      // A seed has the same targets whatever the first seed is.
      uint64_t next = std::min(end, (seed / kBatch + 1) * kBatch);
      runBatch(seed, next - seed);
      seed = next;
    }
  }

  /// Prints the counts and returns the exit code.
  int finish() const {
    for (const Place &place : places) {
      llvm::outs() << place.compared << " convolutions on " << place.name << ", ";
    }
    llvm::outs() << coverage.loweredTransposed << " of " << coverage.transposed
                 << " transposed and " << coverage.loweredVolumes << " of " << coverage.volumes
                 << " over three dimensions lowered, " << failures << " failed\n";
    return failures || !coverage.isEnough() ? 1 : 0;
  }

private:
  void runBatch(uint64_t first, uint64_t count) {
    GraphContext context;
    bool hasSpecials = first / kBatch % 4 == 1;
    std::vector<Case> cases;
    for (uint64_t seed = first; seed < first + count; ++seed) {
      std::optional<Case> made = makeCase(&context, seed, hasSpecials);
      if (made) {
        coverage.count(made->module());
        cases.push_back(std::move(*made));
      } else {
        fail(seed, "no graph is comparable");
      }
    }
    SmallVector<const Case *> all;
    for (const Case &own : cases) {
      all.push_back(&own);
    }
    for (Place &place : places) {
      if (!all.empty()) {
        compare(place, all, first / kBatch, hasSpecials);
      }
    }
  }

  void compare(Place &place, ArrayRef<const Case *> cases, uint64_t number, bool isStrict) {
    std::vector<Tensor> inputs, outputs;
    for (const Case *own : cases) {
      llvm::append_range(inputs, own->graph->inputs);
    }
    OwningOpRef<ModuleOp> module = joined(cases);
    std::string problem = place.targets.empty()
                              ? runOnHostAs(hostMachine(number), *module, inputs, outputs,
                                            /*threads=*/number % 5 == 0 ? 3 : 1, isStrict)
                              : runOnTarget(place.targets[number % place.targets.size()], *module,
                                            inputs, outputs, isStrict);
    if (!problem.empty() && cases.size() > 1) {
      for (const Case *own : cases) { // shows the graphs with the problem
        compare(place, {own}, number, isStrict);
      }
      return;
    }
    for (auto [i, own] : llvm::enumerate(cases)) {
      std::string why = !problem.empty() ? problem : whyDifferent(outputs[i], own->expected);
      if (!why.empty()) {
        own->module()->print(llvm::outs(), OpPrintingFlags().elideLargeElementsAttrs(16));
        fail(own->seed, place.name + ": " + why);
      }
      ++place.compared;
    }
  }

  void fail(uint64_t seed, const std::string &problem) {
    llvm::outs() << "FAILED seed " << seed << ": " << problem << "\n";
    ++failures;
  }

  std::vector<Place> places;
  Coverage coverage;
  int failures = 0;
};

/// Returns the places of a list, without those whose tools this machine lacks.
/// The exit code of a skipped test.
constexpr int kSkipped = 77;

std::vector<Place> findPlaces(StringRef list) {
  std::vector<Place> places;
  for (StringRef name : llvm::split(list, ',')) {
    Place place{name.str(), {}};
    SmallVector<StringRef> targets;
    if (name == "c") {
      targets = {"c", "c-plain"};
    } else if (name == "aarch64") {
      targets = {"aarch64", "aarch64-dotprod", "aarch64-i8mm"};
    }
    for (StringRef target : targets) {
      llvm::Expected<driver::ResolvedTarget> found = findRunnable(target);
      if (found) {
        place.targets.push_back(std::move(*found));
      } else {
        llvm::outs() << "SKIPPED: " << llvm::toString(found.takeError()) << "\n";
      }
    }
    if (name == "host" || !place.targets.empty()) {
      places.push_back(std::move(place));
    }
  }
  return places;
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 40};
  if (argc < 2 || !seeds.parse(argc - 1, argv + 1)) {
    llvm::errs() << "random_convolutions expects a list of places as first argument: "
                    "host,c,aarch64\n";
    return 2;
  }
  std::vector<Place> places = findPlaces(argv[1]);
  if (places.empty()) {
    return kSkipped;
  }
  Comparison comparison(std::move(places));
  comparison.run(seeds);
  return comparison.finish();
}
