// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes a model on this machine and writes the tuned library. Records of earlier runs are in the
// file and are used again.
//
//   tune model.onnx records.db folder trials

#include <convoy/local_tuner.h>
#include <convoy/workflow.h>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: tune model.onnx records.db folder trials\n");
    return 1;
  }
  convoy::TuneBudget budget;
  budget.trials = std::atoi(argv[4]);

  convoy::Workflow tuned =
      convoy::load(argv[1]).target("host").tune(convoy::localTuner(argv[2]), budget);
  convoy::Result<convoy::Artifact> library = tuned.write(argv[3]);

  for (const convoy::Problem &problem : library.problems().all()) {
    std::fprintf(stderr, "%s\n", problem.text.c_str());
  }
  if (!library) {
    return 1;
  }
  const convoy::TunedSummary &used = library->report.tuned;
  std::printf("%d trials; records for %d of %d kernels\n",
              static_cast<int>(tuned.tuneReport()->trials),
              static_cast<int>(used.tuned + used.kept), static_cast<int>(used.kernels));
  return 0;
}
