// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `convoy bench` has found, for people and programs.

#pragma once

#include "convoy/artefact.h"
#include "timing/Statistics.h"
#include "timing/Work.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace convoy::timing {

/// One program.
struct Performance {
  double ms = 0; // median
  double loadMs = 0, firstMs = 0, residentMb = 0;
};

/// How far rounding alone moves the outputs of a model, measured with the peer. "Plain" is the
/// peer's graph without optimisations. Distances are relative L2 of the worst output.
struct PeerSpread {
  double plainError = 0; // between Convoy and plain
  /// The largest distance between plain and the optimised graph, or plain on inputs that differ by
  /// a rounding error.
  double ownError = 0;
};

/// One model on one number of threads.
struct BenchRow {
  std::string model;
  int64_t threads = 1;
  /// Fewer than `threads` where compiled code cannot use more.
  int64_t convoyThreads = 1;
  Performance convoy;
  CompileSummary built;
  double gflop = 0;      // of one inference
  double peakGflops = 0; // GFLOP/s, median of the bursts in the same run
  double peakSpread = 0; // of the bursts, as a share: what else the machine does

  // With a peer.
  std::optional<Performance> peer;
  Estimate ratio;
  double relativeError = 0; // of the outputs, L2
  /// Measured where the relative error alone does not tell that the outputs are right.
  std::optional<PeerSpread> peerSpread;
  /// Layers are integers here, rounded once where the peer rounds floats: results of 8
  /// bits differ by one now and then, and so do all that follow.
  bool isQuantized = false;

  double gflops() const { return gflop / convoy.ms * 1e3; }
  double peakShare() const { return peakGflops > 0 ? gflops() / peakGflops : 0; }
  /// Whether the outputs are the peer's, up to the order of sums.
  bool isClose() const;
  /// Whether both programs compute the same; else the ratio means nothing. Outputs that are not
  /// close are right if rounding moves the peer's own outputs as far.
  bool isRight() const;
};

/// The error of a row that is not right.
std::string wrongResult(const BenchRow &row);

/// Says which rows mean little because the machine was busy.
void printWarnings(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows);

void printTable(llvm::raw_ostream &os, llvm::ArrayRef<BenchRow> rows);
std::string toJson(llvm::ArrayRef<BenchRow> rows);

/// A kernel inside a model.
struct LayerRow {
  Layer layer;
  double ms = 0; // median
};

/// How fast so many bytes are read again and again.
struct ReadSpeed {
  double bytes = 0, gbs = 0;
};

/// All kernels of one model on one number of threads.
struct LayerReport {
  std::string model;
  int64_t threads = 1;
  bool isHot = false;
  std::vector<LayerRow> rows;
  double totalMs = 0;                // of the inference, with what is between kernels
  double peakGflops = 0;             // GFLOP/s
  std::vector<ReadSpeed> readSpeeds; // by ascending size

  /// The roofline: no less time than for the arithmetic at peak, and for touching
  /// the bytes once at the speed of reading as many.
  double computeMs(const Layer &layer) const;
  double memoryMs(const Layer &layer) const;
};

void printLayers(llvm::raw_ostream &os, const LayerReport &report);
std::string toJson(llvm::ArrayRef<LayerReport> reports);

} // namespace convoy::timing
