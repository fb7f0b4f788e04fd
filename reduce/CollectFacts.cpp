// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a copy of the model whose outputs are all values, and sends the types and the constants
// of @main through a pipe, as a GraphProto.

#include "reduce/CollectFacts.h"
#include "Driver/ImportRequested.h"
#include "Driver/RequestOptions.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Pipeline/RunStages.h"
#include "QuantizePlan/Initializers.h"
#include "convoy/model.h"
#include "io/ChildProcess.h"
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace mlir;

namespace convoy::reduce {
namespace {

// The importer accepts at most 4096 outputs.
constexpr size_t kMaxOutputs = 4000;
// The first constants of a model, up to this size together. The node of a further constant stays.
constexpr int64_t kMaxConstantBytes = int64_t(256) << 20;
// Limit for an importer that does not end.
constexpr rlim_t kMaxCpuSeconds = 600;

/// Returns the model with these values as its only outputs.
onnx::ModelProto withOutputs(const onnx::ModelProto &model, ArrayRef<std::string> names) {
  onnx::ModelProto copy = model;
  copy.mutable_graph()->clear_output();
  for (const std::string &name : names) {
    copy.mutable_graph()->add_output()->set_name(name);
  }
  return copy;
}

std::vector<std::string> computedValues(const onnx::GraphProto &graph) {
  std::vector<std::string> names;
  for (const onnx::NodeProto &node : graph.node()) {
    llvm::copy_if(node.output(), std::back_inserter(names),
                  [](const std::string &name) { return !name.empty(); });
  }
  return names;
}

/// Adds a tensor type. Other types are left out.
void addType(llvm::StringRef name, Type type, onnx::GraphProto &facts) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || fromMlir(tensor.getElementType()) == ElementType::Undefined) {
    return;
  }
  onnx::ValueInfoProto &value = *facts.add_value_info();
  value.set_name(name.str());
  onnx::TypeProto::Tensor &proto = *value.mutable_type()->mutable_tensor_type();
  proto.set_elem_type(static_cast<int32_t>(fromMlir(tensor.getElementType())));
  if (tensor.hasRank()) {
    proto.mutable_shape();
    for (int64_t size : tensor.getShape()) {
      auto *dim = proto.mutable_shape()->add_dim();
      if (size >= 0) {
        dim->set_dim_value(size);
      }
    }
  }
}

void addFacts(func::FuncOp main, onnx::GraphProto &facts) {
  std::vector<std::string> arguments = driver::argumentNames(main);
  for (auto [name, type] : llvm::zip(arguments, main.getArgumentTypes())) {
    addType(name, type, facts);
  }
  Operation *end = main.getBody().front().getTerminator();
  std::vector<std::string> results = driver::resultNames(main);
  int64_t bytes = 0;
  for (auto [name, value] : llvm::zip(results, end->getOperands())) {
    addType(name, value.getType(), facts);
    std::optional<Tensor> constant = graph::constantValue(value);
    bool isPlain = constant && bitWidth(constant->type()) >= 8 &&
                   constant->type() != ElementType::String &&
                   bytes + constant->bytes() <= kMaxConstantBytes;
    if (isPlain) {
      bytes += constant->bytes();
      *facts.add_initializer() = plan::encode(name, *constant);
    }
  }
}

/// Imports the model for a target. Without the stage "graph", there are fewer facts.
LogicalResult importFor(const onnx::ModelProto &model, const InputPins &pins,
                        llvm::StringRef targetName, bool runsGraph, onnx::GraphProto &facts) {
  CompileRequest request;
  request.inputs = pins;
  request.target.name = targetName.str();
  request.output.emit = Emit::Memory;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request.target, /*isForMemory=*/true);
  if (!target) {
    llvm::consumeError(target.takeError());
    return failure();
  }
  Model loaded(std::make_shared<import::Model>(
      import::Model{std::make_shared<onnx::ModelProto>(model), "", "facts"}));
  driver::CompileContext context;
  OwningOpRef<ModuleOp> module = driver::importRequested(loaded, request, *target, context);
  if (!module) {
    return failure();
  }
  if (runsGraph) {
    llvm::Expected<StageOptions> options = driver::stageOptionsFor(request, *target, loaded.name());
    if (!options) {
      llvm::consumeError(options.takeError());
      return failure();
    }
    if (failed(runStages(*module, *options, "", "graph"))) {
      return failure();
    }
  }
  addFacts(driver::mainOf(*module), facts);
  return success();
}

/// Runs the importer in a child process. Returns nothing if the importer fails or crashes.
std::optional<onnx::GraphProto> importInChild(const onnx::ModelProto &model, const InputPins &pins,
                                              llvm::StringRef target, bool runsGraph) {
  auto work = [&](int results) {
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
      std::signal(number, SIG_DFL);
    }
    rlimit limit{kMaxCpuSeconds, kMaxCpuSeconds};
    setrlimit(RLIMIT_CPU, &limit);
    limit = {0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    onnx::GraphProto facts;
    if (succeeded(importFor(model, pins, target, runsGraph, facts))) {
      io::writeToPipe(results, facts.SerializeAsString());
    }
  };
  std::optional<io::ChildProcess> child = io::ChildProcess::start(work);
  if (!child) {
    return std::nullopt;
  }
  std::string text;
  while (child->readMore(text)) {
  }
  onnx::GraphProto facts;
  bool isDone = child->wait() == 0 && !text.empty() && facts.ParseFromString(text);
  return isDone ? std::optional(std::move(facts)) : std::nullopt;
}

void merge(const onnx::GraphProto &found, ValueFacts &facts) {
  for (const onnx::ValueInfoProto &value : found.value_info()) {
    facts[value.name()].type = value.type();
  }
  for (const onnx::TensorProto &tensor : found.initializer()) {
    facts[tensor.name()].constant = tensor;
  }
}

/// Adds the types that the model itself declares.
void addDeclared(const onnx::GraphProto &graph, ValueFacts &facts) {
  for (const auto *values : {&graph.value_info(), &graph.output()}) {
    for (const onnx::ValueInfoProto &value : *values) {
      if (value.type().has_tensor_type()) {
        facts[value.name()].type = value.type();
      }
    }
  }
}

/// Imports all values of the model. Returns false if the importer fails.
bool importValues(const onnx::ModelProto &model, const InputPins &pins, ValueFacts &facts) {
  std::vector<std::string> names = computedValues(model.graph());
  bool isComplete = true;
  for (size_t begin = 0; begin < names.size(); begin += kMaxOutputs) {
    onnx::ModelProto probed =
        withOutputs(model, ArrayRef(names).slice(begin).take_front(kMaxOutputs));
    // The reference accepts values that compiled code does not have, such as open sizes.
    std::optional<onnx::GraphProto> found;
    for (auto [target, runsGraph] :
         {std::pair("host", true), std::pair("host", false), std::pair("reference", false)}) {
      found = found ? std::move(found) : importInChild(probed, pins, target, runsGraph);
    }
    if (found) {
      merge(*found, facts);
    }
    isComplete &= found.has_value();
  }
  return isComplete;
}

} // namespace

ValueFacts collectFacts(const onnx::ModelProto &model, const InputPins &pins) {
  ValueFacts facts;
  addDeclared(model.graph(), facts);
  if (importValues(model, pins, facts)) {
    return facts;
  }
  // Finds the longest prefix of the nodes that can be imported.
  int possible = 0, impossible = model.graph().node_size();
  while (impossible - possible > 1) {
    int middle = possible + (impossible - possible) / 2;
    onnx::ModelProto prefix = model;
    prefix.mutable_graph()->mutable_node()->DeleteSubrange(middle,
                                                           model.graph().node_size() - middle);
    (importValues(prefix, pins, facts) ? possible : impossible) = middle;
  }
  return facts;
}

} // namespace convoy::reduce
