// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the interface from module attributes. Convoy's passes add them, so a missing attribute
// means that a stage did not run. The error names the stage.

#include "Codegen/LLVM/ModelInterface.h"
#include "Codegen/LLVM/Object.h"
#include "Graph/Attributes.h"
#include "Graph/Extent.h"
#include "Graph/Labels.h"
#include "Graph/Layout.h"
#include "Layout/Attributes.h"
#include "Memory/Attributes.h"
#include "Support/ShapeText.h"
#include "Support/TypedError.h"
#include "Task/Attributes.h"
#include "Task/Custom.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace convoy::codegen {
namespace {

llvm::Error stageMissing(StringRef attribute, StringRef stage) {
  return createBug("the module has no attribute '%s'; this is a bug in convoy: the %s stage "
                   "must run before objects are emitted",
                   attribute.str().c_str(), stage.str().c_str());
}

// The fields of an entry of kInputsAttr and kOutputsAttr.
constexpr StringRef kNameField = "name";
constexpr StringRef kTypeField = "type";
constexpr StringRef kDimsField = "dims";
constexpr StringRef kLabelsField = "labels";
constexpr StringRef kQuantizationField = "quantization";
constexpr StringRef kOffsetField = "offset";
constexpr StringRef kWorkspaceField = "workspace";
constexpr StringRef kRowsField = "rows";

void readQuantization(DictionaryAttr fields, TensorDescriptor &tensor) {
  auto scales = fields.getAs<DenseF32ArrayAttr>("scales");
  auto zeroPoints = fields.getAs<DenseI32ArrayAttr>("zero_points");
  auto axis = fields.getAs<IntegerAttr>("axis");
  if (scales && zeroPoints && axis) { // the verifier of graph.quantization checks more
    tensor.scales.assign(scales.asArrayRef().begin(), scales.asArrayRef().end());
    tensor.zeroPoints.assign(zeroPoints.asArrayRef().begin(), zeroPoints.asArrayRef().end());
    tensor.scaleAxis = static_cast<int32_t>(axis.getInt());
  }
}

llvm::Expected<TensorDescriptor> readTensor(Attribute attribute) {
  auto entry = dyn_cast<DictionaryAttr>(attribute);
  auto name = entry ? entry.getAs<StringAttr>(kNameField) : nullptr;
  auto typeAttr = entry ? entry.getAs<TypeAttr>(kTypeField) : nullptr;
  auto type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue()) : nullptr;
  if (!name || !type || !type.hasStaticShape()) {
    return stageMissing(kInputsAttr, "codegen");
  }
  TensorDescriptor tensor;
  tensor.name = name.str();
  tensor.type = fromMlir(type.getElementType());
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  if (auto dims = entry.getAs<DenseI32ArrayAttr>(kDimsField)) {
    tensor.dims = dims.asArrayRef().vec();
  }
  if (auto labels = entry.getAs<ArrayAttr>(kLabelsField)) {
    for (auto label : labels.getAsRange<StringAttr>()) {
      tensor.labels.push_back(label.str());
    }
  }
  std::optional<int64_t> count = elementCount(type.getShape());
  if (!count || storageBytes(tensor.type) == 0) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return createUnsupported("not supported: tensor '%s' of type %s in the interface of a "
                             "compiled model",
                             tensor.name.c_str(), text.c_str());
  }
  // Tensors of models are planar. Kernels that are tuned in isolation may have other layouts.
  tensor.bytes = graph::physicalElements(type) * storageBytes(tensor.type);
  if (auto quantization = entry.getAs<DictionaryAttr>(kQuantizationField)) {
    readQuantization(quantization, tensor);
  }
  if (auto offset = entry.getAs<IntegerAttr>(kOffsetField)) {
    tensor.offset = offset.getInt();
  }
  if (auto workspace = entry.getAs<IntegerAttr>(kWorkspaceField)) {
    tensor.workspace = workspace.getInt();
  }
  if (auto rows = entry.getAs<IntegerAttr>(kRowsField)) {
    tensor.rows = rows.getInt();
  }
  return tensor;
}

llvm::Error readTensors(ModuleOp module, StringRef attribute,
                        std::vector<TensorDescriptor> &tensors) {
  auto list = module->getAttrOfType<ArrayAttr>(attribute);
  if (!list) {
    return stageMissing(attribute, "codegen");
  }
  for (Attribute entry : list) {
    llvm::Expected<TensorDescriptor> tensor = readTensor(entry);
    if (!tensor) {
      return tensor.takeError();
    }
    tensors.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}

llvm::Error readBytes(ModuleOp module, StringRef attribute, int64_t &bytes) {
  auto value = module->getAttrOfType<IntegerAttr>(attribute);
  if (!value || value.getInt() < 0) {
    return stageMissing(attribute, "memory");
  }
  bytes = value.getInt();
  return llvm::Error::success();
}

/// Returns the bytes of the constants that start-up code copies.
int64_t copiedBytesOf(ModuleOp module) {
  ArrayRef<int64_t> copied = memory::copiedWeightsOf(module);
  int64_t bytes = 0;
  for (auto [value, offset] :
       llvm::zip(memory::weightsOf(module), memory::weightOffsetsOf(module).asArrayRef())) {
    if (llvm::is_contained(copied, offset)) {
      auto type = cast<RankedTensorType>(cast<TypedAttr>(value).getType());
      bytes += graph::physicalElements(type) * storageBytes(fromMlir(type.getElementType()));
    }
  }
  return bytes;
}

constexpr graph::AttributeRule kRules[] = {
    {kModelAttr, graph::AttributeHolder::Module, "a string", graph::isAttr<StringAttr>},
    {kInputsAttr, graph::AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kOutputsAttr, graph::AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kExtentsAttr, graph::AttributeHolder::Module, "a count", graph::isCount},
    {kExtentsOffsetAttr, graph::AttributeHolder::Module, "a number of bytes", graph::isCount},
    {kCustomFunctionAttr, graph::AttributeHolder::Function, "a unit attribute",
     graph::isAttr<UnitAttr>},
};

} // namespace

CodegenDialect::CodegenDialect(MLIRContext *context)
    : AttributeDialect(getDialectNamespace(), context, TypeID::get<CodegenDialect>(), kRules) {}

bool ModelInterface::isIoInWorkspace() const {
  auto isInside = [](const TensorDescriptor &tensor) { return tensor.offset.has_value(); };
  return llvm::any_of(inputs, isInside) || llvm::any_of(outputs, isInside);
}

bool ModelInterface::hasInputRows() const {
  return llvm::any_of(inputs, [](const TensorDescriptor &tensor) { return tensor.rows > 0; });
}

int64_t ModelInterface::allWorkspaceBytes() const {
  int64_t bytes = workspaceBytes;
  for (const WorkspaceDescriptor &workspace : moreWorkspaces) {
    bytes += workspace.bytes;
  }
  return bytes;
}

std::vector<std::string> customFunctionsOf(ModuleOp module) {
  std::set<std::string> functions;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<task::CallCustomOp>(op)) {
      functions.insert(call.getFunction().str());
    } else if (op->hasAttr(kCustomFunctionAttr)) { // a function, as the verifier ensures
      functions.insert(cast<SymbolOpInterface>(op).getName().str());
    }
  });
  return {functions.begin(), functions.end()};
}

StringRef compilerVersion() { return "convoy " CONVOY_VERSION; }

/// Returns the description of an argument of the lowered main function as an entry of
/// kInputsAttr or kOutputsAttr.
static DictionaryAttr interfaceEntry(FunctionOpInterface main, unsigned index) {
  Builder builder(main.getContext());
  SmallVector<NamedAttribute> fields = {
      builder.getNamedAttr(kNameField, graph::argumentName(main, index)),
      builder.getNamedAttr(kTypeField, graph::argumentType(main, index))};
  if (DictionaryAttr quantization = graph::argumentQuantization(main, index)) {
    fields.push_back(builder.getNamedAttr(kQuantizationField, quantization));
  }
  if (ArrayRef<int32_t> dims = graph::argumentDims(main, index); !dims.empty()) {
    fields.push_back(builder.getNamedAttr(kDimsField, builder.getDenseI32ArrayAttr(dims)));
  }
  if (ArrayAttr labels = graph::argumentLabels(main, index)) {
    fields.push_back(builder.getNamedAttr(kLabelsField, labels));
  }
  if (std::optional<int64_t> offset = memory::arenaOffsetOf(main, index)) {
    fields.push_back(builder.getNamedAttr(kOffsetField, builder.getI64IntegerAttr(*offset)));
  }
  if (auto arena = main.getArgAttrOfType<IntegerAttr>(index, memory::kArenaAttr)) {
    fields.push_back(builder.getNamedAttr(kWorkspaceField, arena));
  }
  if (std::optional<int64_t> rows = memory::inputRowsOf(main, index)) {
    fields.push_back(builder.getNamedAttr(kRowsField, builder.getI64IntegerAttr(*rows)));
  }
  return builder.getDictionaryAttr(fields);
}

llvm::Error checkInputs(llvm::ArrayRef<TensorDescriptor> expected, llvm::ArrayRef<Tensor> tensors) {
  if (tensors.size() != expected.size()) {
    return llvm::createStringError("the model has %zu inputs, got %zu", expected.size(),
                                   tensors.size());
  }
  for (auto [tensor, input] : llvm::zip(tensors, expected)) {
    if (tensor.type() != input.type || tensor.shape() != llvm::ArrayRef(input.shape)) {
      return llvm::createStringError("input '" + input.name + "' expects " + name(input.type) +
                                     " " + shapeText(input.shape) + ", got " + name(tensor.type()) +
                                     " " + shapeText(tensor.shape()));
    }
  }
  return llvm::Error::success();
}

std::vector<TensorDescriptor> writtenTensors(const ModelInterface &interface) {
  std::vector<TensorDescriptor> tensors = interface.outputs;
  if (interface.extents > 0) {
    TensorDescriptor &extents = tensors.emplace_back();
    extents.name = "extents";
    extents.type = ElementType::I64;
    extents.shape = {interface.extents};
    extents.bytes = interface.extents * storageBytes(ElementType::I64);
    extents.offset = interface.extentsOffset;
  }
  return tensors;
}

/// Gives the outputs the sizes that a run wrote.
static llvm::Error setActualShapes(const ModelInterface &interface, std::vector<Tensor> &written) {
  if (interface.extents == 0) {
    return llvm::Error::success();
  }
  Shape extents = written.back().ints();
  written.pop_back();
  for (auto [tensor, output] : llvm::zip(written, interface.outputs)) {
    std::optional<Shape> shape = graph::actualShape(output.shape, output.dims, extents);
    if (!shape) {
      return createBug("output '%s' has a size above its maximum; this is a bug in "
                       "convoy",
                       output.name.c_str());
    }
    tensor = output.dims.empty() ? tensor : graph::firstElements(tensor, *shape);
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Tensor>> readOutputs(const ModelInterface &interface,
                                                std::vector<Tensor> written) {
  if (llvm::Error error = setActualShapes(interface, written)) {
    return std::move(error);
  }
  for (auto [tensor, output] : llvm::zip(written, interface.outputs)) {
    tensor = output.labels.empty() ? tensor : graph::labelsAt(tensor, output.labels);
  }
  return written;
}

void recordTensors(ModuleOp module, FunctionOpInterface main, StringRef model) {
  Builder builder(module.getContext());
  SmallVector<Attribute> inputs;
  SmallVector<Attribute> outputs;
  for (unsigned i = 0; main && i < main.getNumArguments(); ++i) {
    std::optional<memory::Role> role = memory::roleOf(main, i);
    TypeAttr type = graph::argumentType(main, i);
    if (!role || !graph::argumentName(main, i) || !type) {
      continue;
    }
    if (graph::isExtentsArgument(main, i)) {
      int64_t count = cast<RankedTensorType>(type.getValue()).getNumElements();
      module->setAttr(kExtentsAttr, builder.getI64IntegerAttr(count));
      if (std::optional<int64_t> offset = memory::arenaOffsetOf(main, i)) {
        module->setAttr(kExtentsOffsetAttr, builder.getI64IntegerAttr(*offset));
      }
    } else {
      (role == memory::Role::Input ? inputs : outputs).push_back(interfaceEntry(main, i));
    }
  }
  module->setAttr(kModelAttr, builder.getStringAttr(model));
  module->setAttr(kInputsAttr, builder.getArrayAttr(inputs));
  module->setAttr(kOutputsAttr, builder.getArrayAttr(outputs));
}

llvm::Expected<ModelInterface> readInterface(ModuleOp module) {
  ModelInterface result;
  auto name = module->getAttrOfType<StringAttr>(kModelAttr);
  if (!name) {
    return stageMissing(kModelAttr, "codegen");
  }
  result.model = name.str();
  if (llvm::Error error = readTensors(module, kInputsAttr, result.inputs)) {
    return error;
  }
  if (llvm::Error error = readTensors(module, kOutputsAttr, result.outputs)) {
    return error;
  }
  if (auto extents = module->getAttrOfType<IntegerAttr>(kExtentsAttr)) {
    result.extents = extents.getInt();
  }
  if (auto offset = module->getAttrOfType<IntegerAttr>(kExtentsOffsetAttr)) {
    result.extentsOffset = offset.getInt();
  }
  if (llvm::Error error = readBytes(module, memory::kArenaBytesAttr, result.workspaceBytes)) {
    return error;
  }
  if (llvm::Error error = readBytes(module, memory::kWeightsBytesAttr, result.weightsBytes)) {
    return error;
  }
  result.workspaceAlignment = memory::alignmentOf(module);
  result.copiedWeightsBytes = copiedBytesOf(module);
  std::vector<memory::Arena> arenas = memory::arenasOf(module);
  for (const memory::Arena &arena : llvm::ArrayRef(arenas).drop_front(arenas.empty() ? 0 : 1)) {
    result.workspaceMemory = arenas.front().memory;
    result.moreWorkspaces.push_back({arena.memory, arena.bytes});
  }
  if (std::optional<memory::Peak> peak = memory::peakOf(module)) {
    result.peakNode = peak->node;
    result.peakBytes = peak->bytes;
  }
  if (auto threads = module->getAttrOfType<IntegerAttr>(task::kThreadsAttr)) {
    result.threads = threads.getInt();
  }
  result.customFunctions = customFunctionsOf(module);
  if (auto programs = module->getAttrOfType<ArrayAttr>(task::kProgramsAttr)) {
    result.programs = static_cast<int64_t>(programs.size());
  }
  if (auto measurements = layout::usedMeasurements(module)) {
    result.records = measurements->hash;
  }
  return result;
}

llvm::Error checkModelName(StringRef model) {
  bool isIdentifier = !model.empty() && !llvm::isDigit(model.front()) &&
                      llvm::all_of(model, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier) {
    return llvm::createStringError("model name '%s' cannot prefix C symbols; use letters, digits "
                                   "and '_', not starting with a digit",
                                   model.str().c_str());
  }
  if (model == "convoy" || model.starts_with("convoy_")) {
    return llvm::createStringError("model name '%s' is the prefix of the runtime's C symbols; "
                                   "choose another name with --name",
                                   model.str().c_str());
  }
  return llvm::Error::success();
}

llvm::Error checkCustomFunctions(ModuleOp module, StringRef model) {
  std::string prefix = model.str() + "_";
  for (const std::string &function : customFunctionsOf(module)) {
    if (StringRef(function).starts_with(prefix)) {
      return llvm::createStringError("a custom op has the function '" + function +
                                     "', but names that begin with '" + prefix +
                                     "' belong to the model; choose another name for the "
                                     "function, or for the model with --name");
    }
    if (llvm::is_contained(allowedLibraryCalls(), function)) {
      return llvm::createStringError("a custom op has the function '" + function +
                                     "', but models use the function of the C library; choose "
                                     "another name");
    }
  }
  return llvm::Error::success();
}

} // namespace convoy::codegen
