// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy inspect`: what a model file holds, and what import makes of it.

#include "Difference.h"
#include "Import/OnnxProto.h"
#include "ModelFlags.h"
#include "Session.h"
#include "Verbs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace mlir;

namespace convoy::driver {
namespace {

using Counts = std::vector<std::pair<std::string, int64_t>>;

struct Value {
  std::string name, declared, inferred;
};

struct Facts {
  std::string producer;
  int64_t irVersion = 0, fileBytes = 0;
  Counts opsets;
  std::vector<Value> inputs, outputs;
  int64_t nodes = 0, parameters = 0, weightBytes = 0;
  Counts nodesByOp, graphOps;
  int64_t graphOpCount = 0;
};

std::string elementName(int64_t dataType) {
  std::optional<ElementType> type = elementTypeFromOnnx(dataType);
  return type ? name(*type).str() : "type " + std::to_string(dataType);
}

/// "float32 [batch, 3, 224, 224]", as the file says it.
std::string declaredType(const onnx::TypeProto &type) {
  if (type.has_sequence_type()) {
    return "sequence of " + declaredType(type.sequence_type().elem_type());
  }
  if (type.has_optional_type()) {
    return "optional " + declaredType(type.optional_type().elem_type());
  }
  if (!type.has_tensor_type()) {
    return "untyped";
  }
  std::string element = elementName(type.tensor_type().elem_type());
  if (!type.tensor_type().has_shape()) {
    return element + " of any shape";
  }
  std::vector<std::string> dims;
  for (const auto &dim : type.tensor_type().shape().dim()) {
    dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                   : dim.dim_param().empty() ? "?"
                                             : dim.dim_param());
  }
  return element + " [" + llvm::join(dims, ", ") + "]";
}

Counts sorted(const std::map<std::string, int64_t> &counts) {
  Counts result(counts.begin(), counts.end());
  llvm::sort(result, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return result;
}

/// Elements and bytes of a tensor in the file, by its header alone.
void addWeights(const onnx::TensorProto &tensor, Facts &facts) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  int64_t count = elementCount(shape).value_or(0);
  ElementType type = elementTypeFromOnnx(tensor.data_type()).value_or(ElementType::Undefined);
  facts.parameters += count;
  facts.weightBytes += (count * bitWidth(type) + 7) / 8;
}

void readGraph(const onnx::GraphProto &graph, std::map<std::string, int64_t> &ops, Facts &facts) {
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    addWeights(initializer, facts);
  }
  for (const onnx::NodeProto &node : graph.node()) {
    facts.nodes++;
    bool isStandard = node.domain().empty() || node.domain() == "ai.onnx";
    ops[isStandard ? node.op_type() : node.domain() + "." + node.op_type()]++;
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g()) {
        readGraph(attribute.g(), ops, facts);
      }
    }
  }
}

Facts readFacts(const import::Model &model) {
  const onnx::ModelProto &proto = *model.proto;
  Facts facts;
  facts.producer = proto.producer_name() +
                   (proto.producer_version().empty() ? "" : " " + proto.producer_version());
  facts.irVersion = proto.ir_version();
  for (const onnx::OperatorSetIdProto &opset : proto.opset_import()) {
    facts.opsets.push_back({opset.domain().empty() ? "ai.onnx" : opset.domain(), opset.version()});
  }
  for (const onnx::ValueInfoProto *input : freeInputs(model)) {
    facts.inputs.push_back({input->name(), declaredType(input->type()), ""});
  }
  for (const onnx::ValueInfoProto *output : outputs(model)) {
    facts.outputs.push_back({output->name(), declaredType(output->type()), ""});
  }
  std::map<std::string, int64_t> ops;
  readGraph(proto.graph(), ops, facts);
  facts.nodesByOp = sorted(ops);
  return facts;
}

std::string inferredType(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    return "";
  }
  return (name(fromMlir(ranked.getElementType())) + " " + shapeText(ranked.getShape())).str();
}

void readModule(ModuleOp module, Facts &facts) {
  std::map<std::string, int64_t> ops;
  module.walk([&](Operation *op) {
    if (op->getDialect() && op->getDialect()->getNamespace() == "graph") {
      ops[op->getName().getStringRef().str()]++;
      facts.graphOpCount++;
    }
  });
  facts.graphOps = sorted(ops);
  auto function = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto name = function.getArgAttrOfType<StringAttr>(i, "graph.name");
    for (Value &input : facts.inputs) {
      input.inferred = input.name == name ? inferredType(type) : input.inferred;
    }
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    if (i < facts.outputs.size()) {
      facts.outputs[i].inferred = inferredType(type);
    }
  }
}

void printValues(llvm::raw_ostream &os, llvm::StringRef kind, const std::vector<Value> &values) {
  for (const Value &value : values) {
    os << llvm::left_justify(kind, 12) << value.name << ": " << value.declared
       << (value.inferred.empty() ? "" : "  -> " + value.inferred) << "\n";
  }
}

void printCounts(llvm::raw_ostream &os, const Counts &counts) {
  for (const auto &[name, count] : counts) {
    os << llvm::format("  %7lld  ", static_cast<long long>(count)) << name << "\n";
  }
}

void printText(llvm::raw_ostream &os, const import::Model &model, const Facts &facts) {
  os << "model       " << model.name << ", " << facts.fileBytes << " bytes, IR version "
     << facts.irVersion << (facts.producer.empty() ? "" : ", by " + facts.producer) << "\n";
  for (const auto &[domain, version] : facts.opsets) {
    os << "opset       " << domain << " " << version << "\n";
  }
  printValues(os, "input", facts.inputs);
  printValues(os, "output", facts.outputs);
  os << "parameters  " << facts.parameters << " (" << facts.weightBytes << " bytes)\n"
     << "nodes       " << facts.nodes << "\n";
  printCounts(os, facts.nodesByOp);
  if (facts.graphOpCount > 0) {
    os << "graph ops   " << facts.graphOpCount << " after import\n";
    printCounts(os, facts.graphOps);
  }
}

llvm::json::Object countsToJson(const Counts &counts) {
  llvm::json::Object object;
  for (const auto &[name, count] : counts) {
    object[llvm::json::fixUTF8(name)] = count;
  }
  return object;
}

llvm::json::Array valuesToJson(const std::vector<Value> &values) {
  llvm::json::Array array;
  for (const Value &value : values) {
    array.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(value.name)},
                                       {"declared", llvm::json::fixUTF8(value.declared)},
                                       {"inferred", value.inferred}});
  }
  return array;
}

void printJson(llvm::raw_ostream &os, const import::Model &model, const Facts &facts) {
  llvm::json::Object object{{"model", llvm::json::fixUTF8(model.name)},
                            {"fileBytes", facts.fileBytes},
                            {"irVersion", facts.irVersion},
                            {"producer", llvm::json::fixUTF8(facts.producer)},
                            {"opsets", countsToJson(facts.opsets)},
                            {"inputs", valuesToJson(facts.inputs)},
                            {"outputs", valuesToJson(facts.outputs)},
                            {"parameters", facts.parameters},
                            {"weightBytes", facts.weightBytes},
                            {"nodes", facts.nodes},
                            {"nodesByOp", countsToJson(facts.nodesByOp)},
                            {"graphOps", countsToJson(facts.graphOps)}};
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

} // namespace

ExitCode inspect(const InspectOptions &options, Console &console) {
  if (llvm::StringRef(options.model.path).ends_with(".nvdla")) {
    return inspectLoadable(options, console);
  }
  Session session;
  DiagnosticLog &log = session.log();
  if (!options.svg.empty() || !options.config.empty()) {
    log.addError("--svg and --config are for loadables of NVDLA, files that end in .nvdla; '" +
                 options.model.path + "' does not");
    log.print(console.err);
    return log.exitCode();
  }
  llvm::Expected<import::Model> model = import::readModel(options.model.path);
  if (!model) {
    log.add(model.takeError());
    log.print(console.err);
    return log.exitCode();
  }
  Facts facts = readFacts(*model);
  uint64_t bytes = 0;
  if (!llvm::sys::fs::file_size(options.model.path, bytes)) {
    facts.fileBytes = static_cast<int64_t>(bytes);
  }
  import::ImportOptions importOptions = readModelFlags(options.model, *model, log);
  importOptions.allowDynamicInputs = true;
  OwningOpRef<ModuleOp> module;
  if (!log.hasErrors()) {
    module = session.import(*model, importOptions);
  }
  if (module) {
    readModule(*module, facts);
  }
  if (options.isJson) {
    printJson(console.out, *model, facts);
  } else {
    printText(console.out, *model, facts);
  }
  log.print(console.err);
  return module ? kDone : log.failureCode(console.err);
}

} // namespace convoy::driver
