// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closing summary of `convoy compile`, and its last line, which other verbs print too.

#pragma once

#include "convoy/artifact.h"
#include "report/MicroBuild.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Prints whether the device is estimated to be faster than the CPU; nothing without placed ops.
void printVerdict(llvm::raw_ostream &os, const PlacementSummary &placement);

/// Prints the files and sizes. `micro` is null unless the target is a microcontroller.
void printSummary(llvm::raw_ostream &os, const Artifact &artifact, const report::MicroBuild *micro);
void printSummaryJson(llvm::raw_ostream &os, const Artifact &artifact, const Problems &problems,
                      const report::MicroBuild *micro);

} // namespace convoy::tool
