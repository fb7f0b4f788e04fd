// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the outputs of targets with expected outputs: golden data, or the outputs of the
// reference. `convoy check` uses it. For the first wrong case of a target, it locates the
// first wrong op and pass (locate/Fault.h).

#pragma once

#include "Driver/LoadedProgram.h"
#include "check/LayerError.h"
#include "check/locate/Fault.h"
#include "convoy/artifact.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/tuner.h"
#include <functional>

namespace convoy::check {

/// Inputs and the outputs that a target must produce for them.
struct CheckCase {
  std::string name;
  NamedData inputs;
  std::vector<Datum> expected;
};

struct CheckRequest {
  /// How each target compiles the model. The check replaces the name of the target.
  CompileRequest compile;
  std::vector<std::string> targets;
  std::vector<CheckCase> cases;
  /// Whether the cases hold the expected outputs. If false, the reference computes them.
  bool isGolden = false;
  bool isExact = false;   // the outputs must be equal byte for byte
  bool hasLayers = false; // also compares integer layers with ONNX's arithmetic
  /// Opens the measurements of a target; may be empty. Each target has its own measurements.
  RecordsOpener openMeasurements;
  /// An observer that runs with the stages, such as an injected fault; may be null.
  std::shared_ptr<StageObserver> injected;
  /// Called at the start of each step; may be empty.
  std::function<void(llvm::StringRef step)> progress;
};

/// One output of one case on one target.
struct Comparison {
  std::string target, caseName, output, rule;
  Verdict verdict;
};

/// The origin of the wrong outputs in the first wrong case of a target.
struct Finding {
  std::string target, caseName;
  Fault fault;
};

struct CheckReport {
  std::vector<Comparison> comparisons;
  std::vector<Finding> findings;
  std::vector<LayerError> layers;
  /// The summary of each compilation, except for the reference: one per target, and one more for
  /// each case whose inputs have other shapes than the case before.
  std::vector<CompileReport> built;
  /// If the problems contain an error, the report is incomplete.
  Problems problems;

  size_t wrongCount() const;
};

CheckReport checkModel(const Model &model, const CheckRequest &request);

} // namespace convoy::check
