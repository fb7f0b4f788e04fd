// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions of random shapes between two pointwise ones, which make
// blocked layouts pay, on the reference and on this machine's CPU. Behind some
// stands what blocks make hard: normalisation over channels, concatenation.
//
//     random_depthwise [FIRST SEED [COUNT]]

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

/// x -> pointwise -> depthwise -> what fuses behind it -> pointwise.
class DepthwiseGraph {
public:
  DepthwiseGraph(MLIRContext *context, uint64_t seed)
      : random(seed), loc(UnknownLoc::get(context)), builder(context),
        module(ModuleOp::create(loc)), b(builder, loc) {}

  ModuleOp make() {
    Shape input = {random.between(1, 2), random.between(3, 9), random.between(1, 40),
                   random.between(1, 40)};
    int64_t channels = random.between(9, 70);
    builder.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get(input, builder.getF32Type());
    function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType({type}, {type}));
    function.setArgAttr(0, "graph.name", builder.getStringAttr("x"));
    function.setResultAttr(0, "graph.name", builder.getStringAttr("y"));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    Value x = pointwise(function.getArgument(0), channels);
    Value y = behind(depthwise(x));
    y = pointwise(y, random.between(8, 40));
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
      // Enough padding for a result, and sometimes so much that a whole window
      // lies in it.
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
      // Over the ends of blocks, and of the last, which may not be full.
      return b.emit<graph::LRNOp>(
          b.unary(graph::UnaryKind::Relu, y), random.between(1, 6), llvm::APFloat(0.3),
          llvm::APFloat(random.chance(0.7) ? 0.75 : 0.6), llvm::APFloat(1.5));
    case 5:
      return b.concat({y, pointwise(y, random.between(1, 24))}, 1);
    case 6:
      // Parts of parts; some end within a block.
      return b.concat({b.concat({pointwise(y, 16), pointwise(y, random.between(7, 9))}, 1), y}, 1);
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

/// Kernels that the depthwise template takes.
int64_t countTaken(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext());
  buildPipeline(passes, {}, "layout");
  int64_t taken = 0;
  if (succeeded(passes.run(*copy))) {
    copy->walk([&](graph::KernelOp kernel) {
      taken += isa_and_nonnull<kernels::DepthwiseAttr>(kernel.getConfigAttr());
    });
  }
  return taken;
}

/// What is wrong with the graph of a seed, or nothing.
std::string compare(uint64_t seed, int64_t &taken) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  DepthwiseGraph graph(&context, seed);
  ModuleOp module = graph.make();
  BlockArgument argument = graph.main().getArgument(0);
  Tensor input = randomTensor(graph.random, ElementType::F32,
                              cast<RankedTensorType>(argument.getType()).getShape());
  Trial trial(seed);
  trial.define(argument, input);
  if (!trial.evaluate(graph.main().front())) {
    return ""; // Sums of many taps may be too large to compare; not counted.
  }
  taken += countTaken(module);
  std::vector<Tensor> actual;
  std::string problem = runOnHost(module, {input}, actual);
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
  uint64_t count = 60;
  bool isWrong = (argc > 1 && StringRef(argv[1]).getAsInteger(10, first)) ||
                 (argc > 2 && StringRef(argv[2]).getAsInteger(10, count)) || argc > 3;
  if (isWrong) {
    llvm::errs() << "usage: random_depthwise [FIRST SEED [COUNT]]\n";
    return 2;
  }
  int64_t taken = 0;
  int failed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::string problem = compare(seed, taken);
    if (!problem.empty()) {
      llvm::outs() << "FAILED seed " << seed << ": " << problem << "\n";
      ++failed;
    }
  }
  llvm::outs() << count << " graphs, " << taken << " by the depthwise template, " << failed
               << " failed\n";
  // Most must have met the template: else this compares something else.
  bool isCovered = taken * 4 >= static_cast<int64_t>(count) * 3;
  return failed || !isCovered ? 1 : 0;
}
