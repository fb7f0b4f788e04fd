// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import, compile and run of one model, with diagnostics collected.

#include "Session.h"
#include "Import/OnnxProto.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace convoy::driver {

std::vector<const onnx::ValueInfoProto *> freeInputs(const import::Model &model) {
  llvm::StringSet<> initialized;
  const onnx::GraphProto &graph = model.proto->graph();
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    initialized.insert(initializer.name());
  }
  std::vector<const onnx::ValueInfoProto *> result;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    if (!initialized.count(input.name())) {
      result.push_back(&input);
    }
  }
  return result;
}

std::vector<const onnx::ValueInfoProto *> outputs(const import::Model &model) {
  std::vector<const onnx::ValueInfoProto *> result;
  for (const onnx::ValueInfoProto &output : model.proto->graph().output()) {
    result.push_back(&output);
  }
  return result;
}

void pinShapes(import::ImportOptions &options, const NamedData &data) {
  for (const auto &[name, datum] : data) {
    if (datum.isTensor()) {
      ArrayRef<int64_t> shape = datum.tensor.shape();
      options.inputShapes.try_emplace(name, Shape(shape.begin(), shape.end()));
    }
  }
}

static bool isStatic(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return !tensor || tensor.hasStaticShape();
}

bool isStatic(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool isKnown = llvm::all_of(op->getResultTypes(), [](Type type) { return isStatic(type); });
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

// One thread: the tools run many models at once, or one that is compiled in
// milliseconds; a thread pool per context would cost more than it gives.
Session::Session() : mlirContext(MLIRContext::Threading::DISABLED), diagnostics(&mlirContext) {}

OwningOpRef<ModuleOp> Session::import(const import::Model &model,
                                      const import::ImportOptions &options) {
  return import::importModel(model, &mlirContext, options);
}

LogicalResult Session::compile(OwningOpRef<ModuleOp> module, const Target &target,
                               const TargetOptions &options) {
  auto function = module->lookupSymbol<func::FuncOp>("main");
  inputs.clear();
  results.clear();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    inputs.push_back(function.getArgAttrOfType<StringAttr>(i, "graph.name").str());
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    results.push_back(function.getResultAttrOfType<StringAttr>(i, "graph.name").str());
  }
  executable = target.compile(std::move(module), options);
  return success(executable != nullptr);
}

FailureOr<std::vector<Datum>> Session::run(const NamedData &data) {
  std::vector<Datum> arguments;
  for (const std::string &name : inputs) {
    auto it = data.find(name);
    if (it == data.end()) {
      diagnostics.addError("no data for input '" + name + "'; give it with --input " + name +
                           "=FILE");
      continue;
    }
    arguments.push_back(it->second);
  }
  return arguments.size() == inputs.size() ? executable->run(arguments)
                                           : FailureOr<std::vector<Datum>>(failure());
}

} // namespace convoy::driver
