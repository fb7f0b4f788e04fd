// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random quantised graphs: layers one behind the other, with branches that meet again,
// every value between them int8. Each layer has an integer form, so that results are
// defined to the bit.

#pragma once

#include "tests/differential/SeededGraph.h"

namespace convoy::test {

class QuantizedGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  /// A function from floats to int8.
  mlir::ModuleOp make();

  /// Only for targets that normalise by table: elsewhere it is a layer of floats.
  bool hasNormalizations = false;

private:
  /// A value as floats, and what one step of its integers stands for.
  struct Layer {
    mlir::Value value;
    double scale = 1;
  };

  mlir::Value number(double value) { return b.constant(Tensor::scalar(ElementType::F32, value)); }
  mlir::Value zeroPoint(int64_t value) {
    return b.constant(Tensor::scalar(ElementType::I8, value));
  }
  /// Through int8 and back; `integers` is what lies between.
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
