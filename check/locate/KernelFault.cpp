// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks one kernel at a time while the reference computes the inputs. It drops each value
// after its last use, so it needs no more memory than the reference.

#include "check/locate/KernelFault.h"
#include "Graph/Attributes.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Graph/OpFacts.h"
#include "Layout/Reorder.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "reference/Reference.h"

using namespace mlir;

namespace convoy::check {
namespace {

/// A module whose @main contains a copy of one op. It also contains a copy of the constants
/// that the op reads; other operands become arguments.
class SingleOpModule {
public:
  SingleOpModule(Operation *op, llvm::function_ref<Datum(Value)> valueOf);

  ModuleOp module() { return *owned; }
  Operation *op() { return copy; }
  void setOp(Operation *op) { copy = op; }
  ArrayRef<Datum> inputs() const { return arguments; }

private:
  void nameInterface(func::FuncOp main);

  OwningOpRef<ModuleOp> owned;
  Operation *copy = nullptr;
  std::vector<Datum> arguments;
};

llvm::SetVector<Value> valuesReadBy(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions()) {
    getUsedValuesDefinedAbove(region, values);
  }
  return values;
}

Value inLayout(OpBuilder &builder, Value value, Attribute layout) {
  return graph::layoutOf(value.getType()) == layout ? value
                                                    : layout::reorder(builder, value, layout);
}

SingleOpModule::SingleOpModule(Operation *op, llvm::function_ref<Datum(Value)> valueOf)
    : owned(ModuleOp::create(op->getLoc())) {
  SmallVector<Value> read, constants;
  for (Value value : valuesReadBy(op)) {
    (value.getDefiningOp<graph::ConstantOp>() ? constants : read).push_back(value);
  }
  OpBuilder builder = OpBuilder::atBlockEnd(owned->getBody());
  // Values outside kernels have the planar layout.
  auto planar = [](Type type) -> Type { return graph::withLayout(type, {}); };
  auto type = builder.getFunctionType(llvm::map_to_vector(ValueRange(read).getTypes(), planar),
                                      llvm::map_to_vector(op->getResultTypes(), planar));
  auto main = builder.create<func::FuncOp>(op->getLoc(), "main", type);
  builder.setInsertionPointToEnd(main.addEntryBlock());
  IRMapping mapping;
  for (Value constant : constants) {
    builder.clone(*constant.getDefiningOp(), mapping);
  }
  for (auto [value, argument] : llvm::zip(read, main.getArguments())) {
    mapping.map(value, inLayout(builder, argument, graph::layoutOf(value.getType())));
    arguments.push_back(valueOf(value));
  }
  copy = builder.clone(*op, mapping);
  SmallVector<Value> results;
  for (Value result : copy->getResults()) {
    results.push_back(inLayout(builder, result, {}));
  }
  builder.create<func::ReturnOp>(op->getLoc(), results);
  nameInterface(main);
}

void SingleOpModule::nameInterface(func::FuncOp main) {
  graph::numberInterface(main, "input_", "output_");
}

/// Returns the error of the compiled op against the reference on the same inputs.
OpError errorAlone(SingleOpModule &single, StageObserver *observer, const ErrorBound &bound) {
  func::FuncOp main = mainOf(single.module());
  FailureOr<std::vector<Datum>> expected = reference::run(main, single.inputs());
  if (failed(expected)) {
    return {}; // the reference cannot run the op
  }
  HostLowering::Outputs actual = HostLowering().run(single.module(), single.inputs(), observer);
  return failed(actual) ? OpError{true, "compiling or running the kernel failed"}
                        : opError(*actual, *expected, bound);
}

/// Makes the kernel return the results of the op at `position` in its body. Erases the ops
/// that become unused.
void cutKernel(SingleOpModule &single, unsigned position) {
  auto kernel = cast<graph::KernelOp>(single.op());
  func::FuncOp main = mainOf(single.module());
  Block &body = kernel.getBody().front();
  Operation *last = &*std::next(body.begin(), position);
  // A template writes the layout of the kernel's result. Each op that may end the cut kernel has
  // the shape of this result.
  if (kernel.getConfigAttr()) {
    Value result = last->getResult(0);
    result.setType(
        graph::withLayout(result.getType(), graph::layoutOf(kernel.getResult(0).getType())));
  }
  OpBuilder builder(kernel);
  auto cut =
      builder.create<graph::KernelOp>(kernel.getLoc(), last->getResultTypes(), kernel.getInputs());
  cut.setConfigAttr(kernel.getConfigAttr());
  cut.getBody().takeBody(kernel.getBody());
  Block &kept = cut.getBody().front();
  kept.getTerminator()->setOperands(last->getResults());
  SmallVector<Operation *> ops(llvm::make_pointer_range(kept.without_terminator()));
  for (Operation *op : llvm::reverse(ops)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
  Operation *terminator = main.getBody().front().getTerminator();
  SmallVector<Value> results;
  for (Value result : cut.getResults()) {
    results.push_back(inLayout(builder, result, {}));
  }
  terminator->setOperands(results);
  SmallVector<Operation *> reorders(kernel->getUsers());
  for (Operation *reorder : reorders) {
    reorder->erase();
  }
  kernel.erase();
  single.setOp(cut);
  main.setType(builder.getFunctionType(main.getArgumentTypes(), ValueRange(results).getTypes()));
}

class KernelChecker {
public:
  KernelChecker(ModuleOp module, ArrayRef<Datum> inputs, StageObserver *observer)
      : main(mainOf(module)), observer(observer) {
    for (auto [argument, input] : llvm::zip(main.getArguments(), inputs)) {
      values[argument] = input;
    }
    main.walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        ++readersLeft[operand];
      }
    });
  }

  void visit(Operation *op, ArrayRef<Datum> results) {
    if (found) {
      return;
    }
    if (op->getNumRegions() > 0) {
      check(op);
    }
    for (auto [value, datum] : llvm::zip(op->getResults(), results)) {
      values[value] = datum;
    }
    op->walk([&](Operation *inner) { release(inner->getOperands()); });
  }

  std::optional<Fault> found;

private:
  void release(ValueRange operands) {
    for (Value operand : operands) {
      if (--readersLeft[operand] == 0) {
        values.erase(operand);
      }
    }
  }

  SingleOpModule alone(Operation *op) {
    return SingleOpModule(op, [&](Value value) { return values.lookup(value); });
  }

  void check(Operation *op) {
    bool isKernel = isa<graph::KernelOp>(op);
    // The error of a body that runs many times accumulates as in a whole graph.
    ErrorBound bound = isKernel ? kernelErrorBound(op) : kWholeGraphBound;
    SingleOpModule single = alone(op);
    OpError error = errorAlone(single, observer, bound);
    if (!error.isWrong) {
      return;
    }
    FailureOr<std::vector<Datum>> expected =
        reference::run(mainOf(single.module()), single.inputs());
    auto isWrong = [&](ArrayRef<Datum> outputs) {
      return opError(outputs, *expected, bound).isWrong;
    };
    FirstWrongPass first = firstWrongPass(single.module(), single.inputs(), observer, isWrong);
    Fault fault;
    fault.op = graph::nodeText(mainOp(op)->getLoc());
    fault.pass = first.pass;
    fault.measured = error.text;
    fault.note = first.note;
    found = isKernel ? narrow(op, std::move(fault)) : std::move(fault);
  }

  /// Cuts the kernel after each of its ops and names the first op whose result is wrong. If only
  /// the whole kernel is wrong, the fault keeps the main op.
  Fault narrow(Operation *kernel, Fault fault) {
    Block &body = kernel->getRegion(0).front();
    // A template cannot run without its main op.
    bool hasConfig = cast<graph::KernelOp>(kernel).getConfigAttr() != nullptr;
    if (hasConfig && graph::loopCount(body) > 1) {
      // A template of several loops cannot run a part of them, so the fault names all nodes.
      fault.op = graph::nodeText(kernel->getLoc());
      return fault;
    }
    for (auto [i, inner] : llvm::enumerate(body.without_terminator())) {
      bool isBeforeMain = hasConfig && inner.isBeforeInBlock(mainOp(kernel));
      if (isa<graph::ConstantOp>(inner) || isBeforeMain) {
        continue;
      }
      SingleOpModule single = alone(kernel);
      cutKernel(single, i);
      ErrorBound bound = kernelErrorBound(single.op());
      OpError error = errorAlone(single, observer, bound);
      if (error.isWrong) {
        fault.op = graph::nodeText(inner.getLoc());
        fault.measured = error.text;
        return fault;
      }
    }
    return fault;
  }

  func::FuncOp main;
  StageObserver *observer;
  llvm::DenseMap<Value, Datum> values;
  llvm::DenseMap<Value, int64_t> readersLeft;
};

} // namespace

std::optional<Fault> locateKernelFault(ModuleOp module, ArrayRef<Datum> inputs,
                                       StageObserver *observer) {
  KernelChecker checker(module, inputs, observer);
  auto visit = [&](Operation *op, ArrayRef<Datum> results) { checker.visit(op, results); };
  reference::RunOptions options;
  options.observe = visit;
  if (failed(reference::run(mainOf(module), inputs, options)) && !checker.found) {
    return std::nullopt;
  }
  return checker.found;
}

} // namespace convoy::check
