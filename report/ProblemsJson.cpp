// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists problems as JSON. Keys without a value are left out.

#include "report/ProblemsJson.h"
#include "Support/GroupProblems.h"

namespace convoy::report {

llvm::json::Array warningsToJson(const Problems &problems) {
  llvm::json::Array texts;
  for (const ProblemGroup &group : groupProblems(problems)) {
    if (!group.problem.isError()) {
      texts.push_back(llvm::json::fixUTF8(group.problem.text));
    }
  }
  return texts;
}

static llvm::json::Array toJson(const std::vector<std::string> &texts) {
  llvm::json::Array list;
  for (const std::string &text : texts) {
    list.push_back(llvm::json::fixUTF8(text));
  }
  return list;
}

static llvm::json::Object toJson(const ProblemGroup &group) {
  const Problem &problem = group.problem;
  llvm::json::Object object{{"kind", nameOf(problem.kind)},
                            {"text", llvm::json::fixUTF8(problem.text)}};
  const std::pair<const char *, const std::string &> facts[] = {
      {"node", problem.node}, {"op", problem.op}, {"reproducer", problem.reproducer}};
  for (const auto &[key, value] : facts) {
    if (!value.empty()) {
      object[key] = llvm::json::fixUTF8(value);
    }
  }
  if (!group.nodes.empty()) {
    object["count"] = static_cast<int64_t>(group.nodes.size());
    object["nodes"] = toJson(group.nodes);
  }
  if (!problem.notes.empty()) {
    object["notes"] = toJson(problem.notes);
  }
  return object;
}

llvm::json::Array problemsToJson(const Problems &problems) {
  llvm::json::Array list;
  for (const ProblemGroup &group : groupProblems(problems)) {
    list.push_back(toJson(group));
  }
  return list;
}

} // namespace convoy::report
