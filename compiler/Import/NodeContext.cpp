// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements attribute access and the builder functions of NodeContext.

#include "Import/NodeContext.h"
#include "Import/GraphImporter.h"
#include "Import/OnnxProto.h"
#include "Support/TypedDiagnostic.h"

using namespace mlir;

namespace convoy::import {

NodeContext::NodeContext(GraphImporter &importer, const onnx::NodeProto &node, int64_t opset,
                         OpBuilder &builder, Location loc)
    : loc(loc), builder(builder), importer(importer), node(node), opsetVersion(opset) {}

StringRef NodeContext::opType() const { return node.op_type(); }
StringRef NodeContext::domain() const { return node.domain(); }
Value NodeContext::input(unsigned i) const { return i < inputs.size() ? inputs[i] : Value(); }
unsigned NodeContext::numOutputs() const { return node.output_size(); }
bool NodeContext::hasOutput(unsigned i) const {
  return i < numOutputs() && !node.output(i).empty();
}

LogicalResult NodeContext::require(unsigned i, StringRef name) {
  if (input(i)) {
    return success();
  }
  return error() << "requires input " << i << " ('" << name << "'), but the node omits it";
}

LogicalResult NodeContext::requireAll(ArrayRef<StringRef> names) {
  for (auto [i, name] : llvm::enumerate(names)) {
    if (failed(require(i, name))) {
      return failure();
    }
  }
  return success();
}

const onnx::AttributeProto *NodeContext::attr(StringRef name) const {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == name) {
      return attribute.ref_attr_name().empty()
                 ? &attribute
                 : importer.currentScope()->findAttribute(attribute.ref_attr_name());
    }
  }
  return nullptr;
}

bool NodeContext::hasAttr(StringRef name) const { return attr(name) != nullptr; }

std::vector<std::string> NodeContext::attrNames() const {
  std::vector<std::string> names;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    names.push_back(attribute.name());
  }
  return names;
}

/// Returns an attribute of one type. Emits an error if its type differs.
static const onnx::AttributeProto *typedAttr(NodeContext &n, StringRef name,
                                             onnx::AttributeProto::AttributeType type) {
  const onnx::AttributeProto *attribute = n.attr(name);
  // Old exporters omit the type field.
  if (!attribute || attribute->type() == type ||
      attribute->type() == onnx::AttributeProto::UNDEFINED) {
    return attribute;
  }
  n.error() << "has attribute '" << name << "' of type "
            << onnx::AttributeProto::AttributeType_Name(attribute->type()) << ", expected "
            << onnx::AttributeProto::AttributeType_Name(type);
  return nullptr;
}

int64_t NodeContext::intAttr(StringRef name, int64_t otherwise) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::INT);
  return a ? a->i() : otherwise;
}

double NodeContext::floatAttr(StringRef name, double otherwise) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::FLOAT);
  return a ? a->f() : otherwise;
}

std::string NodeContext::stringAttr(StringRef name, StringRef otherwise) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::STRING);
  return a ? a->s() : otherwise.str();
}

Shape NodeContext::intsAttr(StringRef name, ArrayRef<int64_t> otherwise) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::INTS);
  return a ? Shape(a->ints().begin(), a->ints().end()) : Shape(otherwise.begin(), otherwise.end());
}

SmallVector<double> NodeContext::floatsAttr(StringRef name) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::FLOATS);
  return a ? SmallVector<double>(a->floats().begin(), a->floats().end()) : SmallVector<double>();
}

std::vector<std::string> NodeContext::stringsAttr(StringRef name) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::STRINGS);
  return a ? std::vector<std::string>(a->strings().begin(), a->strings().end())
           : std::vector<std::string>();
}

std::optional<Tensor> NodeContext::tensorAttr(StringRef name) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::TENSOR);
  if (!a) {
    return std::nullopt;
  }
  FailureOr<Tensor> tensor = importer.importTensor(a->t(), loc);
  hasFailed |= failed(tensor);
  return std::optional<Tensor>(std::move(tensor));
}

const onnx::GraphProto *NodeContext::graphAttr(StringRef name) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::GRAPH);
  return a ? &a->g() : nullptr;
}

const onnx::TypeProto *NodeContext::typeAttr(StringRef name) {
  const onnx::AttributeProto *a = typedAttr(*this, name, onnx::AttributeProto::TYPE_PROTO);
  return a ? &a->tp() : nullptr;
}

FailureOr<Type> NodeContext::valueTypeAttr(StringRef name) {
  const onnx::TypeProto *type = typeAttr(name);
  if (!type) {
    return FailureOr<Type>(error()
                           << "requires attribute '" << name << "', but the node does not have it");
  }
  FailureOr<Type> imported = importer.importType(*type, loc, ("attribute '" + name + "'").str());
  hasFailed |= failed(imported);
  return imported;
}

FailureOr<ElementType> NodeContext::elementTypeAttr(StringRef name, ElementType otherwise) {
  int64_t number = intAttr(name, static_cast<int64_t>(otherwise));
  std::optional<ElementType> type = elementTypeFromOnnx(number);
  if (!type || *type == ElementType::Undefined) {
    return FailureOr<ElementType>(error() << "has attribute '" << name << "' = " << number
                                          << ", which is not an ONNX data type");
  }
  return *type;
}

Type NodeContext::elementType(Value value) const {
  auto tensor = value ? dyn_cast<TensorType>(value.getType()) : TensorType();
  return tensor ? tensor.getElementType() : NoneType::get(builder.getContext());
}

bool NodeContext::hasRank(Value value) const {
  return value && isa<RankedTensorType>(value.getType());
}

FailureOr<Shape> NodeContext::shape(Value value) {
  if (!value) {
    return FailureOr<Shape>(error() << "omits a required input");
  }
  auto ranked = dyn_cast<RankedTensorType>(value.getType());
  if (ranked) {
    return Shape(ranked.getShape().begin(), ranked.getShape().end());
  }
  if (!hasFailed) {
    error() << "requires an operand of known rank (export the model with shape information), got "
            << value.getType();
  }
  return failure();
}

FailureOr<int64_t> NodeContext::rank(Value value) {
  FailureOr<Shape> known = shape(value);
  return failed(known) ? FailureOr<int64_t>(failure())
                       : FailureOr<int64_t>(static_cast<int64_t>(known->size()));
}

FailureOr<int64_t> NodeContext::axis(int64_t axis, int64_t rank) {
  std::optional<int64_t> normalized = graph::normalizeAxis(axis, rank);
  if (normalized) {
    return *normalized;
  }
  if (hasFailed) {
    return failure(); // The attribute access already emitted an error.
  }
  return FailureOr<int64_t>(error() << "has axis " << axis << ", expected a value in [" << -rank
                                    << ", " << rank << ")");
}

std::optional<Tensor> NodeContext::known(Value value) {
  return value ? importer.knowledge.value(value) : std::nullopt;
}

Type NodeContext::placeholder() const {
  return UnrankedTensorType::get(NoneType::get(builder.getContext()));
}

Value NodeContext::poison() {
  return builder.create<graph::FailOp>(loc, TypeRange(placeholder()), "failed import")
      ->getResult(0);
}

bool NodeContext::isComplete(const OperationState &state) {
  if (llvm::all_of(state.operands, [](Value value) { return bool(value); })) {
    return true;
  }
  error() << "omits a required input";

  return false;
}

/// Verifies the operand types that the op declares, because type rules rely on
/// them.
static LogicalResult checkOperands(Operation *op) {
  bool isPlain =
      llvm::all_of(op->getOperandTypes(), [](Type type) { return isa<TensorType>(type); });
  return isPlain ? success() : op->getName().verifyInvariants(op);
}

Operation *NodeContext::finish(Operation *op) {
  hasFailed |= failed(checkOperands(op)) || failed(graph::inferResultTypes(op, importer.knowledge));
  return op;
}

Value NodeContext::constant(const Tensor &tensor) { return graph::constant(builder, loc, tensor); }
Value NodeContext::ints(ArrayRef<int64_t> values) { return graph::intVector(builder, loc, values); }
Value NodeContext::intScalar(int64_t value) {
  return constant(Tensor::scalar(ElementType::I64, value));
}
Value NodeContext::scalar(ElementType type, double value) {
  return constant(Tensor::scalar(type, value));
}
Value NodeContext::scalarLike(Value like, double value) {
  ElementType type = element(like);
  bool isNumber = isFloat(type) || isInteger(type) || type == ElementType::Bool;
  if (isNumber) {
    return scalar(type, value);
  }
  if (!hasFailed && like) {
    error() << "requires an operand of a numeric type, got " << like.getType();
  } else if (!hasFailed) {
    error() << "omits a required input";
  }
  return poison();
}
Value NodeContext::unary(graph::UnaryKind kind, Value x) { return emit<graph::UnaryOp>(kind, x); }
Value NodeContext::binary(graph::BinaryKind kind, Value a, Value b) {
  return emit<graph::BinaryOp>(kind, a, b);
}
Value NodeContext::add(Value a, Value b) { return binary(graph::BinaryKind::Add, a, b); }
Value NodeContext::sub(Value a, Value b) { return binary(graph::BinaryKind::Sub, a, b); }
Value NodeContext::mul(Value a, Value b) { return binary(graph::BinaryKind::Mul, a, b); }
Value NodeContext::div(Value a, Value b) { return binary(graph::BinaryKind::Div, a, b); }
Value NodeContext::select(Value condition, Value a, Value b) {
  return emit<graph::SelectOp>(condition, a, b);
}
Value NodeContext::cast(Value x, ElementType to) {
  return element(x) == to ? x
                          : emit<graph::CastOp>(x, toMlir(to, builder.getContext()),
                                                /*saturate=*/true, graph::RoundMode::Up);
}
Value NodeContext::reshape(Value x, ArrayRef<int64_t> shape) {
  return emit<graph::ReshapeOp>(x, ints(shape), /*allowZero=*/true);
}
Value NodeContext::transpose(Value x, ArrayRef<int64_t> perm) {
  return emit<graph::TransposeOp>(x, perm);
}
Value NodeContext::reduce(graph::ReduceKind kind, Value x, ArrayRef<int64_t> axes, bool keepDims) {
  return emit<graph::ReduceOp>(kind, x, ints(axes), keepDims, /*noopWithEmptyAxes=*/true);
}
Value NodeContext::slice(Value x, int64_t axis, int64_t begin, int64_t end) {
  return emit<graph::SliceOp>(x, ints({begin}), ints({end}), ints({axis}), Value());
}
Value NodeContext::concat(ValueRange values, int64_t axis) {
  return emit<graph::ConcatOp>(values, axis);
}
Value NodeContext::matmul(Value a, Value b) { return emit<graph::MatMulOp>(a, b); }

LogicalResult NodeContext::yield(ValueRange values) {
  outputs.assign(values.begin(), values.end());
  return failure(hasFailed);
}

InFlightDiagnostic NodeContext::error() {
  hasFailed = true;
  return emitError(loc) << opType() << " ";
}
InFlightDiagnostic NodeContext::warning() { return emitWarning(loc) << opType() << " "; }
InFlightDiagnostic NodeContext::unsupported() {
  hasFailed = true;
  return emitUnsupported(loc) << "not supported: " << opType() << " ";
}

LogicalResult NodeContext::importRegion(const onnx::GraphProto &graph, Region &region,
                                        ArrayRef<Type> argumentTypes) {
  LogicalResult result = importer.importSubgraph(graph, region, argumentTypes, loc);
  hasFailed |= failed(result);
  return result;
}

FailureOr<SmallVector<Value>> NodeContext::importInline(const onnx::GraphProto &graph,
                                                        ArrayRef<Value> arguments) {
  FailureOr<SmallVector<Value>> result = importer.importInline(graph, arguments, loc);
  hasFailed |= failed(result);
  return result;
}

int64_t NodeContext::importedNodes() const { return importer.importedNodes; }
void NodeContext::setImportedNodes(int64_t count) { importer.importedNodes = count; }

void NodeContext::discard(Region &region) { importer.discard(region); }

} // namespace convoy::import
