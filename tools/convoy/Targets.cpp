// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets` and `convoy --help-stages`: where models run, and how they
// get there.

#include "Driver/Pages.h"
#include "Driver/ResolveTarget.h"
#include "Support/TextTable.h"
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
  TextTable table({{"target"}, {"verbs"}, {"description"}});
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    llvm::StringRef verbs = target.device                        ? "compile, run, check"
                            : !isMachine(target)                 ? "run, check"
                            : driver::isRunnable(target.machine) ? "compile, run, check"
                                                                 : "compile";
    table.add({target.name, verbs.str(), describe(target)});
  }
  table.print(os);
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

ExitCode listTargets(const TargetsOptions &options, Console &console) {
  if (options.isMarkdown) {
    console.out << driver::devicePage();
  } else if (options.isJson) {
    printJson(console.out);
  } else {
    printText(console.out);
  }
  return kDone;
}

ExitCode listStages(bool isMarkdown, Console &console) {
  console.out << driver::stageTable(isMarkdown);
  return kDone;
}

} // namespace convoy::tool
