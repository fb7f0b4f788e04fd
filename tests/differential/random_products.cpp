// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs products of computed matrices with random shapes on the reference and on the host, and
// compares the results. Operands and results are transposed or not, and batch dimensions broadcast.
// The vector size, the number of threads and the configuration vary with the seed.
//
//     random_products [FIRST SEED [COUNT]]

#include "Kernels/Product/ProductPlan.h"
#include "Layout/Attributes.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr int64_t kRows[] = {1, 1, 2, 3, 4, 5, 13, 14, 15, 29, 40};
constexpr int64_t kDepths[] = {1, 2, 3, 5, 8, 15, 16, 17, 33, 36, 64, 70};
constexpr int64_t kColumns[] = {1, 2, 3, 5, 7, 15, 16, 17, 31, 32, 33, 36, 48, 65, 100};

/// x -> slices -> transposes -> product -> epilogue -> transpose -> epilogue.
class ProductGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    int64_t rows = random.pick(kRows), depth = random.pick(kDepths),
            columns = random.pick(kColumns);
    Shape left, right;
    for (int64_t i = random.between(0, 2); i > 0; --i) {
      int64_t size = random.between(1, 3);
      left.push_back(random.chance(0.2) ? 1 : size);
      right.push_back(random.chance(0.2) ? 1 : size);
    }
    if (random.chance(0.2)) { // fewer batch dimensions on one side
      Shape &shorter = random.chance(0.5) ? left : right;
      shorter.clear();
    }
    bool isVector = left.empty() && right.empty() && random.chance(0.2);
    bool isLeftVector = isVector && random.chance(0.5);
    if (!isLeftVector) {
      left.push_back(rows);
    }
    left.push_back(depth);
    right.push_back(depth);
    if (!isVector || isLeftVector) {
      right.push_back(columns);
    }
    int64_t count = *elementCount(left), all = count + *elementCount(right);
    ElementType type = random.chance(0.85)  ? ElementType::F32
                       : random.chance(0.5) ? ElementType::F16
                                            : ElementType::BF16;
    return SeededGraph::make({all}, [&](Value x) {
      Value a = factor(b.cast(b.slice(x, 0, 0, count), type), left);
      Value c = factor(b.cast(b.slice(x, 0, count, all), type), right);
      Value y = epilogue(b.matmul(a, c));
      if (shapeOf(y).size() > 1 && random.chance(0.4)) {
        y = epilogue(b.transpose(y, order(shapeOf(y).size())));
      }
      return b.cast(y, ElementType::F32);
    });
  }

private:
  Shape order(size_t rank) {
    Shape perm;
    for (size_t i = 0; i < rank; ++i) {
      perm.insert(perm.begin() + random.between(0, static_cast<int64_t>(i)),
                  static_cast<int64_t>(i));
    }
    return perm;
  }

  /// Returns `x` in a shape, in memory in this order or in another one.
  Value factor(Value x, const Shape &shape) {
    if (shape.size() < 2 || random.chance(0.4)) {
      return b.reshape(x, shape);
    }
    Shape perm = order(shape.size());
    Shape stored(shape.size(), 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      stored[perm[i]] = shape[i];
    }
    return b.transpose(b.reshape(x, stored), perm);
  }

  Value epilogue(Value y) {
    Shape shape = shapeOf(y);
    ElementType type = b.element(y);
    auto operand = [&](const Shape &own) { return b.cast(constant(own), type); };
    switch (random.between(0, 7)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.add(y, operand(shape));
    case 2:
      return b.mul(y, operand({shape.empty() ? 1 : shape.back()}));
    case 3: {
      Shape column(shape);
      if (!column.empty()) {
        column.back() = 1;
      }
      return b.add(y, operand(column));
    }
    case 4: // longer than an unrolled epilogue
      y = b.mul(b.add(y, b.scalarLike(y, 0.5)), b.scalarLike(y, 0.25));
      y = b.unary(graph::UnaryKind::Tanh, b.sub(y, operand(shape)));
      return b.mul(b.unary(graph::UnaryKind::Abs, y), b.scalarLike(y, 2));
    default:
      return y;
    }
  }
};

kernels::Machine machineOf(uint64_t seed) {
  kernels::Machine machine;
  constexpr int64_t kBytes[] = {64, 64, 32, 16, 4};
  machine.vectorBytes = kBytes[seed % 5];
  machine.vectorRegisters = machine.vectorBytes == 64 ? 32 : 16;
  return machine;
}

/// Gives the kernel a random configuration of its space if `isRandom` is set. Returns whether the
/// choice of the compiler is the point of the space with the fewest cycles.
bool checkSpace(graph::KernelOp kernel, const kernels::ProductKernel &product,
                const kernels::Machine &machine, Random &random, bool isRandom) {
  MLIRContext *context = kernel.getContext();
  kernels::Space space = kernels::productSpace(product, kernel.getBody().front(), machine, context);
  std::vector<Attribute> configs;
  Attribute best;
  double least = 0;
  space.forEach([&](const kernels::Settings &settings) {
    if (!space.whyNot(settings).empty()) {
      return;
    }
    configs.push_back(space.configure(settings));
    double cycles = space.cycles(settings);
    if (!best || cycles < least) {
      best = configs.back();
      least = cycles;
    }
  });
  if (isRandom) {
    Builder builder(context);
    auto entry =
        builder.getDictionaryAttr({builder.getNamedAttr("config", random.pick(configs)),
                                   builder.getNamedAttr("ns", builder.getF64FloatAttr(1))});
    kernel->setAttr(layout::kMeasuredAttr, builder.getArrayAttr({entry}));
  }
  return best == kernels::chooseProduct(product, machine, context)->config;
}

struct Taken {
  int64_t kernels = 0, transposes = 0;
};

/// Forms the kernels and counts those that the template supports, and their transposes. Returns the
/// problem, or an empty string.
std::string formKernels(ModuleOp module, const kernels::Machine &machine, Random &random,
                        Taken &taken) {
  StageOptions options;
  options.machine = machine;
  // The earlier stages run again on the kernels (runOnHostAs) and may still rewrite transposes of
  // dimensions of size 1. The second run here does so before the test chooses a configuration.
  if (failed(runStages(module, options, "", "fusion")) ||
      failed(runStages(module, options, "", "fusion"))) {
    return "the fusion stage failed";
  }
  bool isBest = true;
  bool isRandom = random.chance(0.5);
  module.walk([&](graph::KernelOp kernel) {
    kernels::ProductKernel product;
    Block &body = kernel.getBody().front();
    if (kernels::matchProduct(body, product).empty()) {
      ++taken.kernels;
      taken.transposes += llvm::count_if(body, llvm::IsaPred<graph::TransposeOp>);
      isBest &= checkSpace(kernel, product, machine, random, isRandom);
    }
  });
  return isBest ? "" : "the choice does not have the fewest cycles of the space";
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, Taken &taken) {
  GraphContext context;
  ProductGraph graph(&context, seed);
  graph.make();
  kernels::Machine machine = machineOf(seed);
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        OwningOpRef<ModuleOp> copy = module.clone();
        std::string problem = formKernels(*copy, machine, graph.random, taken);
        return !problem.empty() ? problem
                                : runOnHostAs(machine, *copy, inputs, outputs,
                                              1 + static_cast<int64_t>(seed % 3));
      });
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 150};
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  Taken taken;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, taken); });
  llvm::outs() << seeds.count << " graphs, " << taken.kernels << " by the product template with "
               << taken.transposes << " transposes, " << failed << " failed\n";
  // Fails if fewer than 3 of 4 graphs use the template, because the test would not cover it.
  auto graphs = static_cast<int64_t>(seeds.count);
  bool isCovered = taken.kernels * 4 >= graphs * 3 && taken.transposes * 2 >= graphs;
  return failed || !isCovered ? 1 : 0;
}
