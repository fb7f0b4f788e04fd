// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multiply of a register tile: what one instruction does with inputs and weights. The rest of a
// tile (RegisterTile.h, ConvEmitter.h) is the same for every multiply. A new instruction is a new
// class of this interface.
//
// A cell is the part of a tile that `registers` accumulators hold: `pixels` pixels times one block
// of output channels. A step sums `depth` input channels:
//
//     instruction          pixels  depth  registers
//     FMA                       1      1          1
//     vpdpbusd, sdot            1      4          1
//     vpdpbusd, 16 bits         1      4          2   lower and upper bytes of the inputs
//     smmla                     2      8          2   each holds 2 pixels x 2 channels

#pragma once

#include "Kernels/Core/LoopNest.h"
#include "Kernels/Loops/Lanes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace convoy::kernels {

/// A block of output channels of a weight panel.
struct PanelBlock {
  Index channels;      // in the result of the convolution, one per lane
  mlir::Value head;    // offset of the numbers in front of the weights, if the multiply has a head
  bool hasBias = true; // false for the panel of ones
};

class Multiply : protected LoopNest {
public:
  using Values = LoopNest::Values;

  virtual ~Multiply() = default;

  int64_t block;           // output channels per cell
  int64_t depth = 1;       // input channels per step; also their number in a row of the weights
  int64_t pixels = 1;      // per cell
  int64_t registers = 1;   // accumulators per cell
  int64_t loadedSteps = 1; // the most steps whose inputs one call of loadInputs reads
  /// Elements per output channel at the start of a panel, in front of its weights.
  int64_t head = 0;
  /// Whether start() adds the bias. Otherwise the epilogue adds it.
  bool addsBias = false;
  /// Whether inputs outside the image add nothing to a sum. Otherwise they are multiplied, and
  /// loadInputs returns what they are.
  bool ignoresPadding = true;

  /// The type of an accumulator.
  mlir::Type type;

  /// Loads the weights of one step and one block of output channels.
  virtual Values loadWeights(mlir::Value offset) = 0;
  /// Loads the inputs of a cell for `steps` steps. There is an offset per pixel of the cell; a null
  /// offset is a pixel outside the image. A null result adds nothing to a sum.
  virtual Values loadInputs(llvm::ArrayRef<mlir::Value> offsets, int64_t steps) = 0;
  /// Returns the inputs of one of the loaded steps.
  virtual Values inputsOf(llvm::ArrayRef<mlir::Value> loaded, int64_t /*step*/) {
    return Values(loaded);
  }
  /// Returns accumulator `i` of a cell plus the products of a step.
  virtual mlir::Value multiplyAdd(int64_t i, mlir::Value sum, llvm::ArrayRef<mlir::Value> inputs,
                                  llvm::ArrayRef<mlir::Value> weights) = 0;

  /// Returns the accumulators of a cell before the first step.
  virtual Values start(const PanelBlock & /*block*/) { return zeros(); }
  /// Returns the values that finish() needs. They are loaded once per block of output channels.
  virtual Values corrections(const PanelBlock & /*block*/) { return {}; }
  /// Returns the sums of a cell: one vector of output channels per pixel.
  virtual Values finish(llvm::ArrayRef<mlir::Value> cell,
                        llvm::ArrayRef<mlir::Value> /*corrections*/) {
    return Values(cell);
  }

protected:
  Multiply(mlir::ImplicitLocOpBuilder &builder, int64_t block, mlir::Type type)
      : LoopNest(builder), block(block), type(type) {}

  /// Returns the accumulators of a cell with the value 0.
  Values zeros() {
    return Values(registers, b.create<mlir::arith::ConstantOp>(b.getZeroAttr(type)));
  }
};

} // namespace convoy::kernels
