// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the table of stages, in order. RunStages.h runs the stages; `--help-stages`, the
// dumps and the documentation read the same table.

#pragma once

#include "Bands/Passes.h"
#include "Codegen/LLVM/Options.h"
#include "Kernels/Passes.h"
#include "Layout/Passes.h"
#include "Memory/Passes.h"
#include "Outline/Passes.h"
#include "Place/Passes.h"
#include "Quantize/Passes.h"
#include "Schedule/Passes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace convoy {

struct CompileReport;

/// The result of the codegen stage.
enum class Exit {
  Object, ///< The LLVM dialect, for an object file.
  Source, ///< The input of the C printer.
};

/// The options of every stage.
struct StageOptions {
  /// The CPU. The fusion stage sets it as `kernel.machine` on the module, where the later stages
  /// read it.
  kernels::Machine machine;
  quantize::QuantizeOptions quantize;
  place::PlaceOptions place;
  layout::LayoutOptions layout;
  outline::OutlineOptions outline;
  kernels::KernelsOptions kernels;
  bands::BandsOptions bands;
  memory::MemoryOptions memory;
  schedule::ScheduleOptions schedule;
  codegen::CodegenOptions codegen;
  Exit exit = Exit::Object;
  /// Checks the contract of each stage after the stage.
  bool verifyStages = false;
  /// Runs MLIR's verifier; RunStages.cpp decides after which passes.
  bool verifyPasses = true;
};

struct Stage {
  llvm::StringLiteral name;    // --stop-after=<name>, dump file, timing row
  llvm::StringLiteral summary; // one line of --help-stages
  void (*addPasses)(mlir::OpPassManager &, const StageOptions &);
  /// Adds the check of the properties that the next stage may assume.
  void (*addContract)(mlir::OpPassManager &, const StageOptions &);
  /// Whether the reference can run the module after this stage.
  bool isExecutable;
  /// Fills the stage's part of the report of a compile; null: the stage has none.
  void (*report)(mlir::ModuleOp, const StageOptions &, CompileReport &);
};

/// Returns all stages after Import, in order.
llvm::ArrayRef<Stage> stages();

/// Returns the stage with this name, or null.
const Stage *findStage(llvm::StringRef name);

} // namespace convoy
