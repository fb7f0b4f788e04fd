// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists problems as JSON. Keys without a value are left out.

#include "report/ProblemsJson.h"

namespace convoy::report {

llvm::json::Array warningsToJson(const Problems &problems) {
  llvm::json::Array texts;
  for (const Problem &problem : problems.all()) {
    if (!problem.isError()) {
      texts.push_back(llvm::json::fixUTF8(problem.text));
    }
  }
  return texts;
}

static llvm::json::Object toJson(const Problem &problem) {
  llvm::json::Object object{{"kind", nameOf(problem.kind)},
                            {"text", llvm::json::fixUTF8(problem.text)}};
  const std::pair<const char *, const std::string &> facts[] = {
      {"node", problem.node}, {"op", problem.op}, {"reproducer", problem.reproducer}};
  for (const auto &[key, value] : facts) {
    if (!value.empty()) {
      object[key] = llvm::json::fixUTF8(value);
    }
  }
  llvm::json::Array notes;
  for (const std::string &note : problem.notes) {
    notes.push_back(llvm::json::fixUTF8(note));
  }
  if (!notes.empty()) {
    object["notes"] = std::move(notes);
  }
  return object;
}

llvm::json::Array problemsToJson(const Problems &problems) {
  llvm::json::Array list;
  for (const Problem &problem : problems.all()) {
    list.push_back(toJson(problem));
  }
  return list;
}

} // namespace convoy::report
