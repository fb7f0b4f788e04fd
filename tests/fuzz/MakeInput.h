// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes small inputs for a function that was imported from a fuzzed model.

#pragma once

#include "mlir/IR/Types.h"
#include "reference/Datum.h"
#include <optional>
#include <random>

namespace convoy::fuzz {

/// Returns a value of the type, with dynamic dimensions of 1 to 3. Returns nothing if the type
/// exceeds the size limit of a run.
std::optional<reference::Datum> makeInput(mlir::Type type, std::minstd_rand &random);

} // namespace convoy::fuzz
