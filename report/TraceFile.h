// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes traces in the Trace Event Format of Chrome, which Perfetto (ui.perfetto.dev) and
// chrome://tracing read. timing/ fills the events.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace convoy::report {

/// Something that took time. Events of a track nest or follow each other.
struct TraceEvent {
  std::string name;
  std::string category; // "kernel", "wait", "idle", "runtime", "inference", "stage" or "pass"
  int64_t beginNs = 0, endNs = 0;
  llvm::json::Object facts = {}; // shown when the event is selected
};

/// A thread, or another row of the display.
struct TraceTrack {
  std::string name;
  std::vector<TraceEvent> events; // an outer event before the events inside it
};

/// A group of tracks with a common time axis: one inference or one compile.
struct TraceProcess {
  std::string name;
  std::vector<TraceTrack> tracks;
};

/// Returns the JSON text of a trace.
std::string traceText(llvm::ArrayRef<TraceProcess> processes);

/// Returns an error if the folder of `path` does not exist or is not writable, so that the user
/// learns this before a long measurement.
llvm::Error checkTraceFile(llvm::StringRef path);

/// Writes the trace to a file.
llvm::Error writeTrace(const std::string &path, llvm::ArrayRef<TraceProcess> processes);

} // namespace convoy::report
