// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One command of `convoy bench`: models in, rows out. The back end of the target selects the
// method: BenchMachine.cpp times libraries, BenchMicro.cpp counts the instructions of programs, and
// BenchDevice.cpp simulates devices.

#pragma once

#include "Driver/ResolveTarget.h"
#include "convoy/model.h"
#include "convoy/result.h"
#include "timing/MeasureProgram.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::timing {

/// The settings that all models of a benchmark share. check() reports the settings that the method
/// does not accept.
struct BenchOptions {
  size_t models = 1;
  std::vector<int64_t> threads = {1};
  int64_t samples = 30;
  bool hasLayers = false; // time each kernel instead of the whole model
  bool isHot = false;     // with layers: repeat each kernel on the same data
  bool hasPeer = false, hasKernelTimes = false, hasInputs = false, hasData = false;
  std::string peerLibrary; // empty: the library in build/peers
  int64_t streams = 0;     // also measure the throughput of this number of streams; 0: do not
  std::string trace;       // file for the times of kernels; empty: none
  std::string folder;      // for the compiled models; empty: a temporary folder
  std::string report;      // page of a program; empty: none
  std::function<llvm::Expected<std::string>()> findProgram = findMeasureProgram;
  std::function<bool()> isInterrupted = nullptr; // ends a measurement; may be empty
};

/// One model on one number of threads.
struct BenchCase {
  std::string path; // of the model file, for the peer; empty: no peer
  Model model;      // holds no file if the library is given
  CompileRequest compile;
  NamedTensors inputs = {}; // data by input; all other inputs are random
  /// A compiled library to measure; empty: compile the model. Only machines have libraries.
  std::string library = {};
};

class Bench {
public:
  Bench(BenchOptions options, driver::ResolvedTarget target)
      : options(std::move(options)), target(std::move(target)) {}
  virtual ~Bench() = default;

  /// The output of the requests.
  virtual Emit emit() const { return Emit::Memory; }
  /// Returns an error for each option that the method does not accept.
  virtual Problems check() = 0;
  virtual llvm::Error prepare() { return llvm::Error::success(); }
  /// Takes the next model and compiles what measure() needs.
  virtual Problems build(BenchCase next);
  /// Adds the row of the model. Requires that build() had no errors.
  virtual Problems measure() = 0;

  /// Writes the files of the options after the last model.
  virtual llvm::Error writeFiles() const { return llvm::Error::success(); }
  virtual std::string json() const = 0;
  /// Prints the rows for people. Lines about written files go to `summary`.
  virtual void print(llvm::raw_ostream &os, llvm::raw_ostream &summary) const = 0;
  /// Returns wrong results and disturbed measurements.
  virtual Problems judge() const { return {}; }

protected:
  /// Adds an error if the options have a page. Only microcontrollers have one.
  bool refuseReport(Problems &problems) const;

  const BenchOptions options;
  const driver::ResolvedTarget target;
  std::optional<BenchCase> current;
};

/// Returns the benchmark of the target, or an error if the target cannot be measured.
llvm::Expected<std::unique_ptr<Bench>> benchFor(const driver::ResolvedTarget &target,
                                                const BenchOptions &options);

// The methods.
std::unique_ptr<Bench> benchMachine(const BenchOptions &, const driver::ResolvedTarget &);
std::unique_ptr<Bench> benchMicro(const BenchOptions &, const driver::ResolvedTarget &);
std::unique_ptr<Bench> benchDevice(const BenchOptions &, const driver::ResolvedTarget &);

} // namespace convoy::timing
