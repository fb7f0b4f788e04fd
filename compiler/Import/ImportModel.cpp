// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the function @main: arguments with the input shapes that the options
// pin, results with output names. GraphImporter imports the nodes.

#include "Graph/Attributes.h"
#include "Import/GraphImporter.h"
#include "Import/OnnxProto.h"
#include "Import/RecordScales.h"
#include "Import/ShapeHint.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::import {
namespace {

/// Returns the name of a dynamic dimension, or an empty string if the model
/// does not name it.
std::string dimName(const onnx::ValueInfoProto &input, size_t i) {
  const auto &shape = input.type().tensor_type().shape();
  return static_cast<int>(i) < shape.dim_size() ? shape.dim(static_cast<int>(i)).dim_param() : "";
}

/// Reports the dynamic dimensions of an input and the flags that set them.
LogicalResult reportOpen(Location loc, const onnx::ValueInfoProto &input, ArrayRef<int64_t> shape) {
  SmallVector<std::string> flags;
  for (size_t i = 0; i < shape.size(); ++i) {
    std::string name = dimName(input, i);
    std::string flag = "--dim " + name + "=" + sizeHint(shape, i);
    if (shape[i] == graph::kDynamic && !name.empty() && !llvm::is_contained(flags, flag)) {
      flags.push_back(flag);
    }
  }
  InFlightDiagnostic diagnostic = emitError(loc)
                                  << "input '" << input.name()
                                  << "' has dynamic dimensions; set their sizes with "
                                  << shapeFlag(input.name(), shape);
  if (!flags.empty()) {
    diagnostic << " or " << llvm::join(flags, " ");
  }
  return diagnostic << lettersNote(shape);
}

} // namespace

FailureOr<Type> GraphImporter::inputType(const onnx::ValueInfoProto &input) {
  Location loc = NameLoc::get(builder.getStringAttr(input.name()));
  FailureOr<Type> type = importType(input.type(), loc, "input '" + input.name() + "'");
  if (failed(type) || !isa<TensorType>(*type)) {
    return type;
  }
  auto pinned = options.inputShapes.find(input.name());
  Type element = cast<TensorType>(*type).getElementType();
  if (auto ranked = dyn_cast<RankedTensorType>(*type)) {
    Shape shape(ranked.getShape().begin(), ranked.getShape().end());
    if (pinned != options.inputShapes.end() && pinned->second.size() != shape.size()) {
      return FailureOr<Type>(emitError(loc)
                             << "input '" << input.name() << "' has " << shape.size()
                             << " dimensions, but --input-shape or the input data has "
                             << pinned->second.size());
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      auto dim = options.dims.find(dimName(input, i));
      bool isOpen = shape[i] == graph::kDynamic;
      if (pinned != options.inputShapes.end() && pinned->second[i] >= 0) {
        if (!isOpen && shape[i] != pinned->second[i]) {
          return FailureOr<Type>(emitError(loc) << "input '" << input.name() << "' has size "
                                                << shape[i] << " in dimension " << i
                                                << ", but --input-shape or the input data has "
                                                << pinned->second[i]);
        }
        shape[i] = pinned->second[i];
      } else if (isOpen && dim != options.dims.end()) {
        shape[i] = dim->second;
      }
    }
    if (!options.allowDynamicInputs && llvm::is_contained(shape, graph::kDynamic)) {
      (void)reportOpen(loc, input, shape);
      return failure();
    }
    return failed(checkShape(shape, loc, "input '" + input.name() + "'"))
               ? FailureOr<Type>(failure())
               : FailureOr<Type>(RankedTensorType::get(shape, element));
  }
  if (pinned != options.inputShapes.end()) {
    if (llvm::any_of(pinned->second, [](int64_t dim) { return dim < 0; })) {
      return FailureOr<Type>(
          emitError(loc)
          << "input '" << input.name()
          << "' has no shape in the model, so --input-shape must specify every dimension");
    }
    return failed(checkShape(pinned->second, loc, "input '" + input.name() + "'"))
               ? FailureOr<Type>(failure())
               : FailureOr<Type>(RankedTensorType::get(pinned->second, element));
  }
  if (options.allowDynamicInputs) {
    return type;
  }
  return FailureOr<Type>(emitError(loc)
                         << "input '" << input.name() << "' has no shape in the model; set it with "
                         << unrankedShapeFlag(input.name()));
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
      FailureOr<Type> type = inputType(input);
      hasProblem |= failed(type);
      if (succeeded(type)) {
        declare(input.name(), block.addArgument(*type, loc));
      }
    }
  }
  return failure(hasProblem);
}

OwningOpRef<ModuleOp> GraphImporter::importModel() {
  Location loc = NameLoc::get(builder.getStringAttr(model.name));
  const onnx::GraphProto &graph = proto.graph();
  if (failed(readOpsets()) || failed(collectFunctions()) || failed(checkOps())) {
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
  FailureOr<SmallVector<Value>> results = graphOutputs(graph, loc);
  if (failed(results)) {
    return nullptr;
  }
  builder.create<func::ReturnOp>(loc, *results);
  function.setType(
      builder.getFunctionType(block->getArgumentTypes(), ValueRange(*results).getTypes()));
  for (BlockArgument argument : block->getArguments()) {
    graph::setArgumentName(function, argument.getArgNumber(),
                           cast<NameLoc>(argument.getLoc()).getName().getValue());
  }
  for (auto [i, output] : llvm::enumerate(graph.output())) {
    graph::setResultName(function, i, output.name());
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
