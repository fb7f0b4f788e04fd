// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small inputs for a function that was imported from a fuzzed model.

#pragma once

#include "mlir/IR/Types.h"
#include "reference/Datum.h"
#include <optional>
#include <random>

namespace convoy::fuzz {

/// A value of a type; open dimensions are 1 to 3. Nothing when the type is larger
/// than a run should be.
std::optional<reference::Datum> makeInput(mlir::Type type, std::minstd_rand &random);

} // namespace convoy::fuzz
