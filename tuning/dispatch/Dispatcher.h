// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the build stage and the measure stage of trials: on this machine (LocalDispatcher.h) or on
// other machines (service/queue). The caller decides the order; a dispatcher only transports work
// and results.

#pragma once

#include "Layout/Measurements.h"
#include "Layout/Task.h"
#include "Targets/Target.h"
#include "tuning/measure/Measurer.h"
#include "tuning/space/Configuration.h"
#include <map>
#include <memory>
#include <optional>

namespace convoy::tuning {

/// The stages of a trial that a dispatcher runs.
enum class WorkStage { Build, Measure };

/// A whole network, which is built with the fastest configurations and with the default ones.
struct NetworkWork {
  std::string model; // the SHA-256 of the ONNX file
  std::string name;  // of the compiled network
  /// The fastest configurations, by the key of the task.
  std::map<std::string, layout::TaskMeasurements> best;
};

/// A file for the user.
struct NetworkFile {
  std::string name;
  std::string file; // a path, or "sha256:<hex>" of a blob
  int64_t bytes = 0;
};

/// What the build of a network gives beside the candidate with the fastest configurations.
struct BuiltNetwork {
  /// With the default configurations; without a library if it has the same code as the candidate.
  RunnableCandidate byDefault;
  std::vector<NetworkFile> files, defaultFiles;
};

/// One trial. The objects behind pointers are shared by all trials of a task.
struct TrialWork {
  std::string trial; // "<job>/<round>/<place>", unique
  /// Counts the times that the caller has started this stage of the trial, from 1.
  int attempt = 1;
  std::shared_ptr<const layout::Task> task;
  std::shared_ptr<const targets::Target> target;
  std::string deviceClass;
  Configuration configuration;
  MeasurePlan plan;
  /// Set: the stages build and time this network instead of the task, which is null.
  std::shared_ptr<const NetworkWork> network;
  /// Is measured in alternation with the candidate, unless it has no library.
  RunnableCandidate byDefault;
};

/// The result of one stage of one trial.
struct Completion {
  WorkStage stage = WorkStage::Build;
  std::string trial;
  int attempt = 1;
  Outcome outcome = Outcome::Ok;
  std::string message; // why the outcome is not ok
  /// No worker finished the stage. The outcome says nothing about the candidate.
  bool isLost = false;
  /// After a build. The fields that name files are paths, or "sha256:<hex>" of a blob if the work
  /// is distributed.
  RunnableCandidate candidate;
  std::string artifact;                // after a build: the SHA-256 of the library
  Measurement measurement;             // after a measurement
  std::optional<BuiltNetwork> network; // after the build of a network
  Measurement defaultMeasurement;      // of TrialWork::byDefault
  std::string worker;                  // the builder or device; empty on this machine
  double seconds = 0;                  // the time that the stage occupied its builder or device
  /// Identifies the result to acknowledge(); empty if the transport needs no acknowledgement.
  std::string token;
};

/// The free and busy places for work, as far as they are reachable now.
struct Capacity {
  int builds = 0;
  std::map<std::string, int> devices; // by device class
};

class Dispatcher {
public:
  virtual ~Dispatcher() = default;

  /// Starts a stage. Returns at once; an error means that the work was not accepted and may be
  /// given again later. The same trial, stage and attempt may be given again after an error.
  virtual llvm::Error build(const TrialWork &work) = 0;
  virtual llvm::Error measure(const TrialWork &work, const RunnableCandidate &candidate) = 0;

  /// Waits at most `seconds` for results and returns all that have arrived. Each stage of each
  /// attempt gives one result or none; none if its worker and its message were lost.
  virtual llvm::Expected<std::vector<Completion>> wait(double seconds) = 0;

  /// The caller has stored the results. A result that is not acknowledged arrives again.
  virtual llvm::Error acknowledge(llvm::ArrayRef<Completion> completions) = 0;

  /// Drops the work of a job that has not started, as far as possible. Its results may still
  /// arrive.
  virtual void cancel(llvm::StringRef job) = 0;

  virtual Capacity capacity() = 0;
};

} // namespace convoy::tuning
