// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of `explain` and `inspect`.

#include "report/Explanations.h"
#include "Driver/NearestTemplate.h"
#include "report/DeviceLayers.h"
#include "report/GenericLoops.h"
#include "report/Placement.h"
#include "report/ProblemsJson.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::report {
namespace {

llvm::json::Object toJson(const driver::NodePlacement &node, llvm::StringRef device) {
  llvm::json::Object object{
      {"node", llvm::json::fixUTF8(node.node)}, {"op", node.op}, {"cpu_ns", node.cpuNs}};
  if (node.region >= 0) {
    llvm::json::Array others;
    for (const std::string &name : node.fusedWith) {
      others.push_back(llvm::json::fixUTF8(name));
    }
    object["where"] = device.str(); // the object outlives the explanation
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

llvm::json::Object toJson(const CompileReport &report, size_t index) {
  const KernelReport &kernel = report.kernels[index];
  const GenericLoops &loops = report.genericLoops;
  llvm::json::Array refusals;
  for (const TemplateRefusal &refusal : kernel.refusals) {
    refusals.push_back(
        llvm::json::Object{{"template", refusal.templateId}, {"reason", refusal.reason}});
  }
  return llvm::json::Object{
      {"layer", static_cast<int64_t>(index + 1)},
      {"kernel", kernel.kernel},
      {"nodes", llvm::json::fixUTF8(kernel.nodes)},
      {"template", kernel.templateId},
      {"config", kernel.config},
      {"operand_layouts", llvm::json::Array(kernel.operandLayouts)},
      {"result_layouts", llvm::json::Array(kernel.resultLayouts)},
      {"predicted_ns", kernel.predictedNs},
      {"share", shareOf(kernel.predictedNs, loops)},
      {"remark", llvm::json::fixUTF8(kernel.remark)},
      {"remedy", kernel.isGenericLoops() ? driver::remedyFor(kernel, report.target) : ""},
      {"refusals", std::move(refusals)}};
}

llvm::json::Object countsToJson(const driver::Counts &counts) {
  llvm::json::Object object;
  for (const auto &[name, count] : counts) {
    object[llvm::json::fixUTF8(name)] = count;
  }
  return object;
}

llvm::json::Array valuesToJson(const std::vector<driver::InspectedValue> &values) {
  llvm::json::Array array;
  for (const driver::InspectedValue &value : values) {
    array.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(value.name)},
                                       {"declared", llvm::json::fixUTF8(value.declared)},
                                       {"inferred", value.inferred}});
  }
  return array;
}

} // namespace

double shareOf(double ns, const GenericLoops &loops) {
  return loops.allPredictedNs > 0 ? ns / loops.allPredictedNs : 0;
}

llvm::json::Object explanationToJson(const std::string &model,
                                     const driver::Explanation &explanation,
                                     const Problems &problems) {
  llvm::json::Array nodes;
  for (const driver::NodePlacement &node : explanation.nodes) {
    nodes.push_back(toJson(node, explanation.placement.device));
  }
  return llvm::json::Object{{"model", llvm::json::fixUTF8(model)},
                            {"target", explanation.placement.device},
                            {"regions", explanation.placement.regions},
                            {"placement", placementToJson(explanation.placement)},
                            {"nodes", std::move(nodes)},
                            {"layers", layersToJson(explanation.layers)},
                            {"warnings", warningsToJson(problems)}};
}

llvm::json::Object kernelsToJson(const std::string &model, const CompileReport &report,
                                 const Problems &problems) {
  llvm::json::Array kernels;
  for (size_t index = 0; index < report.kernels.size(); ++index) {
    kernels.push_back(toJson(report, index));
  }
  return llvm::json::Object{{"model", llvm::json::fixUTF8(model)},
                            {"target", report.target},
                            {"kernels", std::move(kernels)},
                            {"generic_loops", loopsToJson(report.genericLoops)},
                            {"warnings", warningsToJson(problems)}};
}

llvm::json::Object inspectedToJson(const std::string &model, int64_t fileBytes,
                                   const driver::InspectedModel &facts) {
  return llvm::json::Object{{"model", llvm::json::fixUTF8(model)},
                            {"file_bytes", fileBytes},
                            {"ir_version", facts.irVersion},
                            {"producer", llvm::json::fixUTF8(facts.producer)},
                            {"opsets", countsToJson(facts.opsets)},
                            {"inputs", valuesToJson(facts.inputs)},
                            {"outputs", valuesToJson(facts.outputs)},
                            {"parameters", facts.parameters},
                            {"weight_bytes", facts.weightBytes},
                            {"nodes", facts.nodes},
                            {"nodes_by_op", countsToJson(facts.nodesByOp)},
                            {"graph_ops", countsToJson(facts.graphOps)}};
}

} // namespace convoy::report
