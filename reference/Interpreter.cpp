// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes blocks in order, one op at a time. The evaluators of each op family
// are in separate files.

#include "Graph/Attributes.h"
#include "Graph/Constant.h"
#include "Graph/Extent.h"
#include "Graph/Labels.h"
#include "Support/TypedDiagnostic.h"
#include "reference/Evaluation.h"
#include <new>
#include <stdexcept>

using namespace mlir;

namespace convoy::reference {

namespace {

/// Knows every value of a running interpreter, so type rules compute exact
/// shapes.
class RunningKnowledge : public graph::Knowledge {
public:
  RunningKnowledge(const Interpreter &interpreter, MLIRContext *context)
      : interpreter(interpreter), context(context) {}

  Type type(Value value) override {
    const Datum &datum = interpreter.lookup(value);
    return datum.isTensor() ? graph::typeOf(datum.tensor, context) : value.getType();
  }
  std::optional<Tensor> value(Value value) override {
    const Datum &datum = interpreter.lookup(value);
    return datum.isTensor() ? std::optional<Tensor>(datum.tensor) : std::nullopt;
  }

private:
  const Interpreter &interpreter;
  MLIRContext *context;
};

bool isStaticTensor(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

} // namespace

const EvaluatorTable &evaluatorTable() {
  static const EvaluatorTable kTable = [] {
    EvaluatorTable table;
    addCollectionEvaluators(table);
    addControlEvaluators(table);
    addConvCoreEvaluators(table);
    addCustomEvaluators(table);
    addElementwiseEvaluators(table);
    addExtentEvaluators(table);
    addGeneratorEvaluators(table);
    addImageEvaluators(table);
    addIntegerEvaluators(table);
    addLearningEvaluators(table);
    addNormalizationEvaluators(table);
    addOrderEvaluators(table);
    addQuantizationEvaluators(table);
    addRecurrentEvaluators(table);
    addReductionEvaluators(table);
    addSamplingEvaluators(table);
    addScatterEvaluators(table);
    addSelectionEvaluators(table);
    addTensorEvaluators(table);
    addTextEvaluators(table);
    addTransformEvaluators(table);
    addWindowEvaluators(table);
    return table;
  }();
  return kTable;
}

bool canEvaluate(Operation *op) { return evaluatorTable().find(op) != nullptr; }

Evaluation::Evaluation(Interpreter &interpreter, Operation *op)
    : interpreter(interpreter), op(op), results(op->getNumResults()),
      isAllocated(op->getNumResults()) {}

const Datum &Evaluation::datum(Value value) const { return interpreter.lookup(value); }
const Tensor &Evaluation::input(Value value) const { return datum(value).tensor; }

LogicalResult Evaluation::countIteration() {
  if (++interpreter.iterations > interpreter.options.maxIterations) {
    return error() << "ran more than " << interpreter.options.maxIterations
                   << " loop iterations; check that the loop terminates";
  }
  return success();
}

LogicalResult Evaluation::reportTooLarge() const {
  return error() << "requires a tensor of more than " << interpreter.options.maxTensorBytes
                 << " bytes, the limit of the reference interpreter";
}

LogicalResult Evaluation::checkBytes(int64_t bytes) const {
  return bytes <= interpreter.options.maxTensorBytes ? success() : reportTooLarge();
}

LogicalResult Evaluation::checkTerms(double terms) const {
  int64_t limit = interpreter.options.maxTerms;
  if (terms <= static_cast<double>(limit)) {
    return success();
  }
  return unsupported() << "not supported: requires " << terms
                       << " terms; the limit of the reference interpreter is " << limit;
}

LogicalResult Evaluation::inferOutputs() {
  if (!types.empty() || isBroken) {
    return failure(isBroken);
  }
  types.assign(op->result_type_begin(), op->result_type_end());
  if (!isa<graph::TypeInferenceOpInterface>(op)) {
    return success();
  }
  // Runs even if all types are static, because the rule checks the actual
  // shapes and values on which the evaluator relies.
  RunningKnowledge knowledge(interpreter, op->getContext());
  FailureOr<SmallVector<Type>> inferred = graph::inferTypesOf(op, knowledge);
  isBroken = failed(inferred);
  for (size_t i = 0; succeeded(inferred) && i < types.size(); ++i) {
    types[i] =
        isStaticTensor(types[i]) && !isStaticTensor((*inferred)[i]) ? types[i] : (*inferred)[i];
  }
  return failure(isBroken);
}

ElementType Evaluation::outputType(unsigned i) const {
  return fromMlir(cast<TensorType>(op->getResult(i).getType()).getElementType());
}

Tensor &Evaluation::allocate(unsigned i, ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  ElementType type = outputType(i);
  bool isText = type == ElementType::String;
  int64_t bytesEach = std::max<int64_t>(isText ? sizeof(std::string) : storageBytes(type), 1);
  if (!count || *count > interpreter.options.maxTensorBytes / bytesEach) {
    (void)reportTooLarge();
    isBroken = true;
    results[i].tensor = Tensor(type, {0});
  } else {
    results[i].tensor = Tensor(type, shape);
  }
  isAllocated[i] = true;
  return results[i].tensor;
}

Tensor &Evaluation::output(unsigned i) {
  if (isAllocated[i]) {
    return results[i].tensor;
  }
  if (failed(inferOutputs())) {
    return allocate(i, {0});
  }
  auto ranked = dyn_cast<RankedTensorType>(types[i]);
  if (!ranked || !ranked.hasStaticShape()) {
    error() << "cannot infer the shape of result " << i << ", " << types[i];
    isBroken = true;
    return allocate(i, {0});
  }
  if (fromMlir(ranked.getElementType()) != outputType(i)) {
    error() << "produces " << types[i] << ", but the declared type is "
            << op->getResult(i).getType()
            << "; the element type of an operand differs from its declared type";
    isBroken = true;
    return allocate(i, {0});
  }
  return allocate(i, ranked.getShape());
}

FailureOr<std::vector<Datum>> Evaluation::runRegion(Region &region, ArrayRef<Datum> arguments) {
  return interpreter.runBlock(region.front(), arguments, /*isOutermost=*/false);
}

const Datum &Interpreter::lookup(Value value) const {
  static const Datum kAbsent;
  auto it = values.find(value);
  return it == values.end() ? kAbsent : it->second;
}

FailureOr<std::vector<Datum>> Interpreter::evaluate(Operation *op) {
  Evaluator evaluator = evaluatorTable().find(op);
  if (!evaluator) {
    return emitUnsupported(op,
                           "not supported: the reference interpreter has no evaluator for this op");
  }
  Evaluation evaluation(*this, op);
  // An evaluator never sees operands that the rule rejects. The values of a
  // region are unknown before it runs.
  if (op->getNumRegions() == 0 && failed(evaluation.inferOutputs())) {
    return failure();
  }
  // The memory that an op requires may depend on values, so running out of
  // memory is a user error.
  try {
    if (failed(evaluator(op, evaluation)) || evaluation.isBroken) {
      return failure();
    }
  } catch (const std::bad_alloc &) {
    return op->emitOpError("requires more memory than is available");
  } catch (const std::length_error &) {
    return op->emitOpError("requires more memory than the address space allows");
  }
  return std::move(evaluation.results);
}

/// Releases operands that no later op of their own block reads. Values that a
/// nested region reads stay alive, because the region may run again.
void Interpreter::releaseOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (operand.getParentBlock() != op->getBlock()) {
      continue;
    }
    bool isNeeded = llvm::any_of(operand.getUsers(), [&](Operation *user) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      return !ancestor || op->isBeforeInBlock(ancestor);
    });
    if (!isNeeded) {
      values.erase(operand);
    }
  }
}

FailureOr<std::vector<Datum>> Interpreter::runBlock(Block &block, ArrayRef<Datum> arguments,
                                                    bool isOutermost) {
  for (auto [argument, datum] : llvm::zip(block.getArguments(), arguments)) {
    bind(argument, datum);
  }
  for (Operation &op : block.without_terminator()) {
    FailureOr<std::vector<Datum>> results = evaluate(&op);
    if (failed(results)) {
      return failure();
    }
    if (isOutermost && options.observe) {
      options.observe(&op, *results);
    }
    for (auto [result, datum] : llvm::zip(op.getResults(), *results)) {
      bind(result, std::move(datum));
    }
    releaseOperands(&op);
  }
  std::vector<Datum> yielded;
  for (Value value : block.getTerminator()->getOperands()) {
    yielded.push_back(lookup(value));
  }
  return yielded;
}

/// Returns whether a value has the expected type.
static bool fits(const Datum &datum, Type type) {
  if (auto optional = dyn_cast<graph::OptionalType>(type)) {
    return datum.isOptional()
               ? datum.elements.empty() || fits(datum.elements.front(), optional.getElement())
               : fits(datum, optional.getElement());
  }
  if (auto sequence = dyn_cast<graph::SequenceType>(type)) {
    return datum.isSequence() && llvm::all_of(datum.elements, [&](const Datum &element) {
             return fits(element, sequence.getElement());
           });
  }
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || !datum.isTensor() || fromMlir(tensor.getElementType()) != datum.tensor.type()) {
    return false;
  }
  auto ranked = dyn_cast<RankedTensorType>(type);
  bool hasRank = !ranked || ranked.getRank() == datum.tensor.rank();
  for (int64_t i = 0; ranked && hasRank && i < ranked.getRank(); ++i) {
    hasRank = ranked.isDynamicDim(i) || ranked.getDimSize(i) == datum.tensor.dim(i);
  }
  return hasRank;
}

/// Checks the types of the inputs, because evaluators rely on them.
static LogicalResult checkInputs(func::FuncOp function, ArrayRef<Datum> inputs) {
  ArrayRef<Type> types = function.getArgumentTypes();
  if (types.size() != inputs.size()) {
    return function.emitError() << "expects " << types.size() << " inputs, got " << inputs.size();
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    if (!fits(inputs[i], type)) {
      InFlightDiagnostic diagnostic = function.emitError()
                                      << "expects input " << i << " to be " << type;
      if (inputs[i].isTensor()) {
        diagnostic << ", got " << graph::typeOf(inputs[i].tensor, function.getContext());
      }
      return diagnostic;
    }
  }
  return success();
}

/// Returns the strings of results that hold indices of labels.
static std::vector<Datum> withLabels(func::FuncOp function, std::vector<Datum> results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    if (ArrayAttr labels = graph::resultLabels(function, i)) {
      std::vector<std::string> texts;
      for (auto label : labels.getAsRange<StringAttr>()) {
        texts.push_back(label.str());
      }
      result = graph::labelsAt(result.tensor, texts);
    }
  }
  return results;
}

/// Gives the outputs the sizes that the last result holds, and removes this result.
static FailureOr<std::vector<Datum>> withActualShapes(func::FuncOp function,
                                                      std::vector<Datum> results) {
  if (results.empty() || !graph::isExtentsResult(function, results.size() - 1)) {
    return results;
  }
  Shape extents = results.back().tensor.ints();
  results.pop_back();
  for (auto [i, result] : llvm::enumerate(results)) {
    ArrayRef<int32_t> dims = graph::resultDims(function, i);
    if (dims.empty()) {
      continue;
    }
    std::optional<Shape> shape = graph::actualShape(result.tensor.shape(), dims, extents);
    if (!shape) {
      return emitBug(function.getLoc())
             << "has an extent of result " << i << " above its maximum; this is a bug in convoy";
    }
    result = graph::firstElements(result.tensor, *shape);
  }
  return results;
}

FailureOr<std::vector<Datum>> run(func::FuncOp function, ArrayRef<Datum> inputs,
                                  const RunOptions &options) {
  if (failed(checkInputs(function, inputs))) {
    return failure();
  }
  Interpreter interpreter(options);
  FailureOr<std::vector<Datum>> results =
      interpreter.runBlock(function.getBody().front(), inputs, /*isOutermost=*/true);
  if (failed(results)) {
    return failure();
  }
  results = withActualShapes(function, std::move(*results));
  return failed(results) ? results : withLabels(function, std::move(*results));
}

FailureOr<std::vector<Datum>> evaluate(Operation *op, ArrayRef<Datum> operands,
                                       const RunOptions &options) {
  Interpreter interpreter(options);
  for (auto [operand, datum] : llvm::zip(op->getOperands(), operands)) {
    interpreter.bind(operand, datum);
  }
  return interpreter.evaluate(op);
}

} // namespace convoy::reference
