// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets` and `convoy --help-stages`: where models run, and how they
// get there.

#include "Accelerators/Registry.h"
#include "MachineTarget.h"
#include "Operators.h"
#include "Pipeline/Pipeline.h"
#include "SourceTarget.h"
#include "Target.h"
#include "Targets/Target.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace convoy::driver {
namespace {

/// How code for the machine runs here, when not by itself.
std::string emulation(const targets::Target &target) {
  bool isEmulated = !targets::whyNotHere(target).empty() && isRunnable(target);
  return isEmulated ? "; here under " + target.emulator.front() : "";
}

/// Targets without a description of a machine.
std::vector<std::unique_ptr<Target>> interpretedOrSource() {
  std::vector<std::unique_ptr<Target>> list = sourceTargets();
  list.push_back(createReference());
  for (const std::string &name : accelerators::listTargets()) {
    if (llvm::Expected<std::unique_ptr<Target>> device = findTarget(name)) {
      list.push_back(std::move(*device));
    } else {
      llvm::consumeError(device.takeError()); // a target that is listed has no wrong parameter
    }
  }
  return list;
}

void printText(llvm::raw_ostream &os) {
  os << llvm::left_justify("target", 14) << llvm::left_justify("verbs", 22) << "description\n";
  for (const targets::Target &target : targets::listTargets()) {
    llvm::StringRef verbs = isRunnable(target) ? "compile, run, check" : "compile";
    os << llvm::left_justify(target.name, 14) << llvm::left_justify(verbs, 22) << target.summary
       << "; " << target.vectorBytes * 8 << "-bit vectors, " << target.cores
       << (target.cores == 1 ? " core" : " cores") << emulation(target) << "\n";
  }
  for (const std::unique_ptr<Target> &target : interpretedOrSource()) {
    os << llvm::left_justify(target->name(), 14) << llvm::left_justify("run, check", 22)
       << target->summary() << "\n";
  }
}

void printJson(llvm::raw_ostream &os) {
  llvm::json::Array list;
  for (const targets::Target &target : targets::listTargets()) {
    llvm::Expected<llvm::json::Value> description = llvm::json::parse(targets::toJson(target));
    if (description) {
      list.push_back(std::move(*description));
    } else {
      llvm::consumeError(description.takeError());
    }
  }
  for (const std::unique_ptr<Target> &target : interpretedOrSource()) {
    list.push_back(
        llvm::json::Object{{"name", target->name().str()}, {"summary", target->summary().str()}});
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(list))) << "\n";
}

/// "kernel height 7, stride along the height 4"
std::string limitsText(const accelerators::OpSupport &row) {
  std::vector<std::string> limits;
  for (const accelerators::Limit &limit : row.limits) {
    limits.push_back((accelerators::name(limit.quantity) + " " + llvm::Twine(limit.most)).str());
  }
  return llvm::join(limits, ", ");
}

void printDevice(llvm::raw_ostream &os, const accelerators::Accelerator &device) {
  os << "\n## " << device.name() << "\n\n"
     << device.summary() << ".\n\n"
     << "| op | element types | at most | remarks |\n|---|---|---|---|\n";
  for (const accelerators::OpSupport &row : device.capabilities().ops()) {
    std::vector<std::string> types;
    for (ElementType type : row.types) {
      types.push_back(name(type).str());
    }
    os << "| " << row.op << " | " << llvm::join(types, ", ") << " | " << limitsText(row) << " | "
       << row.note << " |\n";
  }
}

/// What becomes of each operator of the list by itself.
void printOperators(llvm::raw_ostream &os, const accelerators::Accelerator &device) {
  os << "\n| operator | runs on |\n|---|---|\n";
  for (llvm::StringRef name : operatorNames()) {
    llvm::Expected<OperatorVerdict> verdict = placeOperator(name, device);
    os << "| " << name << " | ";
    if (!verdict) {
      os << "fails: " << llvm::toString(verdict.takeError()) << " |\n";
      continue;
    }
    os << (verdict->isOnDevice ? "the device" : "the CPU")
       << (verdict->reason.empty() ? "" : ": " + verdict->reason) << " |\n";
  }
}

/// Ops are those of convcore; what is above a limit may still run, mapped to others.
void printMarkdown(llvm::raw_ostream &os) {
  os << "# What devices run\n\nOps are those of [convcore](convcore-ops.md), which graph ops are "
        "lowered to. A layer above a limit may still run: groups, dilations and large pools are "
        "said by other layers where those fit. `convoy explain` says what becomes of a model.\n\n"
        "The second table of a device is what becomes of models of one operator each, quantised "
        "for devices without floats, behind a convolution where they only move elements; an "
        "operator may "
        "fare better fused with its neighbours.\n";
  for (const std::string &target : accelerators::listTargets()) {
    if (llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
            accelerators::findAccelerator(target)) {
      printDevice(os, **device);
      printOperators(os, **device);
    } else {
      llvm::consumeError(device.takeError()); // a target that is listed has no wrong parameter
    }
  }
}

} // namespace

ExitCode listTargets(const TargetsOptions &options, Console &console) {
  if (options.isMarkdown) {
    printMarkdown(console.out);
  } else if (options.isJson) {
    printJson(console.out);
  } else {
    printText(console.out);
  }
  return kDone;
}

ExitCode listStages(bool isMarkdown, Console &console) {
  llvm::raw_ostream &os = console.out;
  if (isMarkdown) {
    os << "| stage | does | the reference runs its result |\n|---|---|---|\n";
  }
  for (const Stage &stage : stages()) {
    if (isMarkdown) {
      os << "| " << stage.name << " | " << stage.summary << " | "
         << (stage.isExecutable ? "yes" : "no") << " |\n";
    } else {
      os << llvm::left_justify(stage.name, 10) << stage.summary << "\n";
    }
  }
  return kDone;
}

} // namespace convoy::driver
