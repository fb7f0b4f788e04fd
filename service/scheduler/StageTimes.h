// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prediction of the seconds of a stage. The scheduler uses it only for estimates of remaining work;
// a service that must not predict from observed times passes FixedTimes.

#pragma once

#include "service/scheduler/Job.h"
#include <memory>
#include <string>
#include <unordered_map>

namespace convoy::service::scheduler {

/// Seconds of one item of each stage before any was observed: 16-candidate rounds of convolutions.
constexpr PerStage kDefaultStageSeconds = {7, 1.4, 0.6};

class StageTimes {
public:
  virtual ~StageTimes() = default;
  virtual void addJob(JobId job, const std::string &deviceClass) {}
  virtual void removeJob(JobId job) {}
  virtual void observe(JobId job, Stage stage, double seconds) {}
  /// Returns the predicted seconds of an item of each stage.
  virtual PerStage predict(JobId job) const = 0;
};

/// The same seconds for every job.
class FixedTimes : public StageTimes {
public:
  explicit FixedTimes(PerStage seconds = kDefaultStageSeconds) : seconds(seconds) {}
  PerStage predict(JobId) const override { return seconds; }

private:
  PerStage seconds;
};

/// The mean of the job's own items. The mean of the class of devices counts as kPriorItems items.
class ObservedMeans : public StageTimes {
public:
  static constexpr double kPriorItems = 4;

  void addJob(JobId job, const std::string &deviceClass) override;
  void removeJob(JobId job) override;
  void observe(JobId job, Stage stage, double seconds) override;
  PerStage predict(JobId job) const override;

private:
  struct Sums {
    PerStage seconds{}, items{};
    void add(Stage stage, double value);
    /// Returns the mean of a stage if `prior` counts as kPriorItems items.
    double mean(size_t stage, double prior) const;
  };
  struct Job {
    Sums sums;
    Sums *ofClass;
  };
  std::unordered_map<std::string, Sums> classes;
  std::unordered_map<JobId, Job> jobs;
};

} // namespace convoy::service::scheduler
