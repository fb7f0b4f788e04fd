// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that candidates of one task run on, and what they must compute: by the
// reference, whose sums are in double, once per task. Each pair of layouts has files of
// its own, written when a candidate first needs them.

#pragma once

#include "tuning/build/BuildCandidate.h"
#include "tuning/measure/Measurer.h"
#include "tuning/space/ReadTask.h"
#include <map>

namespace convoy::tuning {

/// How far an element may be off, relative to the size of its result, for sums of
/// `terms` terms. Winograd's method, which only fast math allows, is up to four times as
/// far from exact sums as direct ones are.
double mathTolerance(bool isStrictMath, int64_t terms);

class TaskData {
public:
  /// Runs the reference. Files go to `folder`, which exists; their names begin with the
  /// task's key.
  static llvm::Expected<TaskData> compute(const Task &task, std::string folder);

  /// What was built with a configuration, with inputs and expected outputs as that lays
  /// them out. The error says why the task cannot run so.
  llvm::Expected<Candidate> candidateOf(const Configuration &configuration,
                                        const BuiltCandidate &built);
  /// The data only, for code that comes from elsewhere.
  llvm::Error fill(Candidate &candidate, const Configuration &configuration);

private:
  TaskData(Task task, std::string folder) : task(std::move(task)), folder(std::move(folder)) {}
  struct Files {
    std::vector<Candidate::Input> inputs;
    std::vector<Candidate::Output> outputs;
  };
  llvm::Expected<Files> write(const Configuration &configuration, const std::string &prefix) const;

  Task task;
  std::string folder;
  std::vector<Tensor> inputs, results; // planar
  double relative = 0;
  std::map<std::tuple<std::string, std::string, std::string>, Files> byLayouts;
};

} // namespace convoy::tuning
