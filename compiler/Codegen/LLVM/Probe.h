// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernel calls are to be timed. The mark is a part of the location, so it
// survives every stage that keeps node names, and changes nothing else.

#pragma once

#include "mlir/IR/Location.h"
#include <optional>

namespace convoy::codegen {

/// The location with a number that convoy-codegen-insert-probes will report.
mlir::Location withProbe(mlir::Location loc, int64_t number);

/// The number, if the location carries one.
std::optional<int64_t> probeOf(mlir::Location loc);

} // namespace convoy::codegen
