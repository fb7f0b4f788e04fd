// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shrinks a model to a small model that fails in the same way. `convoy reduce` calls it. The result
// depends only on the model, the flags and the limits.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "reduce/Trials.h"

namespace convoy::reduce {

struct ReduceRequest {
  Model model;
  std::string path; // of the model file
  InputPins pins;
  /// The flags of the inputs of the original model, and the files among them by input.
  std::vector<std::string> inputFlags;
  std::map<std::string, std::string> inputFiles;
  TestOptions test;
  /// The file name of a candidate, without a folder.
  std::string candidateName;
  TrialLimits limits;
  std::function<void(const std::string &step)> progress; // may be empty
};

struct ReduceResult {
  std::string model;                // the bytes of the file
  Symptom failure;                  // of the original model
  std::vector<std::string> command; // shows the failure; the third word is the path of the model
  size_t nodesBefore = 0, nodesAfter = 0;
  std::vector<std::string> ops; // of the remaining nodes
  size_t trials = 0, cached = 0;
  double cpuSeconds = 0;                         // of all tests
  size_t generatedWeights = 0, floatWeights = 0; // numbers of initializers
  std::string stopReason; // the limit that ended the search; empty: the search is complete
};

Result<ReduceResult> reduceModel(ReduceRequest request);

} // namespace convoy::reduce
