// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the importer's tables of ops, and places an op on each device.

#include "Driver/ListOps.h"
#include "Accelerators/Registry.h"
#include "Driver/Operators.h"
#include "Import/OpTable.h"
#include "Import/OpVersions.h"
#include "Import/UnsupportedOps.h"
#include "Support/NearestName.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::driver {
namespace {

using llvm::StringRef;

// More suggestions are a list to search in, which `convoy ops` prints.
constexpr size_t kMostSuggestions = 5;

constexpr llvm::StringLiteral kCpuTypes =
    "bool, integers and floats; no strings, complex numbers, sequences and optionals";

std::string versionsText(const import::OpRow &row) {
  const import::OpVersions *versions = import::findOpVersions(row.domain, row.name);
  if (!versions) {
    return "?";
  }
  std::string text;
  for (char c : versions->since) {
    text += c == ' ' ? ", " : std::string(1, c);
  }
  return versions->removed ? text + ", removed in " + std::to_string(versions->removed) : text;
}

/// Returns whether the host runs an op. A limit that begins with "host:" restricts it.
std::string hostText(const import::OpRow &row) {
  return row.limits.starts_with("host:") ? "partly" : row.runsOnCpu ? "yes" : "no";
}

OpSummary summaryOf(const import::OpRow &row) {
  OpSummary op;
  op.domain = row.domain.str();
  op.name = row.name.str();
  op.opsets = versionsText(row);
  op.host = hostText(row);
  op.limits = row.limits.str();
  return op;
}

/// Returns whether `name` is an op's name or full name, in any case of letters.
bool isNamed(StringRef name, StringRef domain, StringRef op) {
  return op.equals_insensitive(name) ||
         StringRef(import::qualifiedName(domain, op)).equals_insensitive(name);
}

/// Returns the element types that the ops of a device have: "uint8, int8".
std::string deviceTypes(const accelerators::Accelerator &device) {
  llvm::SetVector<StringRef> types;
  for (const accelerators::OpSupport &row : device.capabilities().ops()) {
    for (ElementType type : row.types) {
      types.insert(name(type));
    }
  }
  return llvm::join(types, ", ");
}

/// Places the models of the op on a device. The first model that the device runs decides.
OpOnTarget onDevice(const OpSummary &op, const accelerators::Accelerator &device) {
  OpOnTarget result{device.name().str(), "depends",
                    ("`convoy explain MODEL --target=" + device.name() + "` places the op").str()};
  for (StringRef model : operatorNames()) {
    if (!op.domain.empty() || onnxOpOf(model) != op.name || result.runs == "yes") {
      continue;
    }
    llvm::Expected<OperatorVerdict> verdict = placeOperator(model, device);
    if (!verdict) {
      result.remarks = llvm::toString(verdict.takeError());
      continue;
    }
    result.runs = verdict->isOnDevice ? "yes" : "no";
    result.remarks = verdict->isOnDevice
                         ? deviceTypes(device) + "; limits: `convoy targets --markdown`"
                         : "the CPU beside the device runs it: " + verdict->reason;
  }
  return result;
}

std::vector<OpOnTarget> targetsOf(const OpSummary &op) {
  bool isOnCpu = op.host != "no";
  std::string remarks =
      isOnCpu ? kCpuTypes.str() : "only the reference interpreter runs it: use --target=reference";
  std::vector<OpOnTarget> targets = {{"reference", "yes", "all element types that ONNX allows"},
                                     {"host", op.host, remarks},
                                     {"C", op.host, isOnCpu ? "as host" : remarks},
                                     {"microcontrollers", op.host, isOnCpu ? "as host" : remarks}};
  for (const std::string &name : accelerators::listTargets()) {
    llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
        accelerators::findAccelerator(name);
    if (device) {
      targets.push_back(onDevice(op, **device));
    } else {
      llvm::consumeError(device.takeError()); // a target that is listed has no wrong parameter
    }
  }
  return targets;
}

} // namespace

int newestOpset() { return import::kNewestOpset; }

std::vector<OpSummary> listOps() {
  std::vector<OpSummary> list;
  for (const import::OpRow *row : import::allOps()) {
    list.push_back(summaryOf(*row));
  }
  return list;
}

std::vector<OpDescription> describeOps(StringRef name) {
  std::vector<OpDescription> list;
  for (const import::OpRow *row : import::allOps()) {
    if (isNamed(name, row->domain, row->name)) {
      OpDescription &description = list.emplace_back();
      description.op = summaryOf(*row);
      description.targets = targetsOf(description.op);
    }
  }
  for (const import::UnsupportedOp &row : import::unsupportedOps()) {
    if (isNamed(name, row.domain, row.name)) {
      OpDescription &description = list.emplace_back();
      description.op.domain = row.domain.str();
      description.op.name = row.name.str();
      description.isSupported = false;
      description.nearest = row.nearest.str();
      description.remedy = row.remedy.str();
    }
  }
  return list;
}

std::vector<std::string> similarOps(StringRef name) {
  StringRef typed = name.substr(name.rfind('.') + 1);
  std::vector<std::string> names;
  for (const import::OpRow *row : import::allOps()) {
    names.push_back(row->name.str());
  }
  std::string nearest = nearestName(typed, names);
  std::vector<std::string> similar;
  auto insert = [&](auto isSimilar) {
    for (const import::OpRow *row : import::allOps()) {
      std::string full = import::qualifiedName(row->domain, row->name);
      bool isNew = similar.size() < kMostSuggestions && !llvm::is_contained(similar, full);
      if (isNew && isSimilar(StringRef(row->name))) {
        similar.push_back(full);
      }
    }
  };
  insert([&](StringRef op) { return op == nearest; });
  if (typed.size() > 2) { // two letters are in too many names
    insert([&](StringRef op) { return op.contains_insensitive(typed); });
  }
  return similar;
}

} // namespace convoy::driver
