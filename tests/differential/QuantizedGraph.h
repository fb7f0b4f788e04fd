// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates random quantised graphs: a sequence of layers with branches that join again, with int8
// values between layers. Each layer has an integer form, so every target must give the same bits.

#pragma once

#include "tests/differential/SeededGraph.h"

namespace convoy::test {

class QuantizedGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  /// Returns a module with a function from floats to int8.
  mlir::ModuleOp make();

  /// Set only for devices that normalise with a lookup table; other targets run a float layer.
  bool hasNormalizations = false;

private:
  /// A float value and the scale of its integers.
  struct Layer {
    mlir::Value value;
    double scale = 1;
  };

  mlir::Value number(double value) { return b.constant(Tensor::scalar(ElementType::F32, value)); }
  mlir::Value zeroPoint(int64_t value) {
    return b.constant(Tensor::scalar(ElementType::I8, value));
  }
  /// Quantises `x` to int8 and dequantises it.
  Layer settle(mlir::Value x, double scale);
  mlir::Value weights(llvm::ArrayRef<int64_t> shape, double scale);

  Layer layer(Layer x);
  Layer conv(Layer x, int64_t outputs);
  Layer pool(Layer x);
  Layer largest(Layer x);
  Layer normalize(Layer x);
  Layer branch(Layer x);
  Layer classify(Layer x);

  mlir::Value integers;
};

} // namespace convoy::test
