// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the narrowest float type in which a model file computes. `convoy check` and test benches
// derive their tolerance from it.

#pragma once

#include "Import/Import.h"
#include "Support/ElementType.h"

namespace convoy::driver {

/// Returns BF16, F16 or F32, in this order of preference. A type counts if a node other than a Cast
/// reads a value of the type: an input, an initializer, a constant, or the result of a Cast.
/// Weights that a Cast converts to f32 therefore do not count.
ElementType narrowestFloat(const import::Model &model);

} // namespace convoy::driver
