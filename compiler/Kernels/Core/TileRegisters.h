// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bytes on the tile registers of x86 (AMX): a tile of sums is 16 inputs times 16 output
// channels and sums 64 bytes per instruction. The intrinsics name registers by number: LLVM keeps
// their order and never spills them. The configuration is at the start of scratch memory.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/KernelFunction.h"

namespace convoy::kernels {

/// Rows of a tile register, bytes per row, and bytes per tile.
constexpr int64_t kTileRows = 16;
constexpr int64_t kTileRowBytes = 64;
constexpr int64_t kTileBytes = kTileRows * kTileRowBytes;
/// Bytes of the configuration.
constexpr int64_t kTileConfigBytes = 64;

class TileRegisters : LoopNest {
public:
  /// Assigns registers in this order: vectors x tiles sums, weights of each vector, one input.
  TileRegisters(KernelFunction &function, int64_t tiles, int64_t vectors)
      : LoopNest(function.b), function(function), tiles(tiles), vectors(vectors) {}

  void configure();
  void release() { call("llvm.x86.tilerelease", {}); }

  /// Returns the address of memory as an index.
  mlir::Value addressOf(mlir::Value memory);
  /// Set the sums to zero, or load them from a single row per vector at `row`. The tile has `count`
  /// of the vectors.
  void zeroSums(int64_t count);
  void loadSums(mlir::Value row, int64_t count);
  /// Stores the sums of `count` vectors: [vector][tile][rows].
  void storeSums(mlir::Value address, int64_t count);
  /// The micro-kernel: multiplies each tile of inputs by each tile of weights. The weights of a
  /// vector are `panelBytes` after those of the vector before it.
  void multiply(mlir::Value input, mlir::Value weights, int64_t panelBytes, int64_t count);

private:
  int64_t sum(int64_t tile, int64_t vector) const { return vector * tiles + tile; }
  int64_t weight(int64_t vector) const { return vectors * tiles + vector; }
  int64_t input() const { return vectors * (tiles + 1); }
  void call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value number(int64_t tileRegister);
  mlir::Value pointer(mlir::Value address);
  /// Loads or stores a tile whose rows are `stride` bytes apart.
  void move(llvm::StringRef name, int64_t tileRegister, mlir::Value address,
            int64_t stride = kTileRowBytes);
  void forSums(int64_t count, llvm::function_ref<void(int64_t, int64_t)> body);

  KernelFunction &function;
  int64_t tiles, vectors;
};

} // namespace convoy::kernels
