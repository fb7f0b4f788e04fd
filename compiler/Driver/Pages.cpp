// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the capabilities of the devices and places each operator on each device.

#include "Driver/Pages.h"
#include "Accelerators/Registry.h"
#include "Driver/Operators.h"
#include "Pipeline/Pipeline.h"
#include "Support/TextTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::driver {
namespace {

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

/// Places each operator alone and adds the result to the page.
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

} // namespace

std::string devicePage() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "# What devices run\n\nThe compiler lowers graph ops to [convcore](convcore-ops.md) ops; "
        "the first table of a device lists the convcore ops that it supports. A layer above a "
        "limit can still run: rewrites split groups, dilations and large pools into layers within "
        "the limits. `convoy explain` shows the placement of a model.\n\n"
        "The second table of a device shows the placement of models of one operator each. The "
        "models are quantized for devices without floats. An operator that only moves elements "
        "follows a convolution. An operator on the CPU can run on the device if the compiler fuses "
        "it with its neighbors.\n";
  for (const std::string &target : accelerators::listTargets()) {
    if (llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
            accelerators::findAccelerator(target)) {
      printDevice(os, **device);
      printOperators(os, **device);
    } else {
      llvm::consumeError(device.takeError()); // a target that is listed has no wrong parameter
    }
  }
  return text;
}

std::vector<std::string> stageNames() {
  std::vector<std::string> names;
  for (const Stage &stage : stages()) {
    names.push_back(stage.name.str());
  }
  return names;
}

std::string stageTable(bool isMarkdown) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TextTable table({{""}, {""}});
  if (isMarkdown) {
    os << "| stage | does | the reference runs its result |\n|---|---|---|\n";
  }
  for (const Stage &stage : stages()) {
    if (isMarkdown) {
      os << "| " << stage.name << " | " << stage.summary << " | "
         << (stage.isExecutable ? "yes" : "no") << " |\n";
    } else {
      table.add({stage.name.str(), stage.summary.str()});
    }
  }
  table.print(os);
  return text;
}

} // namespace convoy::driver
