// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a tuner: it measures configurations of a model's kernels and keeps records
// of the times. Workflow::tune calls it. The compiler library contains no tuner;
// convoy/local_tuner.h declares the tuner that measures on this machine.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace convoy {

/// Opens tuning records for a request. The records depend on the target of the request, so
/// they are opened when the request is complete.
using RecordsOpener =
    std::function<Result<std::shared_ptr<const Measurements>>(const CompileRequest &)>;

/// The state of a search after a batch of measurements.
struct TuneStep {
  int64_t trials = 0;   // measured configurations, including those that failed
  double defaultMs = 0; // of one inference with the default configurations
  double bestMs = 0;    // estimate with the best configurations so far
};

/// When a search ends. If no limit is set, the tuner uses its own limit.
struct TuneBudget {
  int64_t trials = 0;  // 0: no limit
  double seconds = 0;  // 0: no limit
  double targetMs = 0; // end at this estimated time of an inference; 0: do not
  /// If set, the tuner calls it after each batch. The search ends if it returns false.
  std::function<bool(const TuneStep &)> progress;
};

/// The result of a search. The times are of whole inferences, with the default configurations
/// and with the records; 0 if the tuner did not time the model.
struct TuneReport {
  int64_t trials = 0;
  int64_t failed = 0; // configurations that gave wrong results, crashed or did not build
  double seconds = 0;
  /// One inference; in millions of instructions if an emulator counted them.
  double beforeMs = 0, afterMs = 0;
  bool isCounted = false;
  bool isInterrupted = false; // by TuneBudget::progress
};

class CONVOY_API Tuner {
public:
  virtual ~Tuner() = default;
  /// Measures configurations for the model, compiled by the request, and stores the records.
  /// Ignores the request's measurements.
  virtual Result<TuneReport> tune(const Model &model, const CompileRequest &request,
                                  const TuneBudget &budget) = 0;
  /// Returns the records of this and earlier searches. The opener may outlive the tuner.
  virtual RecordsOpener records() const = 0;
};

} // namespace convoy
