// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the whole network before and after tuning. A kernel that is fastest in isolation can be
// slower inside the network, so the network is compiled both ways and timed alternately. If the
// measurer counts instructions, a time is one instruction per nanosecond, and one run is enough.
// Configurations that do not win inside the network are rejected.

#pragma once

#include "Targets/Target.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "timing/Statistics.h"
#include "tuning/network/BuildNetwork.h"
#include "tuning/records/Snapshot.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// The result of timing the whole network.
struct NetworkResult {
  bool isChanged = false; // false: the records select the defaults, and nothing was timed
  double beforeMs = 0;    // medians; 1e6 instructions if the measurer counts
  double afterMs = 0;     // with the records, even if they are slower
  /// By the target's table of instructions; 0: not known.
  int64_t beforeCycles = 0, afterCycles = 0;
  timing::Estimate ratio; // after / before
  size_t pairs = 0;       // of samples
  int tries = 0;          // number of other compositions that were timed
  Verdict verdict;        // as it was stored
};

class TunedNetwork {
public:
  /// `records` is the file from which compositions are taken.
  TunedNetwork(const Model &model, const CompileRequest &request, std::string records,
               const ModelTasks &tasks, std::string folder, Measurer &measurer, Policy policy);

  /// Compiles the network with the default configurations and measures it.
  llvm::Error prepare();
  /// Returns the approximate time of one inference with the default configurations.
  double defaultSeconds() const { return seconds; }

  /// Compiles the network with the records, tries other configurations for the heaviest tasks
  /// until the deadline, then times the best composition against the default and stores the
  /// verdict. The deadline is in seconds of std::chrono::steady_clock, minus the seconds that the
  /// measurer waited.
  llvm::Expected<NetworkResult> settle(RecordStore &store, double deadline);

private:
  using Pairs = std::vector<PairedSample>;
  using Composition = std::vector<PassedOver>;

  llvm::Expected<NetworkCode> build(const std::string &name, const Composition *composition) const;
  /// Takes up to `wanted` pairs of samples, fewer if the deadline passes.
  llvm::Expected<Pairs> compare(const NetworkCode &before, const NetworkCode &after, size_t wanted);
  llvm::Error improve(const Snapshot &snapshot);
  /// Returns a composition with only the tasks whose best record beats the compiler's choice by
  /// more than `margin`.
  Composition clearWins(const Snapshot &snapshot, double margin) const;
  /// Returns compositions with another configuration for one task.
  std::vector<Composition> alternatives(const Snapshot &snapshot, const std::string &task) const;
  llvm::Error consider(Composition composition);
  std::vector<std::string> heaviestTasks(const Snapshot &snapshot) const;
  Verdict verdictOf(const Pairs &pairs) const;
  void remove(const NetworkCode &built) const;
  /// Returns the current time of the deadline's clock.
  double clock() const;
  bool isCounted() const { return policy == Policy::Instructions; }

  const Model &model;
  const CompileRequest &request;
  std::string records;
  const ModelTasks &tasks;
  std::string folder;
  Measurer &measurer;
  Policy policy; // of the records
  targets::Target target;
  int threads = 1;
  double seconds = 0;
  double deadline = 0;
  NetworkCode byDefault;
  std::optional<NetworkCode> incumbent; // nothing: the default is the best so far
  Composition composition;              // of the incumbent, if any
  NetworkResult result;
  int builds = 0;
};

} // namespace convoy::tuning
