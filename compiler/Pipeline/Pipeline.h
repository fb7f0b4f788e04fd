// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of stages, in order. RunStages.h runs them; `--help-stages`, the dumps and
// the documentation read the same table.

#pragma once

#include "Codegen/LLVM/Options.h"
#include "Kernels/Passes.h"
#include "Layout/Passes.h"
#include "Memory/Passes.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"
#include "Tasks/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy {

/// What the codegen stage lowers to.
enum class Exit {
  Object, ///< LLVM's dialect, for an object file.
  Source, ///< The form that the C printer takes.
};

/// The options of every stage.
struct StageOptions {
  quantize::QuantizeOptions quantize;
  place::PlaceOptions place;
  layout::LayoutOptions layout;
  kernels::KernelsOptions kernels;
  memory::MemoryOptions memory;
  tasks::TasksOptions tasks;
  codegen::CodegenOptions codegen;
  Exit exit = Exit::Object;
  /// Check the contract of each stage after it.
  bool verifyStages = false;
  /// Run MLIR's verifier after each pass.
  bool verifyPasses = true;
};

struct Stage {
  llvm::StringLiteral name;    // --stop-after=<name>, dump file, timing row
  llvm::StringLiteral summary; // one line of --help-stages
  void (*addPasses)(mlir::OpPassManager &, const StageOptions &);
  /// Checks what the next stage may assume.
  void (*addContract)(mlir::OpPassManager &, const StageOptions &);
  /// Whether the reference can still run the module after this stage.
  bool isExecutable;
};

/// All stages behind Import, in order.
llvm::ArrayRef<Stage> stages();

/// The stage of that name, or null.
const Stage *findStage(llvm::StringRef name);

} // namespace convoy
