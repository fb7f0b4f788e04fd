// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes all tasks of a model on this machine, writes the records and measures the whole network.
// If this machine cannot run the target's code, the tuner counts instructions under the target's
// emulator. `convoy tune` uses it.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/dispatch/LocalTuner.h"
#include "tuning/network/NetworkSearch.h"
#include "tuning/network/TunedNetwork.h"
#include <functional>

namespace convoy::tuning {

struct TuneRequest {
  CompileRequest compile; // of the model; its measurements are ignored
  std::string records;    // file to which records are added
  std::string program;    // convoy-measure
  NetworkSearch search;
  /// Called after each batch; the search ends if it returns true.
  std::function<bool()> isInterrupted = [] { return false; };
  /// Receives messages for the user while the tuner waits or measures; may be empty.
  std::function<void(const std::string &)> say = nullptr;
};

/// The state of a search in progress.
struct TuneProgress {
  TuningState state;
  bool isCounted = false;            // the times are one instruction per nanosecond
  double modelSeconds = 0;           // of one inference with the default configurations
  std::optional<double> secondsLeft; // of the budget; nothing without a time limit
};

struct TuneResult {
  TuningState state;
  /// What the records have. With Policy::Instructions, all times are one instruction per
  /// nanosecond.
  Policy policy = Policy::ColdWeights;
  int threads = 1;
  bool isInterrupted = false;
  /// The gain of the whole network; nothing if the search was interrupted.
  std::optional<NetworkResult> network;
};

/// Tunes a model. Calls `show` after each batch.
llvm::Expected<TuneResult> tuneModel(const Model &model, const TuneRequest &request,
                                     const ModelTasks &tasks,
                                     const std::function<void(const TuneProgress &)> &show);

} // namespace convoy::tuning
