// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `convoy compile` built, gathered on the way.

#pragma once

#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "tuning/records/NoteMeasured.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace convoy::driver {

/// One run of a kernel.
struct LayerSummary {
  std::string kernel;
  std::string nodes;       // of the model, that it computes
  std::string config;      // of its template; empty: the generic loops
  int64_t block = 0;       // channels that lie together in its result; 0: planar
  double vectorLength = 0; // estimated mean of its vector operations
  double vectorRatio = 0;  // estimated share of operations that they do
};

struct CompileSummary {
  codegen::LibraryFiles files;
  int64_t modelNodes = 0;               // in the file, subgraphs included
  int64_t graphOps = 0;                 // left after folding, without constants
  int64_t kernels = 0;                  // loop nests, equal ones counted each time
  int64_t reorders = 0;                 // that move data
  int64_t fusedOps = 0;                 // that share a kernel with another
  std::map<std::string, int64_t> fused; // "conv + relu": how often

  /// Of tuning records; no hash without.
  std::string recordsHash;
  tuning::Noted tuned;
  /// What the schedule of several threads promises; no scheduler for one.
  std::string scheduler;
  double predictedMs = 0, serialMs = 0;
  /// What the plan for a deadline promises, by the names of task.power_plan; empty
  /// without one.
  std::map<std::string, double> power;
  std::vector<LayerSummary> layers;

  std::string test;                        // of C source; empty: none
  std::string weightsAssembly;             // that links the weights of C source; empty: none
  std::vector<std::string> sourceCompiler; // the command for C source; empty: not known

  /// Takes the files of C source for those of a library.
  void setSource(const codegen::SourceFiles &source);
  void countNodes(const import::Model &model);
  /// Counts what a stage has left, where it tells something.
  void countOps(mlir::ModuleOp module, llvm::StringRef stage);

private:
  void noteConfigs(mlir::ModuleOp module);
  void noteLayers(mlir::ModuleOp module);

  std::map<std::string, std::string> configs; // of kernels, by name
};

void printText(llvm::raw_ostream &os, const CompileSummary &summary);
void printJson(llvm::raw_ostream &os, const CompileSummary &summary);

} // namespace convoy::driver
