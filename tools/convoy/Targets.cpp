// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets` and `convoy --help-stages`: where models run, and how they
// get there.

#include "Driver/Pages.h"
#include "Driver/ResolveTarget.h"
#include "JsonOutput.h"
#include "Verbs.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

bool isMachine(const driver::ResolvedTarget &target) {
  return target.kind == driver::TargetKind::Machine;
}

/// How code for the machine runs here, when not by itself.
std::string emulation(const targets::Target &machine) {
  bool isEmulated = !targets::whyNotHere(machine).empty() && driver::isRunnable(machine);
  return isEmulated ? "; here under " + machine.emulator.front() : "";
}

std::string describe(const driver::ResolvedTarget &target) {
  if (!isMachine(target)) {
    return target.summary;
  }
  const targets::Target &machine = target.machine;
  return target.summary + "; " + std::to_string(machine.vectorBytes * 8) + "-bit vectors, " +
         std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores") +
         emulation(machine);
}

void printText(llvm::raw_ostream &os) {
  os << llvm::left_justify("target", 14) << llvm::left_justify("verbs", 22) << "description\n";
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    llvm::StringRef verbs = !isMachine(target)                   ? "run, check"
                            : driver::isRunnable(target.machine) ? "compile, run, check"
                                                                 : "compile";
    os << llvm::left_justify(target.name, 14) << llvm::left_justify(verbs, 22) << describe(target)
       << "\n";
  }
}

void printJson(llvm::raw_ostream &os) {
  llvm::json::Array list;
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    if (!isMachine(target)) {
      list.push_back(llvm::json::Object{{"name", target.name}, {"summary", target.summary}});
      continue;
    }
    llvm::Expected<llvm::json::Value> description =
        llvm::json::parse(targets::toJson(target.machine));
    if (description) {
      list.push_back(std::move(*description));
    } else {
      llvm::consumeError(description.takeError());
    }
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(list))) << "\n";
}

} // namespace

ExitCode listTargets(const TargetsFlags &options, Console &console) {
  auto printPage = [&](llvm::raw_ostream &os) {
    if (options.isMarkdown) {
      os << driver::devicePage();
    } else {
      printText(os);
    }
  };
  return printResult(
      options.json, [](llvm::raw_ostream &os) { printJson(os); }, printPage, console);
}

ExitCode listStages(bool isMarkdown, Console &console) {
  console.out << driver::stageTable(isMarkdown);
  return kDone;
}

} // namespace convoy::tool
