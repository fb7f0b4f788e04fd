// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy explain`: where each node of a model runs, with what it is fused, or why it
// stays on the CPU.

#include "Driver/ExplainModel.h"
#include "Request.h"
#include "Verbs.h"
#include "report/DeviceLayers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

std::string microseconds(double nanoseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f us", nanoseconds / 1000);
  return text;
}

void printNode(llvm::raw_ostream &os, const driver::NodePlacement &node, llvm::StringRef device) {
  os << node.node << ": ";
  if (node.region < 0) {
    os << "CPU: " << node.reason << (node.remedy.empty() ? "" : "; " + node.remedy)
       << (node.steps > 1 ? "; " + std::to_string(node.steps) + " steps" : "") << "\n";
    return;
  }
  os << device << ", region " << node.region
     << (node.fusedWith.empty() ? "" : ", with " + llvm::join(node.fusedWith, ", ")) << "; "
     << microseconds(node.cpuNs) << " -> " << microseconds(node.deviceNs) << "\n";
}

void printText(llvm::raw_ostream &os, const driver::Explanation &explanation) {
  double cpuNs = 0, deviceNs = 0;
  size_t placed = 0;
  for (const driver::NodePlacement &node : explanation.nodes) {
    printNode(os, node, explanation.device);
    if (node.region >= 0) {
      cpuNs += node.cpuNs;
      deviceNs += node.deviceNs;
      ++placed;
    }
  }
  os << placed << " of " << explanation.ops << " ops in " << explanation.regions
     << (explanation.regions == 1 ? " region" : " regions") << " on " << explanation.device
     << "; estimated " << microseconds(cpuNs) << " on one core, " << microseconds(deviceNs)
     << " there\n";
  if (!explanation.layers.empty()) {
    report::printLayers(os << "\n", explanation.layers);
  }
}

llvm::json::Object toJson(const driver::NodePlacement &node, llvm::StringRef device) {
  llvm::json::Object object{
      {"node", llvm::json::fixUTF8(node.node)}, {"op", node.op}, {"cpu_ns", node.cpuNs}};
  if (node.region >= 0) {
    llvm::json::Array others;
    for (const std::string &name : node.fusedWith) {
      others.push_back(llvm::json::fixUTF8(name));
    }
    object["where"] = device;
    object["region"] = node.region;
    object["fused_with"] = std::move(others);
    object["device_ns"] = node.deviceNs;
    return object;
  }
  object["where"] = "cpu";
  if (node.isComposite) {
    object["steps"] = node.steps;
  }
  object["reason"] = llvm::json::fixUTF8(node.reason);
  object["remedy"] = node.remedy;
  if (node.limit) {
    object["limit"] = node.limit->quantity;
    object["actual"] = node.limit->actual;
    object["most"] = node.limit->most;
  }
  return object;
}

void printJson(llvm::raw_ostream &os, const std::string &model,
               const driver::Explanation &explanation) {
  llvm::json::Array nodes;
  for (const driver::NodePlacement &node : explanation.nodes) {
    nodes.push_back(toJson(node, explanation.device));
  }
  llvm::json::Object object{{"model", llvm::json::fixUTF8(model)},
                            {"target", explanation.device},
                            {"regions", explanation.regions},
                            {"nodes", std::move(nodes)},
                            {"layers", report::layersToJson(explanation.layers)}};
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}

} // namespace

ExitCode explain(const ExplainOptions &options, Console &console) {
  Problems problems;
  refuseCpuFlags(options.build, "explain", "not what runs on the device", problems);
  std::optional<Request> request;
  if (!problems.hasErrors()) {
    request = readRequest(options.build, Emit::Library, problems);
  }
  if (!request || problems.hasErrors()) {
    return fail(problems, console);
  }
  Result<driver::Explanation> explanation = driver::explainModel(request->model, request->compile);
  problems.append(explanation.problems());
  if (!explanation) {
    return fail(problems, console);
  }
  print(console.err, problems);
  options.isJson ? printJson(console.out, request->model.name(), *explanation)
                 : printText(console.out, *explanation);
  return kDone;
}

} // namespace convoy::tool
