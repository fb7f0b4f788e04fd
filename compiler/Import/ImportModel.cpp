// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the function @main: arguments with the input shapes that the options
// pin, results with output names. GraphImporter imports the nodes. Compiled code
// has tensors only: unless the options allow dynamic inputs, the tensors of a
// sequence or optional are separate arguments and results. Element 1 of sequence
// x has the name x[1], and the value of an optional has the optional's name.

#include "Graph/Attributes.h"
#include "Import/ElementName.h"
#include "Import/GraphImporter.h"
#include "Import/OnnxProto.h"
#include "Import/RecordScales.h"
#include "Import/ShapeHint.h"
#include "Support/ResourceBudget.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the name of a dynamic dimension, or an empty string if the model
/// does not name it.
std::string dimName(const onnx::TypeProto &type, size_t i) {
  const auto &shape = type.tensor_type().shape();
  return static_cast<int>(i) < shape.dim_size() ? shape.dim(static_cast<int>(i)).dim_param() : "";
}

/// Returns the flags that set the named dynamic dimensions.
std::string dimFlags(const onnx::TypeProto &type, ArrayRef<int64_t> shape) {
  SmallVector<std::string> flags;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string name = dimName(type, i);
    std::string flag = "--dim " + name + "=" + sizeHint(shape, i);
    if (shape[i] == graph::kDynamic && !name.empty() && !llvm::is_contained(flags, flag)) {
      flags.push_back(flag);
    }
  }
  return llvm::join(flags, " ");
}

bool hasNames(const onnx::TypeProto &type, ArrayRef<int64_t> shape) {
  return llvm::all_of(llvm::seq<size_t>(0, shape.size()), [&](size_t i) {
    return shape[i] != graph::kDynamic || !dimName(type, i).empty();
  });
}

// A line with more names is hard to read.
constexpr size_t kMostNames = 3;

/// Returns "'a', 'b', 'c', ...".
std::string quoted(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names.take_front(kMostNames)) {
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return text + (names.size() > kMostNames ? ", ..." : "");
}

/// Says that an open batch is compiled as 1, and the flags that set another size.
void reportBatch(const std::string &input, Location loc, const onnx::TypeProto &type,
                 ArrayRef<int64_t> shape) {
  std::string name = dimName(type, 0);
  emitWarning(loc) << "input '" << input << "' has an open batch, which is compiled as 1; set "
                   << "another size with "
                   << (name.empty() ? shapeFlag(input, shape) : "--dim " + name + "=1");
}

} // namespace

FailureOr<Type> GraphImporter::inputType(const std::string &name, const onnx::TypeProto &declared) {
  Location loc = NameLoc::get(builder.getStringAttr(name));
  FailureOr<Type> type = importType(declared, loc, "input '" + name + "'");
  if (failed(type) || !isa<TensorType>(*type)) {
    return type;
  }
  auto pinned = options.inputShapes.find(name);
  Type element = cast<TensorType>(*type).getElementType();
  if (auto ranked = dyn_cast<RankedTensorType>(*type)) {
    Shape shape(ranked.getShape().begin(), ranked.getShape().end());
    if (pinned != options.inputShapes.end() && pinned->second.size() != shape.size()) {
      return FailureOr<Type>(emitError(loc)
                             << "input '" << name << "' has " << shape.size()
                             << " dimensions, but --input-shape or the input data has "
                             << pinned->second.size());
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      auto dim = options.dims.find(dimName(declared, i));
      bool isOpen = shape[i] == graph::kDynamic;
      if (pinned != options.inputShapes.end() && pinned->second[i] >= 0) {
        if (!isOpen && shape[i] != pinned->second[i]) {
          return FailureOr<Type>(emitError(loc) << "input '" << name << "' has size " << shape[i]
                                                << " in dimension " << i
                                                << ", but --input-shape or the input data has "
                                                << pinned->second[i]);
        }
        shape[i] = pinned->second[i];
      } else if (isOpen && dim != options.dims.end()) {
        shape[i] = dim->second;
      }
    }
    if (!options.allowDynamicInputs && hasOnlyOpenBatch(shape)) {
      reportBatch(name, loc, declared, shape);
      shape[0] = 1;
    }
    if (!options.allowDynamicInputs && llvm::is_contained(shape, graph::kDynamic)) {
      openInputs.push_back({name, shapeFlag(name, shape), dimFlags(declared, shape),
                            lettersNote(shape), hasNames(declared, shape)});
      return failure(); // importInputs reports all open inputs
    }
    return failed(checkShape(shape, loc, "input '" + name + "'"))
               ? FailureOr<Type>(failure())
               : FailureOr<Type>(RankedTensorType::get(shape, element));
  }
  if (pinned != options.inputShapes.end()) {
    if (llvm::any_of(pinned->second, [](int64_t dim) { return dim < 0; })) {
      return FailureOr<Type>(
          emitError(loc)
          << "input '" << name
          << "' has no shape in the model, so --input-shape must specify every dimension");
    }
    return failed(checkShape(pinned->second, loc, "input '" + name + "'"))
               ? FailureOr<Type>(failure())
               : FailureOr<Type>(RankedTensorType::get(pinned->second, element));
  }
  if (options.allowDynamicInputs) {
    return type;
  }
  return FailureOr<Type>(emitError(loc)
                         << "input '" << name << "' has no shape in the model; set it with "
                         << unrankedShapeFlag(name));
}

/// Reports the dynamic dimensions of the inputs and the flags that set them. Inputs whose
/// dimensions have the same names are one error: a language model has two such inputs per layer.
void GraphImporter::reportOpenInputs() const {
  llvm::StringMap<SmallVector<std::string>> groups; // names of inputs by their flags
  for (const OpenInput &input : openInputs) {
    groups[input.hasNames ? input.dimFlags + input.note : input.name].push_back(input.name);
  }
  for (const OpenInput &input : openInputs) {
    ArrayRef<std::string> names =
        groups.find(input.hasNames ? input.dimFlags + input.note : input.name)->second;
    if (names.front() != input.name) {
      continue;
    }
    InFlightDiagnostic diagnostic = emitError(NameLoc::get(StringAttr::get(context, input.name)));
    if (names.size() == 1) {
      diagnostic << "input '" << input.name << "' has dynamic dimensions; set their sizes with "
                 << input.shapeFlag << (input.dimFlags.empty() ? "" : " or ");
    } else {
      diagnostic << names.size() << " inputs (" << quoted(names)
                 << ") have dynamic dimensions; set their sizes with ";
    }
    diagnostic << input.dimFlags << input.note;
  }
}

/// Returns whether the options pin the shape of an input, or of a tensor in it.
bool GraphImporter::isPinned(const std::string &name) const {
  auto inner = options.inputShapes.lower_bound(name + "[");
  bool hasInner =
      inner != options.inputShapes.end() && StringRef(inner->first).starts_with(name + "[");
  return hasInner || options.inputShapes.count(name);
}

Value GraphImporter::inferred(Operation *op) {
  return succeeded(graph::inferResultTypes(op, knowledge)) ? op->getResult(0) : Value();
}

/// Adds an argument for each tensor of a sequence and returns the sequence. The
/// pinned shapes determine the length.
Value GraphImporter::addSequence(const std::string &name, const onnx::TypeProto &element,
                                 Block &block) {
  Location loc = NameLoc::get(builder.getStringAttr(name));
  FailureOr<Type> type = importType(element, loc, "input '" + name + "'");
  if (failed(type)) {
    return Value();
  }
  auto nameOf = [&](size_t i) { return elementName(name, i); };
  SmallVector<Value> elements;
  while (isPinned(nameOf(elements.size()))) {
    elements.push_back(addInput(nameOf(elements.size()), element, block));
    if (!elements.back()) {
      return Value();
    }
  }
  if (elements.empty() && !options.inputShapes.count(emptySequenceName(name))) {
    emitError(loc) << "input '" << name
                   << "' is a sequence, and the compiled code has a fixed number of tensors; set "
                      "the shape of each with --input-shape '"
                   << nameOf(0) << ":2x3', or --input-shape '" << emptySequenceName(name)
                   << ":0' for an empty sequence; --target=reference runs any length";
    return Value();
  }
  auto result = graph::SequenceType::get(context, *type);
  return inferred(
      builder.create<graph::SequenceConstructOp>(loc, result, elements, TypeAttr::get(*type)));
}

/// Adds the argument of an optional's value and returns the optional. The value
/// is absent unless its shape is pinned.
Value GraphImporter::addOptional(const std::string &name, const onnx::TypeProto &element,
                                 Block &block) {
  Location loc = NameLoc::get(builder.getStringAttr(name));
  FailureOr<Type> type = importType(element, loc, "input '" + name + "'");
  if (failed(type)) {
    return Value();
  }
  Value held = isPinned(name) ? addInput(name, element, block) : Value();
  if (!held && isPinned(name)) {
    return Value();
  }
  auto result = graph::OptionalType::get(context, *type);
  return inferred(builder.create<graph::OptionalOp>(loc, result, held, TypeAttr::get(*type)));
}

/// Adds the arguments of an input and returns its value. Emits an error and
/// returns null if the type is invalid or not known.
Value GraphImporter::addInput(const std::string &name, const onnx::TypeProto &type, Block &block) {
  if (!options.allowDynamicInputs && type.has_sequence_type()) {
    return addSequence(name, type.sequence_type().elem_type(), block);
  }
  if (!options.allowDynamicInputs && type.has_optional_type()) {
    return addOptional(name, type.optional_type().elem_type(), block);
  }
  FailureOr<Type> known = inputType(name, type);
  return failed(known)
             ? Value()
             : Value(block.addArgument(*known, NameLoc::get(builder.getStringAttr(name))));
}

LogicalResult GraphImporter::importInputs(const onnx::GraphProto &graph, Block &block) {
  llvm::StringSet<> initialized;
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    initialized.insert(initializer.name());
  }
  bool hasProblem = false;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    Location loc = NameLoc::get(builder.getStringAttr(input.name()));
    auto bound = options.constants.find(input.name());
    if (bound != options.constants.end()) {
      declare(input.name(), graph::constant(builder, loc, bound->second));
    } else if (scope->values.count(input.name())) {
      hasProblem = true;
      emitError(loc) << "input '" << input.name()
                     << "' is declared twice; input names must be unique";
    } else if (!initialized.count(input.name())) {
      Value value = addInput(input.name(), input.type(), block);
      hasProblem |= !value;
      if (value) {
        declare(input.name(), value);
      }
    }
  }
  reportOpenInputs();
  return failure(hasProblem);
}

/// Appends the tensors of an output with their names. Appends a sequence or
/// optional itself if its elements are not known.
LogicalResult GraphImporter::addResults(const std::string &name, Value value, Results &results) {
  auto sequence = value.getDefiningOp<graph::SequenceConstructOp>();
  auto optional = value.getDefiningOp<graph::OptionalOp>();
  if (options.allowDynamicInputs || (!sequence && !optional)) {
    results.push_back({name, value});
    return success();
  }
  if (sequence) {
    for (auto [i, element] : llvm::enumerate(sequence.getInputs())) {
      if (failed(addResults(elementName(name, i), element, results))) {
        return failure();
      }
    }
    return success();
  }
  size_t before = results.size();
  if (optional.getValue() && failed(addResults(name, optional.getValue(), results))) {
    return failure();
  }
  if (optional.getValue() && results.size() == before) {
    return emitUnsupported(NameLoc::get(builder.getStringAttr(name)))
           << "not supported: output '" << name
           << "' is an optional that holds an empty sequence, which compiled code cannot tell from "
              "an empty optional; return the sequence instead, or give --target=reference";
  }
  return success();
}

/// Returns the results of @main. Emits an error if there are none.
FailureOr<GraphImporter::Results> GraphImporter::mainResults(const onnx::GraphProto &graph,
                                                             Location loc) {
  FailureOr<SmallVector<Value>> values = graphOutputs(graph, loc);
  if (failed(values)) {
    return failure();
  }
  Results results;
  for (auto [output, value] : llvm::zip(graph.output(), *values)) {
    if (failed(addResults(output.name(), value, results))) {
      return failure();
    }
  }
  if (results.empty()) {
    return FailureOr<Results>(emitUnsupported(loc)
                              << "not supported: every output of the model is an empty sequence or "
                                 "an empty optional; --target=reference runs it");
  }
  return results;
}

/// Returns the number of nodes, with those of nested graphs, or a number above `limit`.
static int64_t countNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                          int64_t limit) {
  int64_t count = nodes.size();
  for (const onnx::NodeProto &node : nodes) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (count > limit) {
        return count;
      }
      count += attribute.has_g() ? countNodes(attribute.g().node(), limit - count) : 0;
      for (const onnx::GraphProto &graph : attribute.graphs()) {
        count += countNodes(graph.node(), limit - count);
      }
    }
  }
  return count;
}

/// Checks the numbers of a model before the importer creates an op, because each node that is not
/// supported is a problem of its own.
static LogicalResult checkCounts(const onnx::ModelProto &proto, int64_t maxNodes, Location loc) {
  int64_t nodes = countNodes(proto.graph().node(), maxNodes);
  for (const onnx::FunctionProto &function : proto.functions()) {
    nodes += nodes > maxNodes ? 0 : countNodes(function.node(), maxNodes - nodes);
  }
  if (nodes > maxNodes) {
    return emitUnsupported(loc) << "not supported: the model has more than " << maxNodes
                                << " nodes; check how it was made";
  }
  int64_t ends = ResourceBudget().interfaceTensors();
  if (proto.graph().output_size() > ends) {
    return emitUnsupported(loc) << "not supported: the model has " << proto.graph().output_size()
                                << " outputs, expected at most " << ends
                                << "; join them to fewer tensors";
  }
  return success();
}

OwningOpRef<ModuleOp> GraphImporter::importModel() {
  Location loc = NameLoc::get(builder.getStringAttr(model.name));
  const onnx::GraphProto &graph = proto.graph();
  if (failed(checkCounts(proto, options.maxNodes, loc)) || failed(readOpsets()) ||
      failed(collectFunctions()) || failed(checkOps())) {
    return nullptr;
  }
  if (graph.output_size() == 0) {
    emitError(loc) << "the graph has no outputs; add at least one output to the model";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(loc, "main", builder.getFunctionType({}, {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  Scope outermost;
  scope = &outermost;
  // All three are evaluated, so that one run reports the problems of all of
  // them.
  bool hasProblem = failed(importInputs(graph, *block));
  hasProblem |= failed(importInitializers(graph));
  if (hasProblem || failed(importNodes(graph.node()))) {
    return nullptr;
  }
  FailureOr<Results> results = mainResults(graph, loc);
  if (failed(results)) {
    return nullptr;
  }
  SmallVector<Value> values = llvm::to_vector(llvm::make_second_range(*results));
  builder.create<func::ReturnOp>(loc, values);
  function.setType(
      builder.getFunctionType(block->getArgumentTypes(), ValueRange(values).getTypes()));
  for (BlockArgument argument : block->getArguments()) {
    graph::setArgumentName(function, argument.getArgNumber(),
                           cast<NameLoc>(argument.getLoc()).getName().getValue());
  }
  for (auto [i, result] : llvm::enumerate(*results)) {
    graph::setResultName(function, i, result.first);
  }
  recordScales(graph, outermost, function);
  return module;
}

OwningOpRef<ModuleOp> importModel(const Model &model, MLIRContext *context,
                                  const ImportOptions &options) {
  context->loadDialect<graph::GraphDialect, func::FuncDialect>();
  return GraphImporter(model, context, options).importModel();
}

} // namespace convoy::import
