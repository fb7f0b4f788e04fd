// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of random shapes as for a machine whose vectors are longer than most
// layers have channels, on the reference and on this machine's CPU, which takes the
// long vectors in pieces.
//
//     random_long_vectors [FIRST SEED [COUNT]]

#include "Graph/TypedBuilder.h"
#include "Kernels/Kernel.h"
#include "Pipeline/Pipeline.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/Differential.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// Convolutions in a row, some with a residual or a pool behind them.
class ConvGraph {
public:
  ConvGraph(MLIRContext *context, uint64_t seed)
      : random(seed), loc(UnknownLoc::get(context)), builder(context),
        module(ModuleOp::create(loc)), b(builder, loc) {}

  /// `isFast`: layers that fast math takes as tiles.
  ModuleOp make(bool isFast) {
    Shape input = {random.between(1, 2), random.between(1, 5), random.between(1, 30),
                   random.between(1, 40)};
    bool isBlocked = isFast && random.chance(0.5);
    if (isBlocked) {
      input = {random.between(1, 2), random.between(40, 64), random.between(4, 8),
               random.between(4, 8)};
    } else if (isFast) {
      input = {random.between(1, 2), random.between(8, 20), random.between(20, 40),
               random.between(20, 50)};
    }
    builder.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get(input, builder.getF32Type());
    function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType({type}, {type}));
    function.setArgAttr(0, "graph.name", builder.getStringAttr("x"));
    function.setResultAttr(0, "graph.name", builder.getStringAttr("y"));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    Value x = function.getArgument(0);
    Value y = isFast ? tiledConvs(x, isBlocked) : someConvs(x);
    builder.create<func::ReturnOp>(loc, y);
    function.setFunctionType(builder.getFunctionType({type}, {y.getType()}));
    return *module;
  }

  func::FuncOp main() { return function; }

  Random random;

private:
  Value constant(ArrayRef<int64_t> shape) {
    return b.constant(randomTensor(random, ElementType::F32, shape));
  }
  Shape shapeOf(Value value) { return Shape(cast<RankedTensorType>(value.getType()).getShape()); }

  Value someConvs(Value x) {
    Value y = behind(conv(x, random.between(1, 10)));
    return behind(conv(y, random.chance(0.3) ? random.between(60, 300) : random.between(1, 10)));
  }

  /// Two 3 x 3 convolutions, by many channels or by many tiles.
  Value tiledConvs(Value x, bool isBlocked) {
    auto channels = [&] { return isBlocked ? random.between(50, 80) : random.between(8, 20); };
    Value y = behind(threeByThree(x, channels()));
    Shape shape = shapeOf(y);
    return shape[2] > 2 && shape[3] > 2 ? behind(threeByThree(y, channels())) : y;
  }

  Value threeByThree(Value x, int64_t outputs) {
    Shape ones = {1, 1};
    Shape pads = {random.between(0, 2), random.between(0, 2), random.between(0, 2),
                  random.between(0, 2)};
    Tensor weight = randomTensor(random, ElementType::F32, {outputs, shapeOf(x)[1], 3, 3});
    for (float &factor : llvm::MutableArrayRef(weight.mutableData<float>(), weight.size())) {
      factor *= 0.02F; // keeps the size of what passes through
    }
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, b.constant(weight), bias, ones, pads, ones, 1);
  }

  Value conv(Value x, int64_t outputs) {
    Shape shape = shapeOf(x);
    Shape weight = {outputs, shape[1]}, strides, dilations, begins, ends;
    bool isPointwise = random.chance(0.3);
    for (int64_t dim : {shape[2], shape[3]}) {
      static constexpr int64_t kKernels[] = {3, 3, 1, 2, 5, 7};
      int64_t kernel = isPointwise ? 1 : random.pick(kKernels);
      int64_t dilation = random.chance(0.2) ? random.between(2, 3) : 1;
      int64_t reach = (kernel - 1) * dilation;
      int64_t begin = random.chance(0.2) ? 0 : random.between(0, reach);
      int64_t end = std::max(reach + 1 - dim - begin, random.between(0, reach));
      weight.push_back(kernel);
      strides.push_back(random.chance(0.6) ? 1 : random.between(1, 3));
      dilations.push_back(dilation);
      begins.push_back(begin);
      ends.push_back(end);
    }
    begins.append(ends);
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, constant(weight), bias, strides, begins, dilations, 1);
  }

  Value pool(Value y) {
    Shape kernel, strides, dilations, begins, ends;
    for (int64_t dim : ArrayRef<int64_t>(shapeOf(y)).drop_front(2)) {
      kernel.push_back(random.between(1, std::min<int64_t>(dim, 4)));
      strides.push_back(random.between(1, 3));
      dilations.push_back(1);
      begins.push_back(random.between(0, kernel.back() - 1));
      ends.push_back(random.between(0, kernel.back() - 1));
    }
    begins.append(ends);
    return b
        .infer(builder.create<graph::MaxPoolOp>(loc, b.placeholder(), b.placeholder(), y, kernel,
                                                strides, begins, dilations, /*ceilMode=*/false,
                                                /*columnMajor=*/false))
        ->getResult(0);
  }

  Value behind(Value y) {
    Shape shape = shapeOf(y);
    switch (random.between(0, 7)) {
    case 0:
      return b.unary(graph::UnaryKind::Relu, y);
    case 1:
      return b.add(y, constant(shape));
    case 2:
      return b.mul(y, constant({1, shape[1], 1, 1}));
    case 3:
      return b.mul(y, constant({1, 1, shape[2], 1})); // rows differ: no longer flat
    case 4:
      return b.add(b.unary(graph::UnaryKind::Relu, y), y);
    case 5:
    case 6:
      return pool(y);
    default:
      return y;
    }
  }

  Location loc;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  graph::TypedBuilder b;
  func::FuncOp function;
};

kernels::Machine longVectors(uint64_t seed) {
  kernels::Machine machine;
  machine.vectorBytes = seed % 2 == 0 ? 256 : 1024;
  machine.vectorRegisters = seed % 3 == 0 ? 8 : 4;
  machine.fmaPorts = 1;
  machine.hasScalarOperands = true;
  return machine;
}

struct Taken {
  int64_t flat = 0, banded = 0, direct = 0, pools = 0, tiles = 0, blockedTiles = 0;
};

void countTaken(ModuleOp module, const kernels::Machine &machine, bool isFast, Taken &taken) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  CompileOptions options;
  options.layout.machine = machine;
  options.layout.isStrictMath = !isFast;
  buildPipeline(passes, options, "layout");
  if (failed(passes.run(*copy))) {
    return;
  }
  copy->walk([&](graph::KernelOp kernel) {
    if (auto pixels = dyn_cast_or_null<kernels::ConvPixelsAttr>(kernel.getConfigAttr())) {
      ++(pixels.getRows() == 0 ? taken.flat : taken.banded);
    }
    taken.pools += isa_and_nonnull<kernels::PoolPixelsAttr>(kernel.getConfigAttr());
    taken.tiles += isa_and_nonnull<kernels::WinogradPixelsAttr>(kernel.getConfigAttr());
    taken.blockedTiles += isa_and_nonnull<kernels::WinogradAttr>(kernel.getConfigAttr());
    taken.direct += isa_and_nonnull<kernels::ConvDirectAttr>(kernel.getConfigAttr());
  });
}

/// What is wrong with the graph of a seed, or nothing.
std::string compare(uint64_t seed, Taken &taken) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  ConvGraph graph(&context, seed);
  bool isFast = seed % 4 == 0 || seed % 4 == 3;
  ModuleOp module = graph.make(isFast);
  BlockArgument argument = graph.main().getArgument(0);
  Tensor input = randomTensor(graph.random, ElementType::F32,
                              cast<RankedTensorType>(argument.getType()).getShape());
  Trial trial(seed);
  trial.define(argument, input);
  if (!trial.evaluate(graph.main().front())) {
    return ""; // Sums of many taps may be too large to compare; not counted.
  }
  kernels::Machine machine = longVectors(seed);
  countTaken(module, machine, isFast, taken);
  std::vector<Tensor> actual;
  std::string problem = runOnHostAs(machine, module, {input}, actual, 1 + seed % 5, !isFast);
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

} // namespace

int main(int argc, char **argv) {
  uint64_t first = 1;
  uint64_t count = 80;
  bool isWrong = (argc > 1 && StringRef(argv[1]).getAsInteger(10, first)) ||
                 (argc > 2 && StringRef(argv[2]).getAsInteger(10, count)) || argc > 3;
  if (isWrong) {
    llvm::errs() << "usage: random_long_vectors [FIRST SEED [COUNT]]\n";
    return 2;
  }
  Taken taken;
  int failed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::string problem = compare(seed, taken);
    if (!problem.empty()) {
      llvm::outs() << "FAILED seed " << seed << ": " << problem << "\n";
      ++failed;
    }
  }
  llvm::outs() << count << " graphs, kernels with lanes along pixels: " << taken.flat
               << " in place, " << taken.banded << " by bands; along channels: " << taken.direct
               << "; along tiles: " << taken.tiles << ", tiles of channels: " << taken.blockedTiles
               << "; pools: " << taken.pools << "; " << failed << " failed\n";
  // All of them must have been met: else this compares something else.
  auto share = static_cast<int64_t>(count) / 20;
  bool isCovered = taken.flat >= share && taken.banded >= 5 * share && taken.direct >= share &&
                   taken.pools >= share && taken.tiles >= 2 * share && taken.blockedTiles >= share;
  return failed || !isCovered ? 1 : 0;
}
