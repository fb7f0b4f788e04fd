// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads loads and recorded stage times from files. docs/howto/simulate-pool.md describes the
// formats.

#pragma once

#include "service/simulate/Load.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace convoy::service {

/// Reads a load from a JSON file. The seed varies the seconds of the items.
llvm::Expected<Load> readLoad(llvm::StringRef path, uint64_t seed);

/// Reads recorded seconds: a JSON object with the arrays propose, build and measure, or lines
/// "stage,seconds". A stage may be missing.
llvm::Expected<StageSamples> readStageSamples(llvm::StringRef path);

} // namespace convoy::service
