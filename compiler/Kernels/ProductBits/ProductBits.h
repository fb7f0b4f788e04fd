// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of the product_bits template, products with a constant matrix that has a scale per
// block, the split of a product into steps, and its emitter.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Core/CeilDiv.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Machine.h"
#include "Task/Task.h"

namespace convoy::kernels {

/// The bits of a word of packed weights.
constexpr int64_t kWordBits = 32;

/// A kernel of one product with a dequantize_linear, followed by element-wise ops.
struct BitsProduct {
  mutable graph::MatMulOp op;                // mutable, because the accessors of ops are not const
  unsigned input = 0, weight = 0, scale = 0; // block argument numbers
  std::optional<unsigned> zeroPoint;
  int64_t rows = 0, depth = 0, columns = 0;
  int64_t bits = 0, block = 0;
  bool isSigned = false; // of the weights and the zero points

  int64_t perWord() const { return kWordBits / bits; }
  int64_t blocks() const { return ceilDiv(depth, block); }
  int64_t blockWords() const { return block / perWord(); }
  /// Returns what the layout adds to an element: the zero point of packed weights without others.
  int64_t offset() const { return isSigned ? int64_t(1) << (bits - 1) : 0; }
};

/// The split of a product into steps, and its scratch memory in f32:
///
///     converted in registers   inputs [row][k]     sums of blocks [row][block]   results of a tile
///     converted at once        panel [k][column]                                 results of a step
struct BitsPlan {
  BitsPlan(const BitsProduct &product, ProductBitsAttr config, const Machine &machine);

  int64_t lanes, vectors, width; // of a panel; width is in columns
  int64_t tileRows;
  bool isInRegisters;
  int64_t bytes; // of an input that is multiplied as integers; 0: f32
  int64_t depth; // per pass
  int64_t panels, panelsPerStep, columnSteps;
  int64_t stepRows, rowSteps; // rows per step, a multiple of tileRows or all rows
  int64_t inputElements, sumElements, resultElements; // of scratch memory
  bool fetchesWords; // prefetch the words that are converted in registers

  int64_t scratchElements() const { return inputElements + sumElements + resultElements; }
};

/// Lowers a kernel function whose configuration is `config`.
mlir::LogicalResult lowerProductBits(task::KernelOp kernel, const BitsProduct &product,
                                     ProductBitsAttr config, const Machine &machine);

} // namespace convoy::kernels
