// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports ops on sequences and optionals. If the elements of a sequence are
// known at import, the importer replaces the ops on the sequence by ops on the
// elements, which every target supports. Only the reference interpreter runs
// the remaining sequence ops, for example at a position that is a model input.

#include "Graph/JoinTypes.h"
#include "Import/CollectionForm.h"
#include "Import/OnnxProto.h"
#include "Import/OpTable.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Emits an error and fails unless input i is a sequence.
LogicalResult requireSequence(NodeContext &n, unsigned i) {
  if (failed(n.require(i, "sequence"))) {
    return failure();
  }
  if (isa<graph::SequenceType>(n.input(i).getType())) {
    return success();
  }
  return n.error() << "expects a sequence as input " << i << ", got " << n.input(i).getType();
}

/// Returns a known position in [0, limit), or nullopt if `position` is unknown.
/// Emits an error if the position is out of range.
std::optional<int64_t> knownPosition(NodeContext &n, Value position, int64_t limit) {
  std::optional<Tensor> tensor = n.known(position);
  if (!tensor || !isInteger(tensor->type()) || tensor->size() != 1) {
    return std::nullopt;
  }
  std::optional<int64_t> index = graph::normalizeAxis(tensor->asInt(0), limit);
  if (!index) {
    n.error() << "has position " << tensor->asInt(0) << ", expected a value in [" << -limit << ", "
              << limit << ")";
  }
  return index;
}

Value construct(NodeContext &n, ValueRange elements, Type elementType) {
  return n.emit<graph::SequenceConstructOp>(elements, TypeAttr::get(elementType));
}

/// The restriction of compiled code, printed in the table of supported ops.
constexpr llvm::StringLiteral kKnownForm = "host: the number of tensors must be known at import; "
                                           "each tensor of a sequence is one input or "
                                           "output of compiled code";

LogicalResult importSequenceEmpty(NodeContext &n) {
  FailureOr<ElementType> type = n.elementTypeAttr("dtype", ElementType::F32);
  if (failed(type)) {
    return failure();
  }
  Type element = UnrankedTensorType::get(toMlir(*type, n.builder.getContext()));
  return n.yield(construct(n, {}, element));
}

LogicalResult importSequenceConstruct(NodeContext &n) {
  for (unsigned i = 0; i < std::max(n.numInputs(), 1u); ++i) {
    if (failed(n.require(i, "inputs"))) {
      return failure();
    }
  }
  return n.yield(construct(n, n.allInputs(), n.input(0).getType()));
}

LogicalResult importSequenceInsert(NodeContext &n) {
  if (failed(requireSequence(n, 0)) || failed(n.require(1, "tensor"))) {
    return failure();
  }
  std::optional<SmallVector<Value>> elements = elementsOf(n.input(0));
  if (elements) {
    // SequenceInsert accepts the position after the last element as well.
    int64_t size = elements->size();
    std::optional<int64_t> at = size;
    if (n.input(2)) {
      std::optional<Tensor> position = n.known(n.input(2));
      bool isEnd = position && isInteger(position->type()) && position->size() == 1 &&
                   position->asInt(0) == size;
      at = isEnd ? size : knownPosition(n, n.input(2), size);
    }
    if (at) {
      elements->insert(elements->begin() + *at, n.input(1));
      return n.yield(construct(n, *elements, n.input(1).getType()));
    }
  }
  return n.yield(n.emit<graph::SequenceInsertOp>(n.input(0), n.input(1), n.input(2)));
}

LogicalResult importSequenceErase(NodeContext &n) {
  if (failed(requireSequence(n, 0))) {
    return failure();
  }
  std::optional<SmallVector<Value>> elements = elementsOf(n.input(0));
  if (elements && !elements->empty()) {
    int64_t last = elements->size() - 1;
    std::optional<int64_t> at = n.input(1) ? knownPosition(n, n.input(1), elements->size()) : last;
    if (at) {
      elements->erase(elements->begin() + *at);
      Type element = cast<graph::SequenceType>(n.input(0).getType()).getElement();
      return n.yield(construct(n, *elements, element));
    }
  }
  return n.yield(n.emit<graph::SequenceEraseOp>(n.input(0), n.input(1)));
}

LogicalResult importSequenceAt(NodeContext &n) {
  if (failed(requireSequence(n, 0)) || failed(n.require(1, "position"))) {
    return failure();
  }
  if (std::optional<SmallVector<Value>> elements = elementsOf(n.input(0))) {
    if (std::optional<int64_t> at = knownPosition(n, n.input(1), elements->size())) {
      return n.yield((*elements)[*at]);
    }
  }
  return n.yield(n.emit<graph::SequenceAtOp>(n.input(0), n.input(1)));
}

LogicalResult importSequenceLength(NodeContext &n) {
  if (failed(requireSequence(n, 0))) {
    return failure();
  }
  if (std::optional<SmallVector<Value>> elements = elementsOf(n.input(0))) {
    return n.yield(n.intScalar(elements->size()));
  }
  return n.yield(n.emit<graph::SequenceLengthOp>(n.input(0)));
}

/// Returns the lengths of the parts if all are known and there are at most
/// kMaxListedParts.
std::optional<Shape> partLengths(NodeContext &n, int64_t dim) {
  if (dim == graph::kDynamic || dim < 1) {
    return std::nullopt;
  }
  std::optional<Tensor> sizes = n.known(n.input(1));
  if (n.input(1) && (!sizes || !isInteger(sizes->type()))) {
    return std::nullopt;
  }
  if (sizes && sizes->rank() == 1) {
    return sizes->size() <= kMaxListedParts ? std::optional<Shape>(sizes->ints()) : std::nullopt;
  }
  int64_t length = sizes && sizes->size() == 1 ? sizes->asInt(0) : 1;
  if (length < 1 || (sizes && sizes->size() != 1) || dim / length >= kMaxListedParts) {
    return std::nullopt;
  }
  Shape lengths(dim / length, length);
  if (dim % length) {
    lengths.push_back(dim % length);
  }
  return lengths;
}

LogicalResult importSplitToSequence(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  int64_t axis = n.intAttr("axis", 0);
  bool keepDims = n.intAttr("keepdims", 1) != 0 || n.input(1);
  FailureOr<Shape> shape = n.shape(n.input(0));
  FailureOr<int64_t> plain =
      failed(shape) ? FailureOr<int64_t>(failure()) : n.axis(axis, shape->size());
  if (failed(plain)) {
    return failure();
  }
  std::optional<Shape> lengths = partLengths(n, (*shape)[*plain]);
  if (!lengths || lengths->empty()) {
    return n.yield(n.emit<graph::SplitToSequenceOp>(n.input(0), n.input(1), *plain, keepDims));
  }
  SmallVector<Value> parts =
      n.emitVariadic<graph::SplitOp>(lengths->size(), n.input(0), n.ints(*lengths), *plain);
  if (!keepDims) {
    shape->erase(shape->begin() + *plain);
    bool isStatic = !llvm::is_contained(*shape, graph::kDynamic);
    if (!isStatic) {
      return n.yield(n.emit<graph::SplitToSequenceOp>(n.input(0), n.input(1), *plain, keepDims));
    }
    for (Value &part : parts) {
      part = n.reshape(part, *shape);
    }
  }
  return n.yield(construct(n, parts, parts.front().getType()));
}

LogicalResult importConcatFromSequence(NodeContext &n) {
  if (failed(requireSequence(n, 0))) {
    return failure();
  }
  if (!n.hasAttr("axis")) {
    return n.error() << "requires attribute 'axis', but the node does not have it";
  }
  int64_t axis = n.intAttr("axis", 0);
  bool isNewAxis = n.intAttr("new_axis", 0) != 0;
  std::optional<SmallVector<Value>> elements = elementsOf(n.input(0));
  Value joined =
      elements && !elements->empty() ? joinValues(n, *elements, axis, isNewAxis) : Value();
  return n.yield(joined || n.hasFailed
                     ? joined
                     : n.emit<graph::ConcatFromSequenceOp>(n.input(0), axis, isNewAxis));
}

/// Returns the inputs of step `step` of a SequenceMap, or nullopt if an element is
/// unknown. Emits an error if a sequence is too short.
std::optional<SmallVector<Value>> stepInputs(NodeContext &n, size_t step, size_t steps) {
  SmallVector<Value> values;
  for (Value input : n.allInputs()) {
    if (!isa<graph::SequenceType>(input.getType())) {
      values.push_back(input);
      continue;
    }
    std::optional<SmallVector<Value>> elements = elementsOf(input);
    if (!elements) {
      return std::nullopt;
    }
    if (step >= elements->size()) {
      n.error() << "expects all sequences to have " << steps << " values, got one with "
                << elements->size();
      return std::nullopt;
    }
    values.push_back((*elements)[step]);
  }
  return values;
}

/// Imports the body of a SequenceMap once per element. Returns nullopt if the
/// elements are unknown.
std::optional<SmallVector<Value>> mapElements(NodeContext &n, const onnx::GraphProto &body) {
  std::optional<SmallVector<Value>> first = elementsOf(n.input(0));
  size_t steps = first ? first->size() : 0;
  if (steps == 0 || steps > kMaxListedParts) {
    return std::nullopt;
  }
  SmallVector<SmallVector<Value>> lists(body.output_size());
  for (size_t step = 0; step < steps; ++step) {
    std::optional<SmallVector<Value>> inputs = stepInputs(n, step, steps);
    FailureOr<SmallVector<Value>> outputs =
        inputs ? n.importInline(body, *inputs) : FailureOr<SmallVector<Value>>(failure());
    if (failed(outputs)) {
      return std::nullopt;
    }
    for (auto [list, value] : llvm::zip(lists, *outputs)) {
      list.push_back(value);
    }
  }
  SmallVector<Value> results;
  for (const SmallVector<Value> &list : lists) {
    results.push_back(construct(n, list, list.front().getType()));
  }
  return results;
}

LogicalResult importSequenceMap(NodeContext &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  if (failed(requireSequence(n, 0))) {
    return failure();
  }
  if (!body) {
    return n.error() << "requires the subgraph attribute 'body', but the node does not have it";
  }
  SmallVector<Type> arguments;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (failed(n.require(i, "additional_inputs"))) {
      return failure();
    }
    auto sequence = dyn_cast<graph::SequenceType>(n.input(i).getType());
    arguments.push_back(sequence ? sequence.getElement() : n.input(i).getType());
  }
  if (std::optional<SmallVector<Value>> mapped = mapElements(n, *body); mapped || n.hasFailed) {
    return n.yield(mapped.value_or(SmallVector<Value>()));
  }
  SmallVector<Type> results(body->output_size(), n.placeholder());
  auto op = n.builder.create<graph::SequenceMapOp>(n.loc, TypeRange(results), n.allInputs());
  if (failed(n.importRegion(*body, op.getBody(), arguments))) {
    return failure();
  }
  n.finish(op);
  return n.yield(op.getResults());
}

LogicalResult importOptional(NodeContext &n) {
  if (n.input(0)) {
    return n.yield(n.emit<graph::OptionalOp>(n.input(0), TypeAttr::get(n.input(0).getType())));
  }
  FailureOr<Type> type = n.valueTypeAttr("type");
  if (failed(type)) {
    return failure();
  }
  return n.yield(n.emit<graph::OptionalOp>(Value(), TypeAttr::get(*type)));
}

/// Returns whether an optional holds a value, or nullopt if this is unknown at
/// import.
std::optional<bool> knownToHold(Value value) {
  if (!value) {
    return false;
  }
  if (!isa<graph::OptionalType>(value.getType())) {
    return true;
  }
  auto op = value.getDefiningOp<graph::OptionalOp>();
  return op ? std::optional<bool>(static_cast<bool>(op.getValue())) : std::nullopt;
}

LogicalResult importOptionalHasElement(NodeContext &n) {
  if (std::optional<bool> holds = knownToHold(n.input(0))) {
    return n.yield(n.scalar(ElementType::Bool, *holds));
  }
  return n.yield(n.emit<graph::OptionalHasOp>(n.input(0)));
}

LogicalResult importOptionalGetElement(NodeContext &n) {
  if (failed(n.require(0, "input"))) {
    return failure();
  }
  if (!isa<graph::OptionalType>(n.input(0).getType())) {
    return n.yield(n.input(0));
  }
  auto op = n.input(0).getDefiningOp<graph::OptionalOp>();
  return n.yield(op && op.getValue() ? op.getValue() : n.emit<graph::OptionalGetOp>(n.input(0)));
}

} // namespace

llvm::ArrayRef<OpRow> collectionRows() {
  static const OpRow kRows[] = {
      {"ConcatFromSequence", importConcatFromSequence, kKnownForm},
      {"Optional", importOptional, kKnownForm},
      {"OptionalGetElement", importOptionalGetElement, kKnownForm},
      {"OptionalHasElement", importOptionalHasElement, kKnownForm},
      {"SequenceAt", importSequenceAt, kKnownForm},
      {"SequenceConstruct", importSequenceConstruct, kKnownForm},
      {"SequenceEmpty", importSequenceEmpty, kKnownForm},
      {"SequenceErase", importSequenceErase, kKnownForm},
      {"SequenceInsert", importSequenceInsert, kKnownForm},
      {"SequenceLength", importSequenceLength, kKnownForm},
      {"SequenceMap", importSequenceMap, kKnownForm},
      {"SplitToSequence", importSplitToSequence, kKnownForm},
  };
  return kRows;
}

} // namespace convoy::import
