// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of comparing a whole network with and without records. The fastest kernel in
// isolation may not be the fastest inside a network. After a search, the tuner times the
// network as compiled by default and with the records. A compilation of this network then
// ignores the configurations that were not faster.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace convoy::tuning {

/// A configuration that a compilation of the network ignores.
struct PassedOver {
  std::string task; // hash
  /// One configuration. Nothing: all configurations of the task, so that the compiler chooses
  /// its default.
  std::optional<Configuration> configuration;

  friend bool operator==(const PassedOver &a, const PassedOver &b) {
    return a.task == b.task && a.configuration == b.configuration;
  }
};

/// The times of a network before and after, measured one after the other.
struct PairedSample {
  int64_t beforeNs = 0, afterNs = 0;
};

struct Verdict {
  std::string id;        // globally unique: newTrialId()
  std::string network;   // networkKey
  std::string target;    // fingerprint
  std::string templates; // templatesText() of the compiler
  std::string policy;
  /// Whether the records are slower than the default as a whole, so that a compilation uses
  /// none.
  bool keepsDefault = false;
  std::vector<PassedOver> passedOver;
  std::vector<PairedSample> samples;
  std::string compiler;
  int64_t unixUs = 0;

  /// Returns whether a compilation ignores a configuration of a task.
  bool passesOver(llvm::StringRef task, const Configuration &configuration) const;
};

/// Returns the key of a network: the SHA-256 of the hashes of its tasks and the number of
/// kernels of each.
std::string networkKey(const std::map<std::string, int64_t> &taskCounts);

/// Returns the versions of the templates, "conv_direct 1, loops 1, ...". A verdict applies
/// only to these versions.
std::string templatesText(const std::map<std::string, int> &versions);

/// Formats a verdict without a line end. Keys are sorted, so equal verdicts have equal text.
std::string toJsonLine(const Verdict &verdict);
llvm::Expected<Verdict> verdictFromJson(const llvm::json::Object &object);

/// Formats a list as "[[task], [task, template, version, configuration, input, output], ...]".
std::string passedOverToJson(llvm::ArrayRef<PassedOver> list);
llvm::Expected<std::vector<PassedOver>> passedOverFromJson(llvm::StringRef text);
/// Formats samples as "[[beforeNs, afterNs], ...]".
std::string pairsToJson(llvm::ArrayRef<PairedSample> samples);
llvm::Expected<std::vector<PairedSample>> pairsFromJson(llvm::StringRef text);

/// Checks that a verdict can be stored. The error names the verdict and the field.
llvm::Error checkVerdict(const Verdict &verdict);

} // namespace convoy::tuning
