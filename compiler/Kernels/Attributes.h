// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of the kernel dialect on ops and on the module.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace convoy::kernels {

/// The machine of a module. convoy-kernels-insert-machine sets it; Machine.h reads it.
inline constexpr llvm::StringLiteral kMachineAttr = "kernel.machine";
/// The reason why a softmax between two products is not one kernel, on the second product.
/// convoy-fusion-fuse-attention sets it; `convoy explain` prints it.
inline constexpr llvm::StringLiteral kWhyNotAttentionAttr = "kernel.why_not_attention";
/// The number of elements that the lanes of a vector.gather read, from its base on. The loops set
/// it if the lanes read one row of a tensor; code generation keeps short rows in registers.
inline constexpr llvm::StringLiteral kExtentAttr = "kernel.extent";
// convoy-layout-fold-roundings sets the attributes below, and the emitters of integer ops read
// them.
/// Marks a requantize op whose rounded products fit in i32 with room for a zero point.
inline constexpr llvm::StringLiteral kNarrowAttr = "kernel.narrow";
/// Marks a narrow requantize op that rounds half up and shifts by 33 to 53. The upper half of a
/// product then suffices and leaves room for a zero point.
inline constexpr llvm::StringLiteral kUpperAttr = "kernel.upper";

} // namespace convoy::kernels
