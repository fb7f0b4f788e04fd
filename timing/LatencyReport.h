// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distribution of the times of single inferences, and the throughput of parallel streams, as
// text tables and JSON. BenchReport.h holds the other results of `convoy bench`.

#pragma once

#include "timing/Statistics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace convoy::timing {

/// The throughput of several streams. A stream is a thread of the program that runs one inference
/// after another, with its own workspace, inputs and outputs.
struct StreamReport {
  int64_t streams = 1;
  double perSecond = 0;    // inferences of all streams, median of the rounds
  double onePerSecond = 0; // of one stream, measured in turn
  Estimate scaling;        // quotient of the two
  Percentiles latencyMs;   // of an inference while all streams run
};

/// A row of a table: a model on a number of threads.
struct RowName {
  std::string model;
  int64_t threads = 1;
};

void printLatencies(llvm::raw_ostream &os,
                    llvm::ArrayRef<std::pair<RowName, Percentiles>> latencies);
void printStreams(llvm::raw_ostream &os, llvm::ArrayRef<std::pair<RowName, StreamReport>> streams);

llvm::json::Object toJson(const Percentiles &latencyMs);
llvm::json::Object toJson(const StreamReport &report);

} // namespace convoy::timing
