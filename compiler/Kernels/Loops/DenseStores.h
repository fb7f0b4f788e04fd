// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the stores of ops whose results have sizes that depend on data: elements without gaps,
// zeros after them, and the size itself.

#pragma once

#include "Kernels/Loops/KernelEmitter.h"

namespace convoy::kernels {

/// Returns `position` plus `step` if the condition holds.
mlir::Value advance(KernelEmitter &k, mlir::Value position, mlir::Value condition, int64_t step);

/// Stores zeros from `position` to the end of a result of `count` elements.
void clearRest(KernelEmitter &k, const Buffer &out, mlir::Value position, int64_t count);

/// Stores the size as the only element of the extents, if the model needs them.
void storeExtent(KernelEmitter &k, std::optional<Buffer> out, mlir::Value count);

/// Copies `count` elements at `from` to `position` if the condition holds. A single element is
/// copied without a branch.
void copySlice(KernelEmitter &k, mlir::Value input, const Index &from, const Buffer &out,
               mlir::Value position, int64_t count, mlir::Value condition);

/// Emits: if (condition) body.
void emitIf(KernelEmitter &k, mlir::Value condition, llvm::function_ref<void()> body);

} // namespace convoy::kernels
