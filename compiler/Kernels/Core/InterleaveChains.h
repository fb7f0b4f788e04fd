// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interleaves independent chains of ops. A function of an element, for example exp, is a chain of
// dependent ops. A core executes the chains of several vectors at the same time only if their ops
// are close to each other in the instruction stream, because it looks ahead for a limited number of
// waiting ops. LLVM keeps the order of the ops.

#pragma once

#include "mlir/IR/Builders.h"
#include <vector>

namespace convoy::kernels {

/// The number of chains to interleave. Of 4, 7, 8 and 14 chains, 8 make EfficientNet-B0 fastest on
/// AVX-512: 0.94 of its time without interleaving, as on AVX2.
constexpr int64_t kInterleavedChains = 8;
/// The minimum cycles of a chain that is worth interleaving. A core overlaps shorter chains itself.
constexpr double kInterleavedCycles = 12;

/// Interleaves chains that follow each other in a block: the first op of each chain, the second op
/// of each chain, and so on. An op stays behind the ops of other chains whose values it uses. The
/// chains must not access the same memory if one of them writes it.
void interleaveOps(llvm::ArrayRef<std::vector<mlir::Operation *>> chains);

/// Calls `emit` for 0, 1, ... `count` - 1 and interleaves the ops that the calls create at the
/// insertion point.
void interleaveChains(mlir::OpBuilder &builder, int64_t count,
                      llvm::function_ref<void(int64_t)> emit);

} // namespace convoy::kernels
