// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of a whole model on this machine, from tasks to records and a verdict.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/dispatch/LocalTuner.h"
#include "tuning/network/NetworkSearch.h"
#include "tuning/network/TunedNetwork.h"
#include <functional>

namespace convoy::tuning {

struct TuneRequest {
  CompileRequest compile; // of the model; its measurements are not used
  std::string records;    // file to add to
  std::string program;    // convoy-measure
  NetworkSearch search;
  /// Asked after each batch: whether to end without more.
  std::function<bool()> isInterrupted = [] { return false; };
  /// What is worth saying while it waits or measures, when set.
  std::function<void(const std::string &)> say = nullptr;
};

/// How far a search is.
struct TuneProgress {
  TuningState state;
  double modelSeconds = 0;           // of one inference by default
  std::optional<double> secondsLeft; // until the budget is spent; nothing without one
};

struct TuneResult {
  TuningState state;
  int threads = 1;
  bool isInterrupted = false;
  /// What the whole network gained; nothing when interrupted.
  std::optional<NetworkResult> network;
};

/// Tunes. `show` is called after each batch.
llvm::Expected<TuneResult> tuneModel(const Model &model, const TuneRequest &request,
                                     const ModelTasks &tasks,
                                     const std::function<void(const TuneProgress &)> &show);

} // namespace convoy::tuning
