// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports If, Loop and Scan. If the condition of an If is known at import, the
// importer inlines the taken branch. If both branches yield collections of one
// form, the branches yield their tensors. A loop that carries collections is
// unrolled. The importer re-imports the body of another loop with wider types until
// the types that the body yields match the types of its arguments.

#include "Graph/DiagnosticText.h"
#include "Graph/JoinTypes.h"
#include "Import/CollectionForm.h"
#include "Import/HeldDiagnostics.h"
#include "Import/OnnxProto.h"
#include "Import/OpTable.h"
#include "Import/UnrollLoop.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::import {
namespace {

// The importer unrolls a Scan of opset 8 over its batch dimension.
constexpr int64_t kMaxScanBatch = 64;
// A loop with more iterations stays one op even if its sizes are then dynamic.
constexpr int64_t kMaxStaticSteps = 64;
// After this many rounds of widening, every dimension of a type that still
// changes becomes dynamic.
constexpr int kPatientRounds = 3;

/// Returns the first error. An import that fails emits one.
const Diagnostic *firstError(ArrayRef<Diagnostic> held) {
  const auto *found = llvm::find_if(held, [](const Diagnostic &diagnostic) {
    return diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  return found == held.end() ? nullptr : found;
}

//===-- If ------------------------------------------------------------------===//

struct Branch {
  StringRef name;
  const onnx::GraphProto *graph;
  Region *region;
  std::string problem = {}; // empty if the import of the branch succeeded
  ProblemKind problemKind = ProblemKind::Error;
};

/// Imports one branch. Stores a failure in `problem` and does not emit it.
void importBranch(NodeContext &n, Branch &branch) {
  MLIRContext *context = n.builder.getContext();
  bool hasFailed = false;
  std::vector<Diagnostic> held = capture(
      context, [&] { hasFailed = failed(n.importRegion(*branch.graph, *branch.region, {})); });
  n.hasFailed = false;
  if (hasFailed) {
    const Diagnostic *error = firstError(held);
    branch.problem = error ? graph::describe(*error) : "no reason was reported";
    branch.problemKind = error ? kindOf(*error) : ProblemKind::Error;
    n.discard(*branch.region);
  } else {
    release(context, std::move(held));
  }
}

/// Replaces a branch that cannot be imported by graph.fail with the result
/// types of the other branch. The inference fails if it takes the branch.
void replaceByFailure(NodeContext &n, Branch &branch, Region &other) {
  n.warning() << branch.name
              << " has no valid types at the given input shapes; an inference that takes this "
                 "branch fails ("
              << branch.problem << ")";
  OpBuilder::InsertionGuard guard(n.builder);
  n.builder.createBlock(branch.region);
  std::string message =
      (branch.name + " is invalid at the compiled input shapes: ").str() + branch.problem;
  auto fail = n.builder.create<graph::FailOp>(
      n.loc, TypeRange(other.front().getTerminator()->getOperands()), message);
  n.builder.create<graph::YieldOp>(n.loc, fail.getResults());
}

LogicalResult reportBothBranches(NodeContext &n, const Branch &a, const Branch &b) {
  bool isUnsupported =
      a.problemKind == ProblemKind::Unsupported || b.problemKind == ProblemKind::Unsupported;
  InFlightDiagnostic diagnostic = isUnsupported ? n.unsupported() : n.error();
  return diagnostic << "has no branch that can be imported at the given input shapes; " << a.name
                    << ": " << a.problem << "; " << b.name << ": " << b.problem;
}

/// Returns the only element of a known condition. Emits an error if the
/// condition has several elements.
FailureOr<bool> conditionValue(NodeContext &n, const Tensor &condition) {
  if (condition.size() != 1) {
    return FailureOr<bool>(n.error()
                           << "expects a condition of one element, got " << condition.size());
  }
  return condition.asInt(0) != 0;
}

/// Infers the types of an If. If both branches yield collections of the same form,
/// they yield the tensors instead, and ops after the If construct the collections.
SmallVector<Value> finishIf(NodeContext &n, graph::IfOp op) {
  Operation *yes = op.getThenBranch().front().getTerminator();
  Operation *no = op.getElseBranch().front().getTerminator();
  SmallVector<Value> forms, fromYes, fromNo;
  bool hasForm = false;
  for (auto [a, b] : llvm::zip(yes->getOperands(), no->getOperands())) {
    bool isSame = haveSameForm(a, b);
    hasForm |= isSame;
    forms.push_back(isSame ? a : Value());
    if (isSame) {
      appendTensors(a, fromYes);
      appendTensors(b, fromNo);
    } else {
      fromYes.push_back(a);
      fromNo.push_back(b);
    }
  }
  if (!hasForm || fromYes.empty()) {
    n.finish(op);
    return op.getResults();
  }
  yes->setOperands(fromYes);
  no->setOperands(fromNo);
  SmallVector<Type> types(fromYes.size(), n.placeholder());
  auto flat = n.builder.create<graph::IfOp>(n.loc, TypeRange(types), op.getCondition());
  flat.getThenBranch().takeBody(op.getThenBranch());
  flat.getElseBranch().takeBody(op.getElseBranch());
  op.erase();
  n.finish(flat);
  SmallVector<Value> tensors(flat.getResults()), results;
  ArrayRef<Value> rest = tensors;
  for (Value form : forms) {
    results.push_back(form ? takeForm(n, form, rest) : rest.front());
    rest = form ? rest : rest.drop_front();
  }
  return results;
}

LogicalResult importIf(NodeContext &n) {
  Value condition = n.input(0);
  Branch yes{"then_branch", n.graphAttr("then_branch"), nullptr};
  Branch no{"else_branch", n.graphAttr("else_branch"), nullptr};
  if (failed(n.require(0, "cond"))) {
    return failure();
  }
  if (!yes.graph || !no.graph) {
    return n.error() << "requires the subgraph attributes 'then_branch' and 'else_branch', but the "
                        "node lacks at least one of them";
  }
  if (n.element(condition) != ElementType::Bool) {
    return n.error() << "expects a condition of element type bool, got " << condition.getType();
  }
  if (std::optional<Tensor> known = n.known(condition)) {
    FailureOr<bool> isTaken = conditionValue(n, *known);
    if (failed(isTaken)) {
      return failure();
    }
    FailureOr<SmallVector<Value>> outputs = n.importInline(*isTaken ? *yes.graph : *no.graph);
    return failed(outputs) ? LogicalResult(failure()) : n.yield(*outputs);
  }
  if (yes.graph->output_size() != no.graph->output_size()) {
    return n.error()
           << "expects both branches to have the same number of outputs, got then_branch with "
           << yes.graph->output_size() << " and else_branch with " << no.graph->output_size();
  }
  SmallVector<Type> types(yes.graph->output_size(), n.placeholder());
  auto op = n.builder.create<graph::IfOp>(n.loc, TypeRange(types), condition);
  yes.region = &op.getThenBranch();
  no.region = &op.getElseBranch();
  importBranch(n, yes);
  importBranch(n, no);
  if (!yes.problem.empty() && !no.problem.empty()) {
    return reportBothBranches(n, yes, no);
  }
  if (!yes.problem.empty()) {
    replaceByFailure(n, yes, *no.region);
  } else if (!no.problem.empty()) {
    replaceByFailure(n, no, *yes.region);
  }
  return n.yield(finishIf(n, op));
}

//===-- Loop and Scan -------------------------------------------------------===//

/// The carried values of a loop body. Arguments [firstArgument, firstArgument +
/// count) take the values of outputs [firstOutput, firstOutput + count) of the
/// previous iteration.
struct CarriedValues {
  size_t firstArgument;
  size_t firstOutput;
  size_t count;
};

/// Widens the types of carried arguments to the types that the body yields.
/// Returns whether a type changed. Fails if two types cannot be joined.
FailureOr<bool> widen(NodeContext &n, Region &body, const CarriedValues &carried,
                      SmallVectorImpl<Type> &types, bool isPatient) {
  bool hasChanged = false;
  Operation *yield = body.front().getTerminator();
  for (size_t i = 0; i < carried.count; ++i) {
    Type &taken = types[carried.firstArgument + i];
    Type given = yield->getOperand(carried.firstOutput + i).getType();
    Type joined = graph::joinTypes(taken, given);
    if (!joined) {
      return FailureOr<bool>(n.error() << "expects the body to yield carried value " << i
                                       << " with type " << taken << ", got " << given);
    }
    if (joined != taken) {
      hasChanged = true;
      taken = isPatient ? joined : graph::withoutDims(joined);
    }
  }
  return hasChanged;
}

/// Imports a body repeatedly until the types of carried values hold for every
/// iteration. Reports the diagnostics of the last round only.
LogicalResult importBody(NodeContext &n, const onnx::GraphProto &graph, Region &body,
                         const CarriedValues &carried, SmallVector<Type> types) {
  MLIRContext *context = n.builder.getContext();
  for (int round = 0;; ++round) {
    std::vector<Diagnostic> held =
        capture(context, [&] { (void)n.importRegion(graph, body, types); });
    if (n.hasFailed) {
      release(context, std::move(held));
      return failure();
    }
    FailureOr<bool> hasChanged = widen(n, body, carried, types, round < kPatientRounds);
    if (failed(hasChanged)) {
      return failure();
    }
    if (!*hasChanged) {
      release(context, std::move(held));
      return success();
    }
    n.discard(body);
  }
}

/// Returns whether every value of an op and of the ops in it is a tensor of static
/// shape.
bool isStaticWithin(Operation *root) {
  return !root->walk([](Operation *op) {
                return llvm::all_of(op->getResults(), isStaticTensor) ? WalkResult::advance()
                                                                      : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Unrolls an imported loop if only this gives its tensors static shapes. Returns
/// the results.
SmallVector<Value> unrolledIfStatic(NodeContext &n, const onnx::GraphProto &body,
                                    graph::LoopOp op) {
  SmallVector<Value> results(op.getResults());
  if (n.hasFailed || isStaticWithin(op)) {
    return results;
  }
  SmallVector<Value> carried(op.getCarried());
  auto scratch =
      n.builder.create<graph::LoopOp>(n.loc, TypeRange(), Value(), Value(), ValueRange());
  UnrollLimits limits{kMaxStaticSteps, /*isStatic=*/true};
  auto unrolled = importUnrolled(n, body, carried, scratch.getBody(), limits);
  scratch.erase();
  if (unrolled) {
    n.discard(op.getBody());
    op.erase();
  }
  return unrolled.value_or(results);
}

LogicalResult importLoop(NodeContext &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  if (!body) {
    return n.error() << "requires the subgraph attribute 'body', but the node does not have it";
  }
  SmallVector<Value> carried(n.allInputs().drop_front(std::min(n.numInputs(), 2u)));
  if (llvm::is_contained(carried, Value())) {
    return n.error()
           << "omits the initial value of a loop-carried dependency, which ONNX does not allow";
  }
  if (body->output_size() < 1 + static_cast<int>(carried.size())) {
    return n.error() << "has a body with " << body->output_size() << " outputs, expected "
                     << 1 + carried.size() << " or more: a condition and " << carried.size()
                     << " carried values";
  }
  Type counter = RankedTensorType::get({}, n.builder.getI64Type());
  SmallVector<Type> arguments = {counter, RankedTensorType::get({}, n.builder.getI1Type())};
  llvm::append_range(arguments, ValueRange(carried).getTypes());
  SmallVector<Type> results(body->output_size() - 1, n.placeholder());
  auto op =
      n.builder.create<graph::LoopOp>(n.loc, TypeRange(results), n.input(0), n.input(1), carried);
  if (llvm::any_of(ValueRange(carried).getTypes(), isCollection)) {
    UnrollLimits limits{kMaxListedParts, /*isStatic=*/false};
    if (auto unrolled = importUnrolled(n, *body, carried, op.getBody(), limits)) {
      op.erase();
      return n.yield(*unrolled);
    }
  }
  CarriedValues flow{/*firstArgument=*/2, /*firstOutput=*/1, carried.size()};
  if (failed(importBody(n, *body, op.getBody(), flow, arguments))) {
    return failure();
  }
  n.finish(op);
  return n.yield(unrolledIfStatic(n, *body, op));
}

/// The attributes of a Scan node, with defaults filled in.
struct ScanForm {
  const onnx::GraphProto *body = nullptr;
  size_t states = 0;
  size_t scanned = 0;
  size_t stacked = 0;
  Shape inputAxes;
  Shape outputAxes;
  Shape inputDirections;
  Shape outputDirections;
};

/// Returns a list attribute of `count` entries. An absent attribute is all
/// zeros.
FailureOr<Shape> listAttr(NodeContext &n, StringRef name, size_t count) {
  Shape list = n.intsAttr(name, Shape(count, 0));
  if (list.size() != count) {
    return FailureOr<Shape>(n.error() << "has " << list.size() << " values in '" << name
                                      << "', expected " << count);
  }
  return list;
}

/// Reads the attributes of a Scan node. `values` is the number of states plus
/// the number of scanned inputs.
FailureOr<ScanForm> readScan(NodeContext &n, size_t values) {
  ScanForm form;
  form.body = n.graphAttr("body");
  int64_t scanned = n.intAttr("num_scan_inputs", 0);
  if (!form.body || scanned < 1 || scanned > static_cast<int64_t>(values)) {
    return FailureOr<ScanForm>(
        n.error()
        << "requires the subgraph attribute 'body' and attribute 'num_scan_inputs' in [1, "
        << values << "], got " << scanned);
  }
  form.scanned = scanned;
  form.states = values - scanned;
  if (form.body->output_size() < static_cast<int>(form.states)) {
    return FailureOr<ScanForm>(n.error() << "has a body with " << form.body->output_size()
                                         << " outputs, expected at least " << form.states
                                         << " (one per state)");
  }
  form.stacked = form.body->output_size() - form.states;
  bool isOld = n.opset() < 9;
  FailureOr<Shape> inputAxes = listAttr(n, "scan_input_axes", form.scanned);
  FailureOr<Shape> outputAxes = listAttr(n, "scan_output_axes", form.stacked);
  FailureOr<Shape> inputDirections =
      listAttr(n, isOld ? "directions" : "scan_input_directions", form.scanned);
  FailureOr<Shape> outputDirections = listAttr(n, "scan_output_directions", form.stacked);
  if (n.hasFailed) {
    return failure();
  }
  form.inputAxes = *inputAxes;
  form.outputAxes = *outputAxes;
  form.inputDirections = *inputDirections;
  form.outputDirections = *outputDirections;
  return form;
}

SmallVector<bool> flags(ArrayRef<int64_t> values) {
  SmallVector<bool> result;
  for (int64_t value : values) {
    result.push_back(value != 0);
  }
  return result;
}

/// Moves dimension `from` of a value to the front. moveFromFront moves the
/// first dimension to `to`.
Value moveToFront(NodeContext &n, Value value, int64_t from, int64_t rank) {
  Shape perm = {from};
  for (int64_t i = 0; i < rank; ++i) {
    if (i != from) {
      perm.push_back(i);
    }
  }
  return from == 0 ? value : n.transpose(value, perm);
}
Value moveFromFront(NodeContext &n, Value value, int64_t to, int64_t rank) {
  Shape perm;
  for (int64_t i = 1; i < rank; ++i) {
    perm.push_back(i);
  }
  perm.insert(perm.begin() + to, 0);
  return to == 0 ? value : n.transpose(value, perm);
}

/// Returns the types of the body's arguments: the types of the states, and the
/// types of the scanned inputs without the scan axis. Transposes the scanned
/// inputs so that the scan axis is the first dimension, the only form that
/// targets support.
FailureOr<SmallVector<Type>> scanArguments(NodeContext &n, ScanForm &form,
                                           SmallVectorImpl<Value> &values) {
  SmallVector<Type> types(ValueRange(values).take_front(form.states).getTypes());
  for (size_t i = 0; i < form.scanned; ++i) {
    Value &value = values[form.states + i];
    FailureOr<Shape> shape = n.shape(value);
    FailureOr<int64_t> axis =
        failed(shape) ? FailureOr<int64_t>(failure()) : n.axis(form.inputAxes[i], shape->size());
    if (failed(axis)) {
      return failure();
    }
    form.inputAxes[i] = 0;
    value = moveToFront(n, value, *axis, shape->size());
    shape->erase(shape->begin() + *axis);
    types.push_back(RankedTensorType::get(*shape, n.elementType(value)));
  }
  return types;
}

/// Normalizes negative output axes, because the ranks of the slices are now
/// known.
LogicalResult settleOutputAxes(NodeContext &n, ScanForm &form, Region &body) {
  ValueRange yielded = body.front().getTerminator()->getOperands();
  for (auto [axis, value] : llvm::zip(form.outputAxes, yielded.drop_front(form.states))) {
    FailureOr<int64_t> rank = n.rank(value);
    FailureOr<int64_t> plain =
        failed(rank) ? FailureOr<int64_t>(failure()) : n.axis(axis, *rank + 1);
    if (failed(plain)) {
      return failure();
    }
    axis = *plain;
  }
  return success();
}

/// Builds the op for states and scanned inputs without a batch dimension.
FailureOr<SmallVector<Value>> buildScan(NodeContext &n, ScanForm form, SmallVector<Value> inputs) {
  FailureOr<SmallVector<Type>> arguments = scanArguments(n, form, inputs);
  if (failed(arguments)) {
    return failure();
  }
  ValueRange values = inputs;
  SmallVector<Type> types(form.states + form.stacked, n.placeholder());
  auto op = n.builder.create<graph::ScanOp>(n.loc, TypeRange(types), values.take_front(form.states),
                                            values.drop_front(form.states), form.inputAxes,
                                            flags(form.inputDirections), Shape(form.stacked, 0),
                                            flags(form.outputDirections));
  CarriedValues flow{/*firstArgument=*/0, /*firstOutput=*/0, form.states};
  if (failed(importBody(n, *form.body, op.getBody(), flow, *arguments)) ||
      failed(settleOutputAxes(n, form, op.getBody()))) {
    return failure();
  }
  n.finish(op);
  SmallVector<Value> results(op.getResults());
  for (size_t i = 0; i < form.stacked && !n.hasFailed; ++i) {
    Value &result = results[form.states + i];
    FailureOr<int64_t> rank = n.rank(result);
    result = failed(rank) ? result : moveFromFront(n, result, form.outputAxes[i], *rank);
  }
  return n.hasFailed ? FailureOr<SmallVector<Value>>(failure()) : results;
}

/// Imports a Scan of opset 8, whose operands have a leading batch dimension, as
/// one scan per batch element and stacks the results.
LogicalResult importBatchedScan(NodeContext &n) {
  if (n.input(0)) {
    return n.unsupported() << "of opset 8 with sequence lengths; omit 'sequence_lens' or export "
                              "the model with opset 9 or later";
  }
  ValueRange values = ValueRange(n.allInputs()).drop_front(std::min(n.numInputs(), 1u));
  FailureOr<ScanForm> form = readScan(n, values.size());
  if (failed(form)) {
    return failure();
  }
  FailureOr<Shape> first = n.shape(values.front());
  if (failed(first) || first->empty() || first->front() < 1 || first->front() > kMaxScanBatch) {
    return n.unsupported() << "of opset 8 unless the batch size is static and from 1 to "
                           << kMaxScanBatch;
  }
  SmallVector<SmallVector<Value>> parts(form->states + form->stacked);
  for (int64_t batch = 0; batch < first->front(); ++batch) {
    SmallVector<Value> slices;
    for (Value value : values) {
      slices.push_back(n.emit<graph::GatherOp>(value, n.intScalar(batch), /*axis=*/0));
    }
    FailureOr<SmallVector<Value>> results =
        n.hasFailed ? FailureOr<SmallVector<Value>>(failure()) : buildScan(n, *form, slices);
    if (failed(results)) {
      return failure();
    }
    for (auto [list, value] : llvm::zip(parts, *results)) {
      FailureOr<Shape> shape = n.shape(value);
      if (failed(shape)) {
        return failure();
      }
      shape->insert(shape->begin(), 1);
      list.push_back(n.reshape(value, *shape));
    }
  }
  SmallVector<Value> outputs;
  for (SmallVector<Value> &list : parts) {
    outputs.push_back(n.concat(list, 0));
  }
  return n.yield(outputs);
}

LogicalResult importScan(NodeContext &n) {
  for (unsigned i = n.opset() < 9 ? 1 : 0; i < n.numInputs(); ++i) {
    if (failed(n.require(i, "initial_state_and_scan_inputs"))) {
      return failure();
    }
  }
  if (n.opset() < 9) {
    return importBatchedScan(n);
  }
  FailureOr<ScanForm> form = readScan(n, n.numInputs());
  if (failed(form)) {
    return failure();
  }
  FailureOr<SmallVector<Value>> results = buildScan(n, *form, SmallVector<Value>(n.allInputs()));
  return failed(results) ? LogicalResult(failure()) : n.yield(*results);
}

} // namespace

llvm::ArrayRef<OpRow> controlRows() {
  static const OpRow kRows[] = {
      {"If", importIf},
      {"Loop", importLoop},
      {"Scan", importScan, "opset 8: no sequence lengths, batch size 1 to 64"},
  };
  return kRows;
}

} // namespace convoy::import
