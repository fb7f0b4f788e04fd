// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of the work queues and their JSON text. The dispatcher and the workers use them.
// service/queue/README.md lists the fields.

#pragma once

#include "tuning/dispatch/Dispatcher.h"

namespace convoy::service {

/// Work for a builder or a device.
struct WorkMessage {
  tuning::WorkStage stage = tuning::WorkStage::Build;
  std::string trial;
  int attempt = 1;
  int64_t epoch = 0;
  /// Counts the times that the dispatcher had to publish the work again because it was lost.
  int64_t issue = 0;
  std::string deviceClass;
  std::string taskKey; // Task::key(); also the blob of the task's text
  std::string taskName;
  std::string targetBlob; // SHA-256 of the target's JSON
  tuning::Configuration configuration;
  tuning::MeasurePlan plan;
  tuning::RunnableCandidate candidate; // for the measure stage; files are "sha256:<hex>"
  /// The build of a network instead of a task: the SHA-256 of its ONNX file, which is the `taskKey`
  /// too, and of the fastest configurations (bestToText). Empty: a task.
  std::string model, bestBlob;
  /// The measure stage of a network; without a library: only the candidate is measured.
  tuning::RunnableCandidate byDefault;
};

/// Orders the deliveries of a stage of a trial. A worker that holds a lower token has lost its
/// lease, or works for an old leader.
struct FencingToken {
  int64_t epoch = 0;
  int attempt = 0;
  int64_t issue = 0;
  int64_t delivery = 0;

  auto fields() const { return std::tie(epoch, attempt, issue, delivery); }
  friend bool operator<(const FencingToken &a, const FencingToken &b) {
    return a.fields() < b.fields();
  }
};

struct ResultMessage {
  FencingToken token;
  /// The result without `token`, which the transport sets.
  tuning::Completion completion;
  // Notes about the device; 0: not known.
  double sentinelDrift = 0;
  int64_t kilohertz = 0;
  double celsius = 0;
};

/// Announces that a worker has taken a trial.
struct StartedMessage {
  tuning::WorkStage stage = tuning::WorkStage::Build;
  std::string trial;
  FencingToken token;
  std::string worker;
};

std::string toText(const WorkMessage &message);
std::string toText(const ResultMessage &message);
std::string toText(const StartedMessage &message);

/// The fastest configurations of NetworkWork.
using BestByTask = std::map<std::string, layout::TaskMeasurements>;
std::string bestToText(const BestByTask &best);
llvm::Expected<BestByTask> bestFromText(llvm::StringRef text);

/// The errors name the field that is missing or has the wrong type.
llvm::Expected<WorkMessage> workFromText(llvm::StringRef text);
llvm::Expected<ResultMessage> resultFromText(llvm::StringRef text);
llvm::Expected<StartedMessage> startedFromText(llvm::StringRef text);

/// Returns "build" or "measure".
llvm::StringRef name(tuning::WorkStage stage);

/// The prefix of the names of blobs in a candidate.
inline constexpr char kBlobPrefix[] = "sha256:";

} // namespace convoy::service
