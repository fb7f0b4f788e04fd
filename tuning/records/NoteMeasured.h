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
  int64_t kept = 0;    // stay as by default, though there are: they did not win in the network
};

/// What this compiler looks for: its templates' versions, for a target.
Selection selectionFor(llvm::StringRef targetFingerprint, llvm::StringRef policy);

/// The network that a module's kernels are, as verdicts name it.
std::string networkOf(mlir::ModuleOp module, const TaskSettings &settings);

/// Puts what was measured on each kernel of a module before layouts are chosen, as
/// Layout/Measured.h has it. A record that no longer fits its kernel is a miss.
/// `verdict` is taken instead of the snapshot's last one about the network when given.
Noted noteMeasured(mlir::ModuleOp module, const Snapshot &snapshot, const TaskSettings &settings,
                   const Verdict *verdict = nullptr);

} // namespace convoy::tuning
