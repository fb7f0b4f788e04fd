// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One model on one number of threads: compiled, then measured in processes of its
// own.

#pragma once

#include "BenchReport.h"
#include "CompileSummary.h"
#include "Measurer.h"
#include "PeakLibrary.h"
#include "Verbs.h"

namespace convoy::driver {

/// What all models of a benchmark share.
struct BenchSetup {
  std::string folder; // for everything that is written
  Measurer measurer;
  PeakLibrary peak;        // of the target
  std::string peerLibrary; // empty: no peer
};

class BenchModel {
public:
  BenchModel(const BenchOptions &options, const BenchSetup &setup, const std::string &path,
             int64_t threads)
      : options(options), setup(setup), path(path), threads(threads) {}

  /// Compiles. Problems are printed; kDone when the rest can be done.
  ExitCode build(Console &console);
  llvm::Expected<BenchRow> measure() const;
  llvm::Expected<LayerReport> measureLayers() const;

private:
  llvm::Error writeInputs() const;
  llvm::json::Object specification(llvm::StringRef mode) const;
  llvm::Expected<Performance> measureCold(llvm::StringRef program) const;
  /// The worst relative L2 between two sets of outputs in files "<name>_N.raw".
  llvm::Expected<double> distance(const llvm::Twine &actual, const llvm::Twine &expected) const;
  /// Compares the outputs of both programs.
  llvm::Error judge(BenchRow &row) const;
  llvm::Expected<PeerSpread> measureSpread() const;
  /// Runs the peer without optimisations; its inputs differ by a rounding error unless the seed
  /// is 0. Files go to a folder below the setup's.
  llvm::Error runPlainPeer(llvm::StringRef folder, uint64_t seed) const;
  std::string file(const llvm::Twine &name) const;

  const BenchOptions &options;
  const BenchSetup &setup;
  std::string path;
  int64_t threads;
  CompileSummary summary;
  double flops = 0;
  bool isQuantized = false;
  std::vector<Layer> layers;
};

} // namespace convoy::driver
