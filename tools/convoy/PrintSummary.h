// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closing summary of `convoy compile`.

#pragma once

#include "convoy/artefact.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

void printSummary(llvm::raw_ostream &os, const Artefact &artefact);
void printSummaryJson(llvm::raw_ostream &os, const Artefact &artefact);

} // namespace convoy::tool
