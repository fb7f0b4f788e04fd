// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a whole network showed about records. A kernel that is the fastest alone may not
// be so between others: after a search the network is timed as compiled by default and
// by the records, and what did not win is passed over when that network is compiled.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace convoy::tuning {

/// What a compile of the network does not take.
struct PassedOver {
  std::string task; // hash
  /// One configuration; nothing: all, so that the task's kernels stay as the compiler would
  /// choose them.
  std::optional<Configuration> configuration;

  friend bool operator==(const PassedOver &a, const PassedOver &b) {
    return a.task == b.task && a.configuration == b.configuration;
  }
};

/// One network before and after, timed one after the other.
struct PairedSample {
  int64_t beforeNs = 0, afterNs = 0;
};

struct Verdict {
  std::string id;        // unique in the world: newTrialId()
  std::string network;   // networkKey
  std::string target;    // fingerprint
  std::string templates; // templatesText of the compiler that was asked
  std::string policy;
  /// The records lose to the default as a whole: none of them is taken.
  bool keepsDefault = false;
  std::vector<PassedOver> passedOver;
  std::vector<PairedSample> samples;
  std::string compiler;
  int64_t unixUs = 0;

  /// Whether a configuration of a task is not taken.
  bool passesOver(llvm::StringRef task, const Configuration &configuration) const;
};

/// Names a network by its kernels: SHA-256 of the hashes of their tasks with how often
/// each occurs.
std::string networkKey(const std::map<std::string, int64_t> &taskCounts);

/// "conv_direct 1, loops 1, ...": a verdict is about the code of these.
std::string templatesText(const std::map<std::string, int> &versions);

/// Without a line end; keys in alphabetic order, so equal verdicts are equal text.
std::string toJsonLine(const Verdict &verdict);
llvm::Expected<Verdict> verdictFromJson(const llvm::json::Object &object);

/// "[[task], [task, template, version, configuration, input, output], ...]".
std::string passedOverToJson(llvm::ArrayRef<PassedOver> list);
llvm::Expected<std::vector<PassedOver>> passedOverFromJson(llvm::StringRef text);
/// "[[beforeNs, afterNs], ...]".
std::string pairsToJson(llvm::ArrayRef<PairedSample> samples);
llvm::Expected<std::vector<PairedSample>> pairsFromJson(llvm::StringRef text);

/// What a verdict must hold to be stored; the error names it and the field.
llvm::Error checkVerdict(const Verdict &verdict);

} // namespace convoy::tuning
