// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the input data of a task and the expected results. The reference computes the
// results once per task, with sums in double precision. Each pair of layouts has its own
// files, which are written when a candidate first needs them.

#pragma once

#include "tuning/build/BuildCandidate.h"
#include "tuning/measure/ExpectedPoints.h"
#include "tuning/measure/Measurer.h"
#include "tuning/space/ReadTask.h"
#include <map>

namespace convoy::tuning {

/// Returns the permitted error of an element, relative to the size of the result, for sums of
/// `terms` terms. Winograd convolution, which only fast math permits, has up to four times the
/// error of direct sums.
double mathTolerance(bool isStrictMath, int64_t terms);

class TaskData {
public:
  /// Runs the reference. Files are created in `folder`, which must exist; their names start
  /// with the task's key.
  static llvm::Expected<TaskData> compute(const Task &task, std::string folder);

  /// Writes the expected results to a file, and reads them instead of running the reference. The
  /// reference may then run in another process.
  llvm::Error save(const std::string &path) const;
  static llvm::Expected<TaskData> load(const Task &task, std::string folder,
                                       const std::string &path);

  /// Returns the built candidate with its inputs and expected outputs in the layouts of the
  /// configuration. The error states why the task cannot run with the configuration.
  llvm::Expected<RunnableCandidate> candidateOf(const Configuration &configuration,
                                                const BuiltCandidate &built);
  /// Sets only the data, for code that was built elsewhere.
  llvm::Error fill(RunnableCandidate &candidate, const Configuration &configuration);

private:
  TaskData(Task task, std::string folder) : task(std::move(task)), folder(std::move(folder)) {}
  struct Files {
    std::vector<RunnableCandidate::Input> inputs;
    std::vector<RunnableCandidate::Output> outputs;
  };
  /// Sets all members except the results.
  void prepare(TaskModule &module);
  llvm::Expected<Files> write(const Configuration &configuration, const std::string &prefix) const;

  Task task;
  std::string folder;
  std::vector<Tensor> inputs, results; // planar
  PointTolerance tolerance;
  std::map<std::tuple<std::string, std::string, std::string>, Files> byLayouts;
};

} // namespace convoy::tuning
