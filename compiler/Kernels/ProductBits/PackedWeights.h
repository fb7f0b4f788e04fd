// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the words, scales and zero points of a packed matrix, one vector of columns at a time.

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/ProductBits/ProductBits.h"

namespace convoy::kernels {

class PackedWeights : LoopNest {
public:
  PackedWeights(KernelFunction &function, const BitsProduct &product, const BitsPlan &plan)
      : LoopNest(function.b), function(function), p(product), plan(plan),
        lanes(function.b, plan.lanes) {}

  /// A vector of columns at a block of the depth.
  struct Place {
    mlir::Value panel, block;
    int64_t vector;
  };

  /// Returns word `word` of a block, vector<lanes x i32>.
  mlir::Value loadWord(const Place &place, mlir::Value word);
  /// Prefetches words that a later iteration loads, as many as all vectors load at word `word`.
  void fetchWords(mlir::Value panel, mlir::Value block, mlir::Value word);
  /// Returns the scales as f32.
  mlir::Value loadScale(const Place &place);
  /// Returns the zero points of the stored weights as `type`, f32 or i32, or null if they are 0.
  mlir::Value loadZeros(const Place &place, ElementType type);

  /// Returns weight `j` of each word as f32, in the lowest bits of a lane.
  mlir::Value weightOf(mlir::Value words, int64_t j);
  /// Returns weight `j` of each word as f32 times scaleOf(j). This saves the shift.
  mlir::Value scaledWeightOf(mlir::Value words, int64_t j);
  /// Returns a power of two.
  double scaleOf(int64_t j) const;

  /// Returns a vector of equal lanes.
  mlir::Value splat(int32_t value);
  mlir::Value splat(float value);

private:
  /// Returns the number of the first word of all vectors at word `word` of a block, per column.
  mlir::Value wordsBefore(mlir::Value panel, mlir::Value block, mlir::Value word);
  mlir::Value load(unsigned operand, const Place &place, ElementType type);
  mlir::Value select(mlir::Value words, int64_t j, bool isShifted);

  KernelFunction &function;
  const BitsProduct &p;
  const BitsPlan &plan;
  Lanes lanes;
};

} // namespace convoy::kernels
