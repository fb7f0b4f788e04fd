// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces one inference: when each core runs which kernel, when it waits, and what the compiler
// predicted. `convoy run --trace` and `convoy bench --trace` use it; report/TraceFile.h writes the
// result.

#pragma once

#include "convoy/artifact.h"
#include "convoy/model.h"
#include "report/TraceFile.h"
#include "timing/MeasureProgram.h"
#include "timing/Statistics.h"

namespace convoy {
class StageObserver;
} // namespace convoy

namespace convoy::timing {

struct TraceRequest {
  CompileRequest compile;
  int64_t samples = 31;     // recorded inferences; the trace shows the median
  NamedTensors inputs = {}; // data by input; all other inputs are random
  /// The same model without probes, measured in turn; null: none.
  const Artifact *plain = nullptr;
  StageObserver *observer = nullptr; // of the compile; null: none
};

/// An inference and the cost of its recording.
struct ModelTrace {
  report::TraceProcess process;
  double runUs = 0;     // of the inference in the trace
  Estimate overhead;    // quotient of the times with and without probes; 0: not measured
  int64_t recorded = 0; // number of recorded inferences
};

/// Returns an error if a target cannot be traced. `target` is the name in the request.
llvm::Error checkTraced(const TargetRequest &target);

/// Returns a line about a trace for people: "wrote a.json: inference of 1.2 ms, ...".
std::string traceSummary(llvm::StringRef file, const ModelTrace &trace);

/// Compiles the model with probes into `folder` and records inferences in a separate process.
Result<ModelTrace> traceModel(const Model &model, const TraceRequest &request,
                              const MeasureProgram &program, const std::string &folder);

/// Returns the process of a trace from the result of convoy-measure. `layers` are the kernels by
/// number.
ModelTrace toModelTrace(const llvm::json::Object &result, llvm::ArrayRef<KernelReport> layers);

} // namespace convoy::timing
