// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the interface from module attributes. Convoy's passes add them, so a missing attribute
// means that a stage did not run. The error names the stage.

#include "Codegen/LLVM/ModelInterface.h"
#include "Graph/Attributes.h"
#include "Graph/Layout.h"
#include "Layout/Attributes.h"
#include "Memory/Attributes.h"
#include "Support/ShapeText.h"
#include "Task/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

llvm::Error stageMissing(StringRef attribute, StringRef stage) {
  return llvm::createStringError(
      "the module has no attribute '%s'; this is a bug in convoy: the %s stage "
      "must run before objects are emitted",
      attribute.str().c_str(), stage.str().c_str());
}

// The fields of an entry of kInputsAttr and kOutputsAttr.
constexpr StringRef kNameField = "name";
constexpr StringRef kTypeField = "type";
constexpr StringRef kQuantizationField = "quantization";

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
  std::optional<int64_t> count = elementCount(type.getShape());
  if (!count || storageBytes(tensor.type) == 0) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return llvm::createStringError("not supported: tensor '%s' of type %s in the interface of a "
                                   "compiled model",
                                   tensor.name.c_str(), text.c_str());
  }
  // Tensors of models are planar. Kernels that are tuned in isolation may have other layouts.
  tensor.bytes = graph::physicalElements(type) * storageBytes(tensor.type);
  if (auto quantization = entry.getAs<DictionaryAttr>(kQuantizationField)) {
    readQuantization(quantization, tensor);
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

constexpr graph::AttributeRule kRules[] = {
    {kModelAttr, graph::AttributeHolder::Module, "a string", graph::isAttr<StringAttr>},
    {kInputsAttr, graph::AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
    {kOutputsAttr, graph::AttributeHolder::Module, "an array", graph::isAttr<ArrayAttr>},
};

} // namespace

CodegenDialect::CodegenDialect(MLIRContext *context)
    : AttributeDialect(getDialectNamespace(), context, TypeID::get<CodegenDialect>(), kRules) {}

StringRef compilerVersion() { return "convoy " CONVOY_VERSION; }

DictionaryAttr interfaceEntry(FunctionOpInterface main, unsigned index) {
  Builder builder(main.getContext());
  SmallVector<NamedAttribute> fields = {
      builder.getNamedAttr(kNameField, graph::argumentName(main, index)),
      builder.getNamedAttr(kTypeField, graph::argumentType(main, index))};
  if (DictionaryAttr quantization = graph::argumentQuantization(main, index)) {
    fields.push_back(builder.getNamedAttr(kQuantizationField, quantization));
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
  if (llvm::Error error = readBytes(module, memory::kArenaBytesAttr, result.workspaceBytes)) {
    return error;
  }
  if (llvm::Error error = readBytes(module, memory::kWeightsBytesAttr, result.weightsBytes)) {
    return error;
  }
  if (auto threads = module->getAttrOfType<IntegerAttr>(task::kThreadsAttr)) {
    result.threads = threads.getInt();
  }
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

} // namespace convoy::codegen
