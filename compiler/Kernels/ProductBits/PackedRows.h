// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with weights that are converted in registers. The rows of the input are first copied to
// scratch memory, in a form that makes the conversion cheap.

#pragma once

#include "Kernels/DotProduct.h"
#include "Kernels/ProductBits/PackedWeights.h"

namespace convoy::kernels {

/// A tile of rows of a step.
struct RowTile {
  mlir::Value row;    // in the product
  mlir::Value inStep; // in the step
  int64_t height;     // rows
};

class PackedRows : protected LoopNest {
public:
  virtual ~PackedRows() = default;

  /// Emits the copy of all rows.
  void copy();
  /// Returns the accumulators of a tile, [vector][row], plus the products of a block.
  virtual Values addBlock(mlir::Value panel, mlir::Value block, const RowTile &tile,
                          Values acc) = 0;

protected:
  PackedRows(KernelFunction &function, const BitsProduct &product, const BitsPlan &plan)
      : LoopNest(function.b), function(function), p(product), plan(plan),
        weights(function, product, plan), lanes(function.b, plan.lanes) {}

  /// Emits the copy of the first `count` elements of a block, and zeros after them.
  virtual void copyBlock(mlir::Value row, mlir::Value block, int64_t count) = 0;

  /// Calls `body` for the words of weights that the first `count` elements of a block have, with
  /// the number of the word and its inputs, and carries values.
  Values forWords(mlir::Value row, mlir::Value block, int64_t count, Values carried,
                  llvm::function_ref<Values(mlir::Value, mlir::Value, Values)> body);
  /// Returns the number of a block of a row in the copy.
  mlir::Value blockOf(mlir::Value row, mlir::Value block) {
    return add(mul(row, p.blocks()), block);
  }
  /// Returns the words of one block of a panel, one per vector.
  Values loadWords(mlir::Value panel, mlir::Value block, mlir::Value word);

  /// Returns scalars, or vectors of `count` equal lanes.
  mlir::Value real(float value, int64_t count = 1);
  mlir::Value integer(int32_t value, int64_t count = 1);

  KernelFunction &function;
  const BitsProduct &p;
  const BitsPlan &plan;
  PackedWeights weights;
  Lanes lanes;
};

/// Multiplies f32.
class ScaledRows : public PackedRows {
public:
  ScaledRows(KernelFunction &function, const BitsProduct &product, const BitsPlan &plan)
      : PackedRows(function, product, plan), inputs(function.scratchFloats(0, plan.inputElements)),
        sums(function.scratchFloats(plan.inputElements, plan.sumElements)) {}

  Values addBlock(mlir::Value panel, mlir::Value block, const RowTile &tile, Values acc) override;

private:
  void copyBlock(mlir::Value row, mlir::Value block, int64_t count) override;
  Values startBlock(mlir::Value panel, mlir::Value block, const RowTile &tile);
  Values addWord(mlir::Value panel, mlir::Value block, mlir::Value word, const RowTile &tile,
                 Values parts);

  mlir::Value inputs; // [row][k], each divided by PackedWeights::scaleOf
  mlir::Value sums;   // of a block, negative; times the zero point if it is the same for all blocks
};

/// Multiplies bytes. An input is an integer of `plan.bytes` signed bytes times a scale per block.
class SplitRows : public PackedRows {
public:
  SplitRows(KernelFunction &function, const BitsProduct &product, const BitsPlan &plan,
            DotForm form)
      : PackedRows(function, product, plan), dot(function.b, form, plan.lanes),
        groups(8 / product.bits), flip(dot.takesSigned() && product.bits == 8 ? 128 : 0) {}

  Values addBlock(mlir::Value panel, mlir::Value block, const RowTile &tile, Values acc) override;

private:
  void copyBlock(mlir::Value row, mlir::Value block, int64_t count) override;
  mlir::Value mostOf(mlir::Value row, mlir::Value block, int64_t count);
  Values storeWord(mlir::Value place, mlir::Value x, mlir::Value factor, Values sums);
  Values startBlock(mlir::Value panel, mlir::Value block, const RowTile &tile);
  Values addWord(mlir::Value panel, mlir::Value block, mlir::Value word, const RowTile &tile,
                 Values parts);
  mlir::Value groupOf(mlir::Value words, int64_t group);
  bool hasZeros() const { return p.zeroPoint || p.offset() != flip; }
  /// Returns the place of byte `plane` of the inputs of a word, in the scratch memory.
  mlir::Value placeOf(mlir::Value row, mlir::Value block, mlir::Value word, int64_t plane);
  /// Returns the place of a sum of a block, or of its scale after the sums.
  mlir::Value sumPlace(mlir::Value row, mlir::Value block, int64_t plane);

  DotProduct dot;
  int64_t groups; // weights per byte
  int64_t flip;   // what is subtracted from a stored weight so that it is a signed byte
};

} // namespace convoy::kernels
