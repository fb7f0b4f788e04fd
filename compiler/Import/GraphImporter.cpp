// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the nodes of a graph in order. If a node fails, the importer marks
// its outputs as poison and skips every node that reads poison without a
// diagnostic. One run therefore reports every independent problem.

#include "Import/GraphImporter.h"
#include "Import/OnnxProto.h"
#include "Import/OpTable.h"
#include "Import/TensorProto.h"
#include "Import/UnsupportedOps.h"
#include "Support/TensorLimits.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace convoy::import {

// Every op up to this opset was compared with ONNX's change log; OpVersions.inc
// holds the result.
constexpr int64_t kNewestOpset = 26;
// Limit against hostile models: each level of nested subgraphs uses stack.
constexpr int64_t kMaxDepth = 32;

std::optional<Value> Scope::find(StringRef name) const {
  for (const Scope *s = this; s; s = s->parent) {
    auto it = s->values.find(name);
    if (it != s->values.end()) {
      return it->second;
    }
  }
  return std::nullopt;
}

bool Scope::isAbsent(StringRef name) const {
  return absent.contains(name) || (parent && parent->isAbsent(name));
}

const onnx::AttributeProto *Scope::findAttribute(StringRef name) const {
  for (const Scope *s = this; s; s = s->parent) {
    auto it = s->attributes.find(name);
    if (it != s->attributes.end()) {
      return it->second;
    }
  }
  return nullptr;
}

GraphImporter::GraphImporter(const Model &model, MLIRContext *context, const ImportOptions &options)
    : context(context), model(model), proto(*model.proto), options(options), builder(context) {}

Location GraphImporter::locationOf(const onnx::NodeProto &node) {
  std::string name = node.name();
  if (name.empty() && node.output_size() > 0) {
    name = node.output(0);
  }
  return NameLoc::get(builder.getStringAttr(callPath + name),
                      NameLoc::get(builder.getStringAttr(node.op_type())));
}

/// Returns "" for the two names of ONNX's own domain.
static StringRef domainOf(StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

void GraphImporter::addOpsets(const Opsets &imported) {
  for (const onnx::OperatorSetIdProto &opset : imported) {
    opsets[domainOf(opset.domain())] = opset.version();
  }
}

llvm::StringMap<int64_t> GraphImporter::enterOpsets(const onnx::FunctionProto &function) {
  llvm::StringMap<int64_t> outer = opsets;
  addOpsets(function.opset_import());
  return outer;
}

LogicalResult GraphImporter::readOpsets() {
  addOpsets(proto.opset_import());
  // Models before IR version 3 do not declare an opset.
  int64_t version = opsets.try_emplace("", 1).first->second;
  if (version < 1) {
    return emitError(builder.getUnknownLoc())
           << "the model declares opset " << version << " of ai.onnx, expected 1 or more";
  }
  if (version > kNewestOpset) {
    return emitUnsupported(builder.getUnknownLoc())
           << "not supported: opset " << version << " of ai.onnx; this build supports opsets 1 to "
           << kNewestOpset << "; export the model again with one of them";
  }
  return success();
}

/// Reports an operator without an import row. Nodes with the same text become one problem.
void GraphImporter::reportUnsupported(const onnx::NodeProto &node) {
  StringRef domain = domainOf(node.domain());
  auto opset = opsets.find(domain);
  OpAdvice advice = adviceFor(domain, node.op_type());
  InFlightDiagnostic diagnostic = emitUnsupported(locationOf(node))
                                  << "not supported: operator "
                                  << qualifiedName(domain, node.op_type());
  if (opset == opsets.end()) {
    diagnostic << " (the model declares no opset of this domain)";
  } else {
    diagnostic << " (opset " << opset->second << ")";
  }
  if (!advice.nearest.empty()) {
    diagnostic << "; the nearest supported operator is " << advice.nearest;
  }
  diagnostic << "; " << advice.remedy;
}

const CustomOp *GraphImporter::findCustom(const onnx::NodeProto &node) const {
  return options.customOps ? options.customOps->find(node.domain(), node.op_type()) : nullptr;
}

LogicalResult GraphImporter::checkNode(const onnx::NodeProto &node) {
  bool hasProblem = false;
  const onnx::FunctionProto *function = findCustom(node) ? nullptr : findFunction(node);
  if (function) {
    reachedFunctions.insert(function);
  } else if (!findCustom(node) && !findOp(domainOf(node.domain()), node.op_type())) {
    reportUnsupported(node);
    hasProblem = true;
  }
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g()) {
      hasProblem |= failed(checkNodes(attribute.g().node()));
    }
    for (const onnx::GraphProto &graph : attribute.graphs()) {
      hasProblem |= failed(checkNodes(graph.node()));
    }
  }
  return failure(hasProblem);
}

LogicalResult GraphImporter::checkNodes(const Nodes &nodes) {
  bool hasProblem = false;
  for (const onnx::NodeProto &node : nodes) {
    hasProblem |= failed(checkNode(node));
  }
  return failure(hasProblem);
}

/// Reports every node of the graph, and of the functions that the graph calls,
/// for which neither an import row nor a model function exists.
LogicalResult GraphImporter::checkOps() {
  bool hasProblem = failed(checkNodes(proto.graph().node()));
  // A worklist instead of recursion, because a chain of function calls may
  // exceed the stack.
  for (size_t i = 0; i < reachedFunctions.size(); ++i) {
    llvm::StringMap<int64_t> outerOpsets = enterOpsets(*reachedFunctions[i]);
    hasProblem |= failed(checkNodes(reachedFunctions[i]->node()));
    opsets = std::move(outerOpsets);
  }
  return failure(hasProblem);
}

FailureOr<Tensor> GraphImporter::importTensor(const onnx::TensorProto &tensor, Location loc) {
  llvm::Expected<Tensor> decoded = decodeTensor(tensor, model.proto, model.directory);
  if (decoded) {
    return *decoded;
  }
  return FailureOr<Tensor>(emitError(loc, decoded.takeError()));
}

LogicalResult checkShape(ArrayRef<int64_t> shape, Location loc, StringRef what) {
  if (static_cast<int64_t>(shape.size()) > kMaxRank) {
    return emitUnsupported(loc) << "not supported: " << what << " has " << shape.size()
                                << " dimensions; at most " << kMaxRank << " are supported";
  }
  if (!isWithinElementLimit(shape)) {
    return emitError(loc) << what << " has more than 2^48 elements; check its dimensions";
  }
  return success();
}

FailureOr<Type> GraphImporter::importType(const onnx::TypeProto &type, Location loc,
                                          StringRef what) {
  if (type.has_sequence_type()) {
    FailureOr<Type> element = importType(type.sequence_type().elem_type(), loc, what);
    return failed(element) ? element : FailureOr<Type>(graph::SequenceType::get(context, *element));
  }
  if (type.has_optional_type()) {
    FailureOr<Type> element = importType(type.optional_type().elem_type(), loc, what);
    return failed(element) ? element : FailureOr<Type>(graph::OptionalType::get(context, *element));
  }
  if (type.value_case() == onnx::TypeProto::VALUE_NOT_SET) {
    return FailureOr<Type>(emitError(loc)
                           << what << " has no type; export the model with type information");
  }
  if (!type.has_tensor_type()) {
    return FailureOr<Type>(emitUnsupported(loc)
                           << "not supported: " << what
                           << " has a type other than tensor, sequence or optional");
  }
  std::optional<ElementType> element = elementTypeFromOnnx(type.tensor_type().elem_type());
  if (!element || *element == ElementType::Undefined) {
    return FailureOr<Type>(emitError(loc)
                           << what << " has element type " << type.tensor_type().elem_type()
                           << ", which is not an ONNX data type");
  }
  Type elementType = toMlir(*element, context);
  if (!type.tensor_type().has_shape()) {
    return FailureOr<Type>(UnrankedTensorType::get(elementType));
  }
  Shape shape;
  for (const auto &dim : type.tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() < 0) {
      return FailureOr<Type>(emitError(loc) << what << " has a dimension of size "
                                            << dim.dim_value() << ", expected 0 or more");
    }
    shape.push_back(dim.has_dim_value() ? dim.dim_value() : graph::kDynamic);
  }
  if (failed(checkShape(shape, loc, what))) {
    return failure();
  }
  return FailureOr<Type>(RankedTensorType::get(shape, elementType));
}

void GraphImporter::declare(StringRef name, Value value) {
  if (!name.empty()) {
    scope->values[name] = value;
  }
}

LogicalResult GraphImporter::importInitializers(const onnx::GraphProto &graph) {
  bool hasProblem = false;
  llvm::StringSet<> names, reported;
  auto import = [&](const onnx::TensorProto &initializer) {
    Location loc = NameLoc::get(builder.getStringAttr(initializer.name()));
    llvm::Expected<Tensor> tensor = decodeTensor(initializer, model.proto, model.directory);
    declare(initializer.name(), tensor ? graph::constant(builder, loc, *tensor) : Value());
    if (!tensor) {
      hasProblem = true;
      llvm::Error error = tensor.takeError();
      // All tensors of a missing file have the same problem, which is reported once.
      std::string text = llvm::toStringWithoutConsuming(error);
      StringRef problem = text;
      problem.consume_front("tensor '" + initializer.name() + "' ");
      bool isExternal = initializer.data_location() == onnx::TensorProto::EXTERNAL;
      if (!reported.insert(problem).second && isExternal) {
        llvm::consumeError(std::move(error));
      } else {
        emitError(loc, std::move(error));
      }
    }
  };
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    if (!names.insert(initializer.name()).second) {
      hasProblem = true;
      emitError(NameLoc::get(builder.getStringAttr(initializer.name())))
          << "initializer '" << initializer.name()
          << "' is defined twice; initializer names must be unique";
    } else if (!scope->values.count(initializer.name()) || depth > 0) {
      import(initializer);
    }
  }
  for (const onnx::SparseTensorProto &sparse : graph.sparse_initializer()) {
    hasProblem = true;
    emitUnsupported(NameLoc::get(builder.getStringAttr(sparse.values().name())))
        << "not supported: sparse initializer '" << sparse.values().name()
        << "'; store it as a dense tensor";
  }
  return failure(hasProblem);
}

LogicalResult GraphImporter::bindInputs(NodeContext &node, bool &isPoisoned) {
  for (const std::string &name : node.node.input()) {
    if (name.empty()) {
      node.inputs.push_back(Value());
      continue;
    }
    std::optional<Value> value = scope->find(name);
    if (!value && scope->isAbsent(name)) {
      node.inputs.push_back(Value());
      continue;
    }
    if (!value) {
      return node.error() << "reads '" << name
                          << "', but no graph input, initializer or earlier node defines it; check "
                             "that the graph is complete, acyclic and topologically sorted";
    }
    isPoisoned |= !*value;
    node.inputs.push_back(*value);
  }
  return success();
}

LogicalResult GraphImporter::bindOutputs(NodeContext &node, bool hasFailed) {
  bool hasProblem = false;
  for (int i = 0; i < node.node.output_size(); ++i) {
    const std::string &name = node.node.output(i);
    if (scope->values.count(name)) {
      hasProblem = true;
      node.error() << "defines '" << name
                   << "', but a graph input, initializer or earlier node already defines it; value "
                      "names must be unique in a graph";
    }
    bool isGiven = !hasFailed && i < static_cast<int>(node.outputs.size());
    declare(name, isGiven ? node.outputs[i] : Value());
  }
  return failure(hasProblem);
}

/// Checks that the row produced every output that the node names.
static LogicalResult checkOutputs(NodeContext &node, size_t given) {
  for (unsigned i = given; i < node.numOutputs(); ++i) {
    if (node.hasOutput(i)) {
      return node.unsupported() << "with output " << i << "; supported outputs: " << given;
    }
  }
  return success();
}

LogicalResult GraphImporter::importNode(const onnx::NodeProto &onnxNode) {
  StringRef domain = domainOf(onnxNode.domain());
  auto opset = opsets.find(domain);
  NodeContext node(*this, onnxNode, opset == opsets.end() ? 1 : opset->second, builder,
                   locationOf(onnxNode));
  if (++importedNodes > options.maxNodes) {
    return emitUnsupported(node.loc)
           << "not supported: more than " << options.maxNodes
           << " nodes after inlining; reduce nested function calls and nested "
              "loops, which multiply the nodes of the model";
  }
  bool isPoisoned = false;
  LogicalResult result = bindInputs(node, isPoisoned);
  if (succeeded(result) && !isPoisoned) {
    // checkOps has verified that a declaration, a model function or an import row exists.
    const CustomOp *custom = findCustom(onnxNode);
    const onnx::FunctionProto *function = findFunction(onnxNode);
    result = custom     ? importCustom(node, *custom)
             : function ? importFunctionCall(node, *function)
                        : findOp(domain, onnxNode.op_type())->import(node);
    if (succeeded(result)) {
      result = failure(node.hasFailed || failed(checkOutputs(node, node.outputs.size())));
    }
  }
  bool hasProblem = failed(result) || isPoisoned;
  return failure(failed(bindOutputs(node, hasProblem)) || hasProblem);
}

LogicalResult GraphImporter::importNodes(const Nodes &nodes) {
  bool hasProblem = false;
  for (const onnx::NodeProto &node : nodes) {
    hasProblem |= failed(importNode(node));
    if (importedNodes > options.maxNodes) {
      break;
    }
  }
  return failure(hasProblem);
}

FailureOr<SmallVector<Value>> GraphImporter::graphOutputs(const onnx::GraphProto &graph,
                                                          Location loc) {
  SmallVector<Value> values;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    std::optional<Value> value = scope->find(output.name());
    if (!value) {
      return FailureOr<SmallVector<Value>>(
          emitError(loc) << "output '" << output.name()
                         << "' is not defined: no node, graph input or initializer has this name");
    }
    if (!*value) {
      return failure(); // Poison: the failed node emitted the error.
    }
    values.push_back(*value);
  }
  return values;
}

/// Returns whether a subgraph declares an input as a vector of one element.
/// Some exporters declare the counter and the condition of a loop in this way,
/// although both are scalars.
static bool declaresOneElementVector(const onnx::ValueInfoProto &input) {
  const onnx::TensorShapeProto &shape = input.type().tensor_type().shape();
  return shape.dim_size() == 1 && shape.dim(0).dim_value() == 1;
}

static Value asVector(OpBuilder &builder, Location loc, Value scalar) {
  auto type = cast<RankedTensorType>(scalar.getType());
  return builder.create<graph::ReshapeOp>(loc, RankedTensorType::get({1}, type.getElementType()),
                                          scalar, graph::intVector(builder, loc, {1}),
                                          /*allowZero=*/false);
}

/// Declares the inputs of a subgraph.
void GraphImporter::bindArguments(const onnx::GraphProto &graph, ArrayRef<Value> values,
                                  Location loc) {
  for (auto [input, value] : llvm::zip(graph.input(), values)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isScalar = type && type.getRank() == 0;
    declare(input.name(),
            isScalar && declaresOneElementVector(input) ? asVector(builder, loc, value) : value);
  }
}

LogicalResult GraphImporter::importSubgraph(const onnx::GraphProto &graph, Region &region,
                                            ArrayRef<Type> argumentTypes, Location loc) {
  if (depth >= kMaxDepth) {
    return emitUnsupported(loc) << "not supported: subgraphs nested deeper than " << kMaxDepth;
  }
  if (static_cast<size_t>(graph.input_size()) != argumentTypes.size()) {
    return emitError(loc) << "has a subgraph with " << graph.input_size() << " inputs, expected "
                          << argumentTypes.size();
  }
  OpBuilder::InsertionGuard guard(builder);
  Scope inner;
  inner.parent = scope;
  Scope *outer = std::exchange(scope, &inner);
  ++depth;
  Block *block = builder.createBlock(&region);
  block->addArguments(argumentTypes, SmallVector<Location>(argumentTypes.size(), loc));
  bindArguments(graph, SmallVector<Value>(block->getArguments()), loc);
  bool hasProblem = failed(importInitializers(graph)) || failed(importNodes(graph.node()));
  if (!hasProblem) {
    FailureOr<SmallVector<Value>> values = graphOutputs(graph, loc);
    hasProblem = failed(values);
    builder.create<graph::YieldOp>(loc, succeeded(values) ? ValueRange(*values) : ValueRange());
  }
  --depth;
  scope = outer;
  return failure(hasProblem);
}

FailureOr<SmallVector<Value>> GraphImporter::importInline(const onnx::GraphProto &graph,
                                                          ArrayRef<Value> inputs, Location loc) {
  if (depth >= kMaxDepth) {
    return FailureOr<SmallVector<Value>>(
        emitUnsupported(loc) << "not supported: subgraphs nested deeper than " << kMaxDepth);
  }
  if (static_cast<size_t>(graph.input_size()) != inputs.size()) {
    return FailureOr<SmallVector<Value>>(emitError(loc)
                                         << "has a subgraph with " << graph.input_size()
                                         << " inputs, expected " << inputs.size());
  }
  Scope inner;
  inner.parent = scope;
  Scope *outer = std::exchange(scope, &inner);
  ++depth;
  bindArguments(graph, inputs, loc);
  FailureOr<SmallVector<Value>> values = failure();
  if (succeeded(importInitializers(graph)) && succeeded(importNodes(graph.node()))) {
    values = graphOutputs(graph, loc);
  }
  --depth;
  scope = outer;
  return values;
}

void GraphImporter::discard(Region &region) {
  auto grave = std::make_unique<Region>();
  grave->takeBody(region);
  grave->dropAllReferences();
  discarded.push_back(std::move(grave));
}

} // namespace convoy::import
