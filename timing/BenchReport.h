// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of `convoy bench`, printed as text tables and JSON.

#pragma once

#include "convoy/artifact.h"
#include "timing/LatencyReport.h"
#include "timing/Statistics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace convoy::timing {

/// The times of one program: Convoy's library or the peer.
struct Performance {
  double ms = 0;    // median
  double cpuMs = 0; // CPU time of the calling thread, median
  double loadMs = 0, firstMs = 0, residentMb = 0;
};

/// How far rounding alone moves the outputs of a model, measured with the peer. "Plain" is the
/// peer's graph without optimizations. Distances are relative L2 of the worst output.
struct PeerSpread {
  double plainError = 0; // between Convoy and plain
  /// The largest distance between plain and the optimized graph, or plain on inputs that differ by
  /// a rounding error.
  double ownError = 0;
};

/// One model on one number of threads.
struct BenchRow {
  std::string model;
  int64_t threads = 1;
  /// Less than `threads` if the compiled code cannot use as many.
  int64_t convoyThreads = 1;
  Performance convoy;
  CompileReport built;
  double gflop = 0;              // of one inference
  double peakGflops = 0;         // GFLOP/s, median of the bursts in the same run
  double readGbs = 0;            // of a buffer with the size of the weights, in the same run
  double peakSpread = 0;         // of the bursts, relative to the median; large on a busy machine
  std::vector<double> samplesMs; // of Convoy; `convoy bench --compare` reads them
  Percentiles latencyMs;         // of single runs of Convoy
  std::optional<StreamReport> streams;

  // With a peer.
  std::optional<Performance> peer;
  Percentiles peerLatencyMs;
  Estimate ratio;
  Estimate cpuRatio;        // of the CPU times of the calling thread
  double relativeError = 0; // of the outputs, L2
  /// Measured only if the relative error alone does not prove that the outputs are right.
  std::optional<PeerSpread> peerSpread;
  /// Whether Convoy runs integer layers. They round once where the peer rounds floats, so 8-bit
  /// results can differ by one, and so can all later layers.
  bool isQuantized = false;

  /// Returns whether the calling thread does all work, so that its CPU time is that of the program.
  bool hasCpuTime() const { return threads == 1; }
  double gflops() const { return gflop / convoy.ms * 1e3; }
  /// The least times for the arithmetic at peak and for reading the weights once.
  double computeLimitMs() const { return peakGflops > 0 ? gflop / peakGflops * 1e3 : 0; }
  double weightsLimitMs() const {
    return readGbs > 0 ? static_cast<double>(built.weightsBytes) / (readGbs * 1e6) : 0;
  }
  double peakShare() const { return peakGflops > 0 ? gflops() / peakGflops : 0; }
  /// Returns whether the outputs equal the peer's outputs, except for the order of summation.
  bool isClose() const;
  /// Returns whether both programs compute the same result; otherwise the ratio is not valid.
  /// Outputs that are not close count as right if rounding moves the peer's own outputs as far.
  bool isRight() const;
};

/// Returns the error text of a row whose outputs are wrong.
std::string wrongResult(const BenchRow &row);

/// Returns a warning for each row that was measured on a busy machine.
Problems warningsOf(llvm::ArrayRef<BenchRow> rows);

void printTable(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows);
/// Prints the percentiles and, if it was measured, the throughput of streams.
void printDistributions(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows);
std::string toJson(llvm::ArrayRef<BenchRow> rows);

/// The time of one kernel of a model.
struct LayerRow {
  KernelReport layer;
  double ms = 0; // median
};

/// The bandwidth of repeated reads of a buffer of `bytes` bytes.
struct ReadSpeed {
  double bytes = 0, gbs = 0;
};

/// The times of all kernels of one model for one number of threads.
struct LayerReport {
  std::string model;
  int64_t threads = 1;
  bool isHot = false;
  std::vector<LayerRow> rows;
  double totalMs = 0;                // of one inference, with the time between kernels
  double peakGflops = 0;             // GFLOP/s
  std::vector<ReadSpeed> readSpeeds; // by ascending size

  /// The roofline: the least time for the arithmetic at peak, and for reading the bytes once at
  /// the measured bandwidth.
  double computeMs(const KernelReport &layer) const;
  double memoryMs(const KernelReport &layer) const;
};

void printLayers(llvm::raw_ostream &os, const LayerReport &report);
std::string toJson(llvm::ArrayRef<LayerReport> reports);

} // namespace convoy::timing
