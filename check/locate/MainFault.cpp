// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds faults that occur only when all kernels run: wrong operands of a call, memory that two
// live tensors share, wrong code around the calls. To observe values without moving them, it
// copies the results of each call of the planned @main to additional outputs.

#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Memory/Attributes.h"
#include "Memory/Passes.h"
#include "check/locate/KernelFault.h"
#include "check/locate/PassWatcher.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

constexpr llvm::StringLiteral kPlanPass = "convoy-memory-plan-arena";

/// A kernel of @main and its results according to the reference.
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
  (void)reference::run(mainOf(module), inputs, options); // the outputs are not needed
  return list;
}

/// Adds the results of each call to the outputs of @main.
class Tracer {
public:
  Tracer(ArrayRef<ExpectedKernel> kernels, bool &isTraced) : kernels(kernels), isTraced(isTraced) {}

  void traceAll(ModuleOp module) {
    func::FuncOp main = mainOf(module);
    SmallVector<task::CallOp> calls(main.getBody().front().getOps<task::CallOp>());
    isTraced = calls.size() == kernels.size();
    for (size_t i = 0; isTraced && i < calls.size(); ++i) {
      trace(main, calls[i], kernels[i].op);
    }
  }

private:
  /// Adds copies for one call. Its operands are: inputs, results, scratch memory if needed,
  /// first and last index.
  void trace(func::FuncOp main, task::CallOp call, Operation *kernel) {
    OpBuilder builder(main.getContext());
    builder.setInsertionPointAfter(call);
    unsigned first = kernel->getNumOperands();
    for (unsigned i = 0; i < kernel->getNumResults(); ++i) {
      Value memory = call.getOperand(first + i);
      unsigned position = *memory::arenaArgument(main);
      // The extents are the last tensor that a run writes.
      position -= position > 0 && graph::isExtentsArgument(main, position - 1) ? 1 : 0;
      NamedAttrList attributes;
      attributes.set(memory::kRoleAttr,
                     builder.getStringAttr(memory::nameOf(memory::Role::Output)));
      // The output is a vector: the bytes as they are in memory.
      auto type = cast<RankedTensorType>(kernel->getResult(i).getType());
      auto flat = RankedTensorType::get({graph::physicalElements(type)}, type.getElementType());
      attributes.set(graph::kTypeAttr, TypeAttr::get(flat));
      attributes.set(graph::kNameAttr, builder.getStringAttr("trace_" + Twine(position)));
      main.insertArgument(position, memory.getType(), attributes.getDictionary(main.getContext()),
                          call.getLoc());
      builder.create<memref::CopyOp>(call.getLoc(), memory, main.getArgument(position));
    }
  }

  ArrayRef<ExpectedKernel> kernels;
  bool &isTraced;
};

/// Sets `fault.op` to the first kernel whose results are wrong when all kernels run, if there
/// is one.
void nameWrongKernel(Fault &fault, ModuleOp module, ArrayRef<Datum> inputs,
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
  func::FuncOp main = mainOf(module);
  unsigned count = main.getNumResults();
  count -= count > 0 && graph::isExtentsResult(main, count - 1) ? 1 : 0;
  ArrayRef<Datum> rest = ArrayRef(*outputs).drop_front(count);
  for (const ExpectedKernel &kernel : kernels) {
    std::vector<Datum> results;
    for (auto [datum, result] : llvm::zip(rest, kernel.op->getResults())) {
      results.push_back(
          graph::unpackedTensor(datum.tensor, cast<RankedTensorType>(result.getType())));
    }
    OpError error = opError(results, kernel.results, kWholeGraphBound);
    if (error.isWrong) {
      fault.op = graph::nodeText(mainOp(kernel.op)->getLoc());
      fault.measured = error.text;
      return;
    }
    rest = rest.drop_front(kernel.results.size());
  }
}

} // namespace

std::optional<Fault> locateMainFault(ModuleOp module, ArrayRef<Datum> inputs,
                                     StageObserver *observer, IsWrong isWrong) {
  HostLowering::Outputs outputs = HostLowering().run(module, inputs, observer);
  if (succeeded(outputs) && !isWrong(*outputs)) {
    return std::nullopt;
  }
  FirstWrongPass first = firstWrongPass(module, inputs, observer, isWrong);
  Fault fault = Fault::notFound(first.note.empty() ? "each kernel is right alone" : first.note);
  fault.pass = first.pass;
  nameWrongKernel(fault, module, inputs, observer);
  return fault;
}

} // namespace convoy::check
