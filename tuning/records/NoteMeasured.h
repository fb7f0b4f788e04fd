// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells the compiler what records hold of a model's kernels.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "tuning/records/Snapshot.h"
#include "tuning/space/CanonicalTask.h"

namespace convoy::tuning {

struct Noted {
  int64_t kernels = 0; // that are tasks
  int64_t tuned = 0;   // of which there are records
};

/// What this compiler looks for: its templates' versions, for a target.
Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy);

/// Puts what was measured on each kernel of a module before layouts are chosen, as
/// Layout/Measured.h has it. A record that no longer fits its kernel is a miss.
Noted noteMeasured(mlir::ModuleOp module, const Snapshot &snapshot, const TaskSettings &settings);

} // namespace convoy::tuning
