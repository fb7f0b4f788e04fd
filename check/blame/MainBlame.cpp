// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are right alone and wrong together: operands of a call, memory
// that is shared too early, code around the calls. To see values without moving
// them, each call of the planned @main is followed by a copy of its results to
// further outputs.

#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Memory/Passes.h"
#include "check/blame/KernelBlame.h"
#include "check/blame/PassWatcher.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

constexpr llvm::StringLiteral kPlanPass = "convoy-memory-plan-arena";

/// A kernel of @main and what the reference gives for it.
struct ExpectedKernel {
  Operation *op;
  std::vector<Datum> results;
};

std::vector<ExpectedKernel> expectedKernels(ModuleOp module, ArrayRef<Datum> inputs) {
  std::vector<ExpectedKernel> list;
  auto keep = [&](Operation *op, ArrayRef<Datum> results) {
    if (isa<graph::KernelOp>(op)) {
      list.push_back({op, results.vec()});
    }
  };
  reference::RunOptions options;
  options.observe = keep;
  (void)reference::run(mainOf(module), inputs, options); // outputs are known
  return list;
}

/// Makes the results of each call outputs of @main, after those it has.
class Tracer {
public:
  Tracer(ArrayRef<ExpectedKernel> kernels, bool &isTraced) : kernels(kernels), isTraced(isTraced) {}

  void traceAll(ModuleOp module) {
    func::FuncOp main = mainOf(module);
    SmallVector<func::CallOp> calls(main.getBody().front().getOps<func::CallOp>());
    isTraced = calls.size() == kernels.size();
    for (size_t i = 0; isTraced && i < calls.size(); ++i) {
      trace(main, calls[i], kernels[i].op);
    }
  }

private:
  static unsigned arenaArgument(func::FuncOp main) {
    unsigned i = 0;
    while (main.getArgAttrOfType<StringAttr>(i, memory::kRoleAttr) != "arena") {
      ++i;
    }
    return i;
  }

  /// The operands of a call: inputs, results, scratch if any, first and last index.
  void trace(func::FuncOp main, func::CallOp call, Operation *kernel) {
    OpBuilder builder(main.getContext());
    builder.setInsertionPointAfter(call);
    unsigned first = kernel->getNumOperands();
    for (unsigned i = 0; i < kernel->getNumResults(); ++i) {
      Value memory = call.getOperand(first + i);
      unsigned position = arenaArgument(main);
      NamedAttrList attributes;
      attributes.set(memory::kRoleAttr, builder.getStringAttr("output"));
      // As it lies in memory: a vector.
      auto type = cast<RankedTensorType>(kernel->getResult(i).getType());
      auto flat = RankedTensorType::get({graph::physicalElements(type)}, type.getElementType());
      attributes.set(memory::kLogicalTypeAttr, TypeAttr::get(flat));
      attributes.set("graph.name", builder.getStringAttr("trace_" + Twine(position)));
      main.insertArgument(position, memory.getType(), attributes.getDictionary(main.getContext()),
                          call.getLoc());
      builder.create<memref::CopyOp>(call.getLoc(), memory, main.getArgument(position));
    }
  }

  ArrayRef<ExpectedKernel> kernels;
  bool &isTraced;
};

/// The first kernel whose results are wrong when all run, if any.
void nameWrongKernel(Blame &blame, ModuleOp module, ArrayRef<Datum> inputs,
                     StageObserver *observer) {
  std::vector<ExpectedKernel> kernels = expectedKernels(module, inputs);
  bool isTraced = false;
  Tracer tracer(kernels, isTraced);
  PassWatcher afterPass([&](StringRef pass, Operation *op) {
    if (pass == kPlanPass) {
      tracer.traceAll(cast<ModuleOp>(op));
    }
  });
  ObserverList observers({&afterPass, observer});
  HostLowering::Outputs outputs = HostLowering().run(module, inputs, &observers);
  if (failed(outputs) || !isTraced) {
    return;
  }
  ArrayRef<Datum> rest = ArrayRef(*outputs).drop_front(mainOf(module).getNumResults());
  for (const ExpectedKernel &kernel : kernels) {
    std::vector<Datum> results;
    for (auto [datum, result] : llvm::zip(rest, kernel.op->getResults())) {
      results.push_back(
          graph::unpackedTensor(datum.tensor, cast<RankedTensorType>(result.getType())));
    }
    Deviation apart = deviation(results, kernel.results, kWholeGraphCloseness);
    if (apart.isWrong) {
      blame.op = graph::nodeText(mainOp(kernel.op)->getLoc());
      blame.measured = apart.text;
      return;
    }
    rest = rest.drop_front(kernel.results.size());
  }
}

} // namespace

std::optional<Blame> blameMain(ModuleOp module, ArrayRef<Datum> inputs, StageObserver *observer,
                               IsWrong isWrong) {
  HostLowering::Outputs outputs = HostLowering().run(module, inputs, observer);
  if (succeeded(outputs) && !isWrong(*outputs)) {
    return std::nullopt;
  }
  GuiltyPass guilty = guiltyPass(module, inputs, observer, isWrong);
  Blame blame{"", guilty.pass, "",
              guilty.note.empty() ? "each kernel alone is right" : guilty.note};
  nameWrongKernel(blame, module, inputs, observer);
  return blame;
}

} // namespace convoy::check
