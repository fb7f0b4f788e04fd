// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks kernel calls and waits that are timed. The mark is a part of the location, so all stages
// that keep node names keep it, and it does not affect the code.

#pragma once

#include "mlir/IR/Location.h"
#include <optional>

namespace convoy::codegen {

/// Returns the location with a number, which convoy-codegen-insert-probes reports.
mlir::Location withProbe(mlir::Location loc, int64_t number);

/// Returns the number that marks a wait for a worker. Kernels have numbers from 0 on.
constexpr int64_t waitNumber(int64_t worker) { return -1 - worker; }

/// Returns the number of the location, if there is one.
std::optional<int64_t> probeOf(mlir::Location loc);

} // namespace convoy::codegen
