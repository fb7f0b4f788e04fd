// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the kernels of a model on a CPU, as `convoy explain` shows them.

#pragma once

#include "convoy/report.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

/// Prints a table of all kernels, the longest first, the reasons of the generic loops, and how
/// much of the model runs in generic loops. With `isVerbose`, also prints configurations and
/// layouts.
void printKernels(llvm::raw_ostream &os, const std::string &model, const CompileReport &report,
                  bool isVerbose);

} // namespace convoy::tool
