// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills the summary of a compile while its stages run.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "Import/Import.h"
#include "Pipeline/RunStages.h"
#include "Task/Task.h"
#include "convoy/artefact.h"

namespace convoy::driver {

class SummaryObserver : public StageObserver {
public:
  /// `kernelNs` holds measured times by kernel name, which replace predictions.
  SummaryObserver(CompileSummary &summary, const std::map<std::string, double> &kernelNs)
      : summary(summary), kernelNs(kernelNs) {}

  bool endStage(mlir::ModuleOp module, const Stage &stage) override;

private:
  void noteKernels(mlir::ModuleOp module);
  void noteMeasurements(mlir::ModuleOp module);
  void noteSchedule(mlir::ModuleOp module);
  void noteTemplates(mlir::ModuleOp module);
  void noteLayers(mlir::ModuleOp module);
  double predictNs(task::KernelOp kernel) const;

  CompileSummary &summary;
  const std::map<std::string, double> &kernelNs;
  /// By kernel name; without the members that only the lowered kernel determines.
  std::map<std::string, KernelSummary> templates;
};

/// Returns the number of nodes in a model file, subgraphs included.
int64_t countNodes(const import::Model &model);

/// Copies names, shapes and sizes of the artefact's interface to the summary.
void noteInterface(const codegen::ModelInterface &interface, CompileSummary &summary);

} // namespace convoy::driver
