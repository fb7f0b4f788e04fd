// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests candidates: writes each one to a file, runs the failure test on it, and remembers the
// result by the content of the candidate. Ends the search when a limit is reached.

#pragma once

#include "reduce/FailureTest.h"
#include "reduce/NodeGraph.h"
#include <chrono>
#include <functional>
#include <map>

namespace convoy::reduce {

struct TrialLimits {
  size_t trials = 0;  // 0: no limit
  double seconds = 0; // of the whole search; 0: no limit
  std::function<bool()> isInterrupted;
  std::function<void(size_t trials, size_t nodes)> progress; // before each test
};

class Trials {
public:
  /// `path` is the file of a candidate. `files` are the files of inputs by name.
  Trials(FailureTest &test, std::string path, std::map<std::string, std::string> files,
         TrialLimits limits);

  /// Returns whether the candidate fails like the original model. After a limit, the result is
  /// false.
  bool fails(const onnx::ModelProto &candidate);

  /// Returns the flags of the inputs of a model: the files of the user, or different random data
  /// for each input.
  std::vector<std::string> inputFlags(const onnx::ModelProto &model) const;
  /// From now on, all inputs have random data. `restoreFiles` undoes it.
  void dropFiles() { usesFiles = false; }
  void restoreFiles() { usesFiles = true; }
  bool hasFilesFor(const onnx::ModelProto &model) const;

  bool isStopped() const { return !stopped.empty(); }
  /// Returns the limit that ended the search; empty if none did.
  const std::string &stopReason() const { return stopped; }
  size_t count() const { return trials; }
  size_t cachedCount() const { return cached; }
  double cpuSeconds() const { return spentCpu; }
  /// Returns the first error of the test itself, such as a full disk; empty without one.
  const std::string &problem() const { return testProblem; }

private:
  bool hasBudget();
  bool run(const std::string &bytes, const std::vector<std::string> &flags);

  FailureTest &test;
  std::string path;
  std::map<std::string, std::string> files;
  TrialLimits limits;
  bool usesFiles = true;
  std::chrono::steady_clock::time_point begin;
  std::map<std::string, bool> known; // by the hash of model and flags
  size_t trials = 0, cached = 0;
  double spentCpu = 0;
  std::string stopped, testProblem;
};

} // namespace convoy::reduce
