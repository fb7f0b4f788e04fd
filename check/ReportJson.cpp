// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of the report of a check.

#include "check/ReportJson.h"
#include "report/Built.h"
#include "report/ProblemsJson.h"

namespace convoy::check {
namespace {

llvm::json::Array builtJson(const CheckReport &report) {
  llvm::json::Array list;
  for (const CompileReport &summary : report.built) {
    list.push_back(report::builtToJson(summary));
  }
  return list;
}

llvm::json::Array comparisonsJson(const CheckReport &report) {
  llvm::json::Array list;
  for (const Comparison &c : report.comparisons) {
    list.push_back(llvm::json::Object{{"target", c.target},
                                      {"case", llvm::json::fixUTF8(c.caseName)},
                                      {"output", llvm::json::fixUTF8(c.output)},
                                      {"rule", c.rule},
                                      {"right", c.verdict.isRight},
                                      {"measured", llvm::json::fixUTF8(c.verdict.text)}});
  }
  return list;
}

llvm::json::Array layersJson(const CheckReport &report) {
  llvm::json::Array rows;
  for (const LayerError &layer : report.layers) {
    rows.push_back(llvm::json::Object{{"node", llvm::json::fixUTF8(layer.node)},
                                      {"elements", layer.elements},
                                      {"differing", layer.differing},
                                      {"max_steps", layer.maxSteps}});
  }
  return rows;
}

llvm::json::Array findingsJson(const CheckReport &report) {
  llvm::json::Array list;
  for (const Finding &finding : report.findings) {
    const Fault &fault = finding.fault;
    list.push_back(llvm::json::Object{{"target", finding.target},
                                      {"case", llvm::json::fixUTF8(finding.caseName)},
                                      {"op", llvm::json::fixUTF8(fault.op)},
                                      {"pass", fault.pass},
                                      {"measured", llvm::json::fixUTF8(fault.measured)},
                                      {"note", fault.note}});
  }
  return list;
}

} // namespace

llvm::StringRef baselineOf(bool isGolden) { return isGolden ? "the golden data" : "the reference"; }

llvm::json::Object toJson(const CheckReport &report, llvm::StringRef model, bool isGolden,
                          bool hasLayers) {
  bool isPassed = report.wrongCount() == 0 && !report.problems.hasErrors();
  llvm::json::Object object{
      {"model", llvm::json::fixUTF8(model)}, {"passed", isPassed},
      {"baseline", baselineOf(isGolden)},    {"built", builtJson(report)},
      {"outputs", comparisonsJson(report)},  {"warnings", report::warningsToJson(report.problems)}};
  if (hasLayers) {
    object["layers"] = layersJson(report);
  }
  if (!report.findings.empty()) {
    object["first_wrong"] = findingsJson(report);
  }
  return object;
}

} // namespace convoy::check
