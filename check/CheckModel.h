// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets against expected outputs: golden ones, or what the reference gives. The first
// wrong case of a target is looked into.

#pragma once

#include "Driver/LoadedProgram.h"
#include "check/LayerError.h"
#include "check/locate/Fault.h"
#include "convoy/artefact.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include <functional>

namespace convoy::check {

/// Inputs, and the outputs they must give.
struct CheckCase {
  std::string name;
  NamedData inputs;
  std::vector<Datum> expected;
};

struct CheckRequest {
  /// How each target compiles the model; the name of its target does not count.
  CompileRequest compile;
  std::vector<std::string> targets;
  std::vector<CheckCase> cases;
  /// Expected outputs are given; else there is one case, and the reference gives them.
  bool isGolden = false;
  bool isExact = false;   // bytes have to be equal
  bool hasLayers = false; // also measure integer layers against ONNX's arithmetic
  /// Opens the measurements that are for a target, when set: they differ between machines.
  std::function<llvm::Expected<std::shared_ptr<const layout::Measurements>>(const CompileRequest &)>
      openMeasurements;
  /// What else runs with the stages; may be null.
  std::shared_ptr<StageObserver> planted;
  /// Called when a step begins, when set.
  std::function<void(llvm::StringRef step)> progress;
};

/// One output of one case on one target.
struct Comparison {
  std::string target, caseName, output, rule;
  Verdict verdict;
};

/// What made a target's outputs wrong in its first wrong case.
struct Finding {
  std::string target, caseName;
  Fault fault;
};

struct CheckReport {
  std::vector<Comparison> comparisons;
  std::vector<Finding> findings;
  std::vector<LayerError> layers;
  /// What ran, one for each case on each target but the reference.
  std::vector<CompileSummary> built;
  /// With errors the check is not complete.
  Problems problems;

  size_t wrongCount() const;
};

CheckReport checkModel(const Model &model, const CheckRequest &request);

} // namespace convoy::check
