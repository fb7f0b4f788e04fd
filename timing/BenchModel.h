// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one model for one number of threads and measures it in separate processes.
// BenchMachine.cpp uses it; MeasureProgram.h starts the processes.

#pragma once

#include "convoy/artifact.h"
#include "timing/Bench.h"
#include "timing/BenchReport.h"
#include "timing/PeakLibrary.h"

namespace convoy::timing {

/// The settings that all models of a benchmark share.
struct BenchSetup {
  std::string folder; // of all output files
  MeasureProgram measureProgram;
  PeakLibrary peak;        // of the target
  std::string peerLibrary; // empty: no peer
};

class BenchModel {
public:
  BenchModel(BenchCase request, const BenchOptions &options, const BenchSetup &setup)
      : request(std::move(request)), options(options), setup(setup) {}

  /// Compiles the model or reads the given library. The other functions require that it
  /// succeeded.
  Problems build();
  llvm::Expected<BenchRow> measure();
  llvm::Expected<LayerReport> measureLayers() const;
  /// Returns the compiled library.
  const Artifact &library() const { return artifact; }

private:
  Problems readLibrary();
  std::string name() const;
  llvm::json::Object specification(llvm::StringRef mode) const;
  /// Writes the inputs that are constants of the compiled model to files, for the peer.
  llvm::Expected<llvm::json::Object> peerSpecification(bool isOptimized) const;
  /// Returns the file of the model in which no node lets the peer round its input, as far as
  /// MatMulNBits has an attribute for it. The peer computes the result to compare with from it.
  llvm::Expected<std::string> accurateModel() const;
  llvm::Expected<llvm::json::Object> runCold(bool isPeer) const;
  /// Returns the largest relative L2 distance between two sets of outputs in files "<name>_N.raw"
  /// of the shapes in "<name>_N.shape". The distance of outputs of different shapes is infinite.
  llvm::Expected<double> distance(const llvm::Twine &actual, const llvm::Twine &expected) const;
  /// Compares the outputs of Convoy and of the peer.
  llvm::Error judge(BenchRow &row) const;
  llvm::Expected<PeerSpread> measureSpread() const;
  llvm::Expected<StreamReport> measureStreams() const;
  /// Runs the accurate model in the peer without graph optimizations and writes its outputs to
  /// `folder` below the setup's folder. Unless the seed is 0, the inputs differ by a rounding
  /// error.
  llvm::Error runPlainPeer(llvm::StringRef folder, uint64_t seed) const;
  std::string file(const llvm::Twine &name) const;
  int64_t threads() const { return request.compile.schedule.threads; }

  BenchCase request;
  const BenchOptions &options;
  const BenchSetup &setup;
  Artifact artifact;
  /// For each output, whether its size depends on data. measure() reads it from the library.
  std::vector<bool> openOutputs;
};

} // namespace convoy::timing
