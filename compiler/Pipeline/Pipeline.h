// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of stages, as a table that the driver, the dumps and the
// documentation read.

#pragma once

#include "Kernels/Passes.h"
#include "Layout/Passes.h"
#include "Memory/Passes.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"
#include "Tasks/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace convoy {

/// Called with a pass manager before it runs, to watch its passes or to add to
/// what they do.
using PassHook = std::function<void(mlir::PassManager &)>;

/// The options of every stage.
struct CompileOptions {
  quantize::QuantizeOptions quantize;
  place::PlaceOptions place;
  layout::LayoutOptions layout;
  kernels::KernelsOptions kernels;
  memory::MemoryOptions memory;
  tasks::TasksOptions tasks;
  /// Check after each stage what the next one relies on.
  bool verifyStages = false;
  /// For whoever runs the pipeline: to call, if set, with each pass manager.
  PassHook instrument = nullptr;
};

struct Stage {
  llvm::StringLiteral name;    // --stop-after=<name>, dump file, timing row
  llvm::StringLiteral summary; // one line of --help-stages
  void (*addPasses)(mlir::OpPassManager &, const CompileOptions &);
  void (*addContract)(mlir::OpPassManager &); // what the next stage may rely on
  /// Whether the reference can still run the module after this stage.
  bool isExecutable;
};

/// All stages between Import and Codegen, in order.
llvm::ArrayRef<Stage> stages();

/// The stage of that name, or null.
const Stage *findStage(llvm::StringRef name);

/// Adds the passes of all stages up to and including `stopAfter`; of all when it
/// is empty.
void buildPipeline(mlir::OpPassManager &passes, const CompileOptions &options,
                   llvm::StringRef stopAfter = "");

} // namespace convoy
