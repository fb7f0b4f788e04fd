// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole network before and after tuning. Kernels that are the fastest alone need not
// be so between others, so the network is compiled both ways and timed in turn; what
// does not win there is passed over.

#pragma once

#include "Targets/Target.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "timing/Statistics.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/Snapshot.h"
#include "tuning/space/ModelTasks.h"

namespace convoy::tuning {

/// What the end of a search has shown.
struct NetworkResult {
  bool isChanged = false; // else the records give what the default is, and nothing was timed
  double beforeMs = 0;    // medians
  double afterMs = 0;     // by the records, also when they lose
  timing::Estimate ratio; // after / before
  size_t pairs = 0;       // of samples
  int tries = 0;          // other compositions that were timed
  Verdict verdict;        // as it was stored
};

class TunedNetwork {
public:
  /// `records` is the file that compositions are taken from.
  TunedNetwork(const Model &model, const CompileRequest &request, std::string records,
               const ModelTasks &tasks, std::string folder, Measurer &measurer);

  /// Compiles by default and measures that.
  llvm::Error prepare();
  /// Of one inference by default, roughly.
  double defaultSeconds() const { return seconds; }

  /// Compiles by the records, tries other choices for the heaviest tasks until the
  /// deadline, then times the best composition against the default and stores the verdict.
  /// The deadline is in seconds of std::chrono::steady_clock, without the seconds that the
  /// measurer waited.
  llvm::Expected<NetworkResult> settle(RecordStore &store, double deadline);

private:
  struct Built {
    Candidate candidate;
    /// Kernels with their configurations and layouts, in order: equal ones are equal code.
    std::vector<std::string> kernels;
  };
  using Pairs = std::vector<PairedSample>;
  using Composition = std::vector<PassedOver>;

  llvm::Expected<Built> build(const std::string &name, const Composition *composition) const;
  /// Pairs of samples, up to `wanted`, fewer when time is up.
  llvm::Expected<Pairs> compare(const Built &before, const Built &after, size_t wanted) const;
  llvm::Error improve(const Snapshot &snapshot);
  /// With the records of those tasks alone whose best beats the compiler's choice clearly.
  Composition clearWins(const Snapshot &snapshot, double margin) const;
  /// Other choices for one task.
  std::vector<Composition> alternatives(const Snapshot &snapshot, const std::string &task) const;
  llvm::Error consider(Composition composition);
  std::vector<std::string> heaviestTasks(const Snapshot &snapshot) const;
  Verdict verdictOf(const Pairs &pairs) const;
  void remove(const Built &built) const;
  /// The clock of the deadline.
  double clock() const;

  const Model &model;
  const CompileRequest &request;
  std::string records;
  const ModelTasks &tasks;
  std::string folder;
  Measurer &measurer;
  targets::Target target;
  int threads = 1;
  double seconds = 0;
  double deadline = 0;
  Built byDefault;
  std::optional<Built> incumbent; // nothing: the default is the best so far
  Composition composition;        // of the incumbent, or of none
  NetworkResult result;
  int builds = 0;
};

} // namespace convoy::tuning
