// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets` lists the targets or describes one; `convoy --help-stages` lists the
// stages of a compile.

#include "Driver/AddProblem.h"
#include "Driver/Pages.h"
#include "Driver/ResolveTarget.h"
#include "Support/TextTable.h"
#include "io/UserConfig.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

void printList(llvm::raw_ostream &os) {
  TextTable table({{"target"}, {"verbs"}, {"description"}});
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    driver::TargetDescription description = target.backend->describe(target);
    table.add({target.name, llvm::join(description.verbs, ", "), description.summary});
  }
  table.print(os);
}

/// Prints the description of each machine in the format of a .json file for --target.
void printListJson(llvm::raw_ostream &os) {
  llvm::json::Array list;
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    driver::TargetDescription description = target.backend->describe(target);
    const llvm::json::Value *file = description.json.get("description");
    list.push_back(file ? *file
                        : llvm::json::Object{{"name", target.name}, {"summary", target.summary}});
  }
  printJson(os, std::move(list));
}

void printOne(llvm::raw_ostream &os, const driver::ResolvedTarget &target) {
  driver::TargetDescription description = target.backend->describe(target);
  TextTable table({{"target"}, {target.requested}});
  table.add({"kind", target.backend->facts.kind.str()});
  table.add({"description", target.summary});
  table.add({"verbs", llvm::join(description.verbs, ", ")});
  for (const auto &[name, text] : description.properties) {
    table.add({name, text});
  }
  table.print(os);
}

/// Returns what `convoy compile` writes if no flag names the output; null if it writes nothing.
llvm::json::Value outputOf(const driver::ResolvedTarget &target) {
  switch (target.backend->facts.emit) {
  case Emit::Library:
    return "library";
  case Emit::Source:
    return "c";
  case Emit::Program:
    return "program";
  case Emit::Memory:
    return nullptr;
  }
  llvm_unreachable("unknown output");
}

void printOneJson(llvm::raw_ostream &os, const driver::ResolvedTarget &target) {
  driver::TargetDescription description = target.backend->describe(target);
  llvm::json::Object object = std::move(description.json);
  object["name"] = target.requested;
  object["kind"] = target.backend->facts.kind;
  object["summary"] = target.summary;
  object["verbs"] = llvm::json::Array(description.verbs);
  object["output"] = outputOf(target);
  printJson(os, std::move(object));
}

ExitCode describeTarget(const TargetsFlags &options, Console &console) {
  TargetRequest request;
  // This verb prints commands and runs none.
  request.name = io::permittedTarget(options.name, /*allowsToolchain=*/true);
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request, /*isForMemory=*/true);
  if (!target) {
    Problems problems;
    addError(problems, target.takeError());
    return fail(problems, console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printOneJson(os, *target); },
      [&](llvm::raw_ostream &os) { printOne(os, *target); }, console);
}

} // namespace

ExitCode listTargets(const TargetsFlags &options, Console &console) {
  if (!options.name.empty()) {
    return describeTarget(options, console);
  }
  auto printPage = [&](llvm::raw_ostream &os) {
    if (options.isMarkdown) {
      os << driver::devicePage();
    } else {
      printList(os);
    }
  };
  return printResult(
      options.json, [](llvm::raw_ostream &os) { printListJson(os); }, printPage, console);
}

ExitCode listStages(bool isMarkdown, Console &console) {
  console.out << driver::stageTable(isMarkdown);
  return kDone;
}

} // namespace convoy::tool
