// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Watches the passes of the stages before Tasks. The wrong op is the first op whose value
// differs from all values that its ONNX nodes had before the first wrong pass.

#include "check/locate/GraphFault.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "check/locate/PassWatcher.h"
#include "mlir/IR/OperationSupport.h"
#include "reference/Reference.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace convoy::check {
namespace {

/// The module before and after the first wrong pass.
struct Break {
  std::string pass;
  OwningOpRef<ModuleOp> before, after;
};

/// Runs the reference after each pass that changed the module, until the outputs are wrong.
class OutputWatcher {
public:
  OutputWatcher(ModuleOp module, ArrayRef<Datum> inputs, IsWrong isWrong, Break &found)
      : module(module), inputs(inputs), isWrong(isWrong), found(found), known(module) {
    found.before = module.clone();
  }

  void look(StringRef pass) {
    if (found.after) {
      return;
    }
    OperationFingerPrint now(module);
    if (now == known) {
      return;
    }
    known = now;
    OwningOpRef<ModuleOp> copy = module.clone();
    FailureOr<std::vector<Datum>> outputs = reference::run(mainOf(*copy), inputs);
    if (failed(outputs) || isWrong(*outputs)) {
      found.pass = pass.str();
      found.after = std::move(copy);
    } else {
      found.before = std::move(copy);
    }
  }

private:
  ModuleOp module;
  ArrayRef<Datum> inputs;
  IsWrong isWrong;
  Break &found;
  OperationFingerPrint known;
};

/// Moves the ops of kernels into the parent block, so that the reference reports the value of
/// each op.
void inlineKernels(ModuleOp module) {
  SmallVector<graph::KernelOp> kernels;
  module.walk([&](graph::KernelOp kernel) { kernels.push_back(kernel); });
  for (graph::KernelOp kernel : kernels) {
    Block &body = kernel.getBody().front();
    for (auto [argument, input] : llvm::zip(body.getArguments(), kernel.getInputs())) {
      argument.replaceAllUsesWith(input);
    }
    Operation *yield = body.getTerminator();
    kernel.replaceAllUsesWith(yield->getOperands());
    yield->erase();
    kernel->getBlock()->getOperations().splice(kernel->getIterator(), body.getOperations());
    kernel.erase();
  }
}

/// An op and the values that the reference computes for it.
struct Evaluated {
  Operation *op;
  std::vector<Datum> values;
};

std::vector<Evaluated> evaluateAll(ModuleOp module, ArrayRef<Datum> inputs) {
  inlineKernels(module);
  std::vector<Evaluated> list;
  auto keep = [&](Operation *op, ArrayRef<Datum> values) { list.push_back({op, values.vec()}); };
  reference::RunOptions options;
  options.observe = keep;
  (void)reference::run(mainOf(module), inputs,
                       options); // after a failure, the values computed so far remain
  return list;
}

/// Values by ONNX node.
using ValuesByNode = llvm::StringMap<std::vector<Datum>>;

ValuesByNode valuesByNode(ArrayRef<Evaluated> ops) {
  ValuesByNode result;
  for (const Evaluated &entry : ops) {
    for (const graph::NodeName &node : graph::nodesOf(entry.op->getLoc())) {
      llvm::append_range(result[node.name], entry.values);
    }
  }
  return result;
}

/// Returns whether the matrix may hold the rows of a tensor of higher rank.
/// convoy-graph-lower-batched-products replaces such tensors by matrices.
bool isOfRows(ArrayRef<int64_t> matrix, ArrayRef<int64_t> other) {
  return matrix.size() == 2 && other.size() > 2 && matrix[1] == other.back() &&
         elementCount(matrix) == elementCount(other);
}

/// Returns the values of the op's nodes before the pass that have the type and shape of
/// `value`.
std::vector<Datum> candidates(const Evaluated &entry, const Datum &value,
                              const ValuesByNode &known) {
  std::vector<Datum> result;
  for (const graph::NodeName &node : graph::nodesOf(entry.op->getLoc())) {
    for (const Datum &datum : known.lookup(node.name)) {
      if (!datum.isTensor() || !value.isTensor() || datum.tensor.type() != value.tensor.type()) {
        continue;
      }
      ArrayRef<int64_t> shape = value.tensor.shape();
      if (datum.tensor.shape() == shape || isOfRows(shape, datum.tensor.shape())) {
        result.emplace_back(datum.tensor.reshaped(shape));
      }
    }
  }
  return result;
}

/// Returns the error of the op's values against all values of its nodes before the pass. If
/// there are no values to compare with, the op counts as right. A result without readers may have
/// any value, for example the indices of a max pool.
OpError errorFrom(const Evaluated &entry, const ValuesByNode &known) {
  for (auto [result, value] : llvm::zip(entry.op->getResults(), entry.values)) {
    if (result.use_empty()) {
      continue;
    }
    OpError last;
    for (const Datum &expected : candidates(entry, value, known)) {
      last = opError(value, expected, kWholeGraphBound);
      if (!last.isWrong) {
        break;
      }
    }
    if (last.isWrong) {
      return last;
    }
  }
  return {};
}

/// Returns the last op of each location. Only this op computes the value of the ONNX node; the
/// pass may have inserted the ops before it.
llvm::DenseMap<Attribute, size_t> lastOfEachLocation(ArrayRef<Evaluated> ops) {
  llvm::DenseMap<Attribute, size_t> last;
  for (auto [i, entry] : llvm::enumerate(ops)) {
    last[entry.op->getLoc()] = i;
  }
  return last;
}

/// Returns the location of the first output. It is reported if no wrong op is found.
Location outputLocation(ModuleOp module) {
  Operation *terminator = mainOf(module).getBody().front().getTerminator();
  for (Value value : terminator->getOperands()) {
    if (Operation *op = value.getDefiningOp()) {
      return op->getLoc();
    }
  }
  return terminator->getLoc();
}

/// Returns the ops that define the operands of an op, with their values.
std::vector<Evaluated> producersOf(Operation *op, ArrayRef<Evaluated> ops) {
  std::vector<Evaluated> producers;
  for (Value operand : op->getOperands()) {
    auto isProducer = [&](const Evaluated &entry) { return entry.op == operand.getDefiningOp(); };
    const Evaluated *it = llvm::find_if(ops, isProducer);
    if (it != ops.end() && it->op->getNumResults() == 1) {
      producers.push_back(*it);
    }
  }
  return producers;
}

/// Returns the op whose result the wrong op read before the pass but does not read after it,
/// if there is one. The pass removed this op, so the report names it.
Operation *leftOutOp(const Evaluated &wrong, ArrayRef<Evaluated> before,
                     ArrayRef<Evaluated> after) {
  auto isSameOp = [&](const Evaluated &entry) {
    return entry.op->getLoc() == wrong.op->getLoc() && entry.op->getName() == wrong.op->getName();
  };
  const Evaluated *was = llvm::find_if(before, isSameOp);
  if (was == before.end()) {
    return nullptr;
  }
  std::vector<Evaluated> read = producersOf(wrong.op, after);
  for (const Evaluated &producer : producersOf(was->op, before)) {
    auto isKept = [&](const Evaluated &entry) {
      return entry.op->getLoc() == producer.op->getLoc() ||
             !opError(entry.values, producer.values, kWholeGraphBound).isWrong;
    };
    if (!graph::nodesOf(producer.op->getLoc()).empty() && llvm::none_of(read, isKept)) {
      return producer.op;
    }
  }
  return nullptr;
}

Fault faultOf(Break &found, ArrayRef<Datum> inputs) {
  std::vector<Evaluated> before = evaluateAll(*found.before, inputs);
  ValuesByNode known = valuesByNode(before);
  std::vector<Evaluated> ops = evaluateAll(*found.after, inputs);
  llvm::DenseMap<Attribute, size_t> last = lastOfEachLocation(ops);
  for (auto [i, entry] : llvm::enumerate(ops)) {
    if (last[entry.op->getLoc()] != i) {
      continue;
    }
    OpError error = errorFrom(entry, known);
    if (error.isWrong) {
      Operation *leftOut = leftOutOp(entry, before, ops);
      return {graph::nodeText((leftOut ? leftOut : entry.op)->getLoc()), found.pass, error.text,
              leftOut ? "the pass removed this op, so " + graph::nodeText(entry.op->getLoc()) +
                            " is wrong"
                      : ""};
    }
  }
  return {graph::nodeText(outputLocation(*found.after)), found.pass, "",
          "no op before the outputs differs; the named op produces an output"};
}

} // namespace

LogicalResult runGraphStages(ModuleOp module, const StageOptions &options,
                             StageObserver *observer) {
  return runStages(module, options, "", "layout", observer);
}

std::optional<Fault> locateGraphFault(ModuleOp module, ArrayRef<Datum> inputs,
                                      const StageOptions &options, StageObserver *injected,
                                      IsWrong isWrong) {
  Break found;
  OutputWatcher watcher(module, inputs, isWrong, found);
  PassWatcher afterPass([&](StringRef pass, Operation *) { watcher.look(pass); });
  ObserverList observers({&afterPass, injected});
  (void)runGraphStages(module, options,
                       &observers); // IR that fails to verify also has wrong outputs
  return found.after ? std::optional<Fault>(faultOf(found, inputs)) : std::nullopt;
}

} // namespace convoy::check
