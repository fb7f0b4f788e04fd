// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates random quantized graphs: a sequence of layers with branches that join again, with int8
// values between layers, on request mixed with int16 values and 4-bit weights. Each layer has an
// integer form, so every target must give the same bits.

#pragma once

#include "tests/differential/SeededGraph.h"

namespace convoy::test {

class QuantizedGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  /// Returns a module with a function from floats to int8 or int16.
  mlir::ModuleOp make();

  /// Set only for devices that normalize with a lookup table; other targets run a float layer.
  bool hasNormalizations = false;

  /// The share of int16 values, and of layers with 4-bit weights.
  double wideShare = 0, narrowShare = 0;

private:
  /// A float value and the scale of its integers if they have 8 bits. The scale of int16 values is
  /// 256 times smaller, so that they cover the same range.
  struct Layer {
    mlir::Value value;
    double scale = 1;
    bool isWide = false;
  };

  mlir::Value number(double value) { return b.constant(Tensor::scalar(ElementType::F32, value)); }
  mlir::Value zeroPoint(int64_t value, ElementType type = ElementType::I8) {
    return b.constant(Tensor::scalar(type, static_cast<double>(value)));
  }
  /// Quantizes `x` to int8 or int16 and dequantizes it.
  Layer settle(mlir::Value x, double scale);
  mlir::Value weights(llvm::ArrayRef<int64_t> shape, double scale,
                      ElementType type = ElementType::I8);
  /// Returns int8 or int4, the type of the weights of a layer.
  ElementType weightType();

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
