// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates graphs of one convolution with random parameters: one to three spatial dimensions,
// groups, strides, dilations, pads, transposed or not, floats or integers. Element-wise ops, pools
// or a second convolution follow. random_convolutions runs the graphs.

#pragma once

#include "tests/differential/SeededGraph.h"

namespace convoy::test {

class ConvolutionGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  /// Returns a module with a function of one or two inputs: data, and computed weights. With
  /// `hasSpecials`, some inputs contain infinities and NaN.
  mlir::ModuleOp make(bool hasSpecials);

  /// One tensor per input of the function.
  std::vector<Tensor> inputs;
  /// Whether the quantize stage shall lower the graph to integer layers.
  bool hasIntegerForm = false;

private:
  /// How the layer computes.
  enum class Form {
    Float,      // in the type of the input
    Sums,       // ConvInteger: 32-bit sums of 8-bit values without their zero points
    Rescaled,   // QLinearConv: the sums, rescaled to 8 bits
    Dequantized // QDQ: a float layer between quantized values
  };
  struct Window {
    Shape kernel, strides, dilations, begins, ends, extras;
  };
  /// The channels of a layer.
  struct Channels {
    int64_t groups, inputs, outputs; // inputs and outputs of one group
  };

  void choose();
  Channels randomChannels();
  Window randomWindow(llvm::ArrayRef<int64_t> sizes);
  Window randomTransposed(llvm::ArrayRef<int64_t> sizes);
  static int64_t products(llvm::ArrayRef<int64_t> input, const Channels &channels,
                          const Window &window, bool isTransposed);

  mlir::Value operand(llvm::ArrayRef<int64_t> shape);
  mlir::Value weights(llvm::ArrayRef<int64_t> shape);
  mlir::Value body(mlir::Value x);
  mlir::Value layer(mlir::Value x, mlir::Value weight, mlir::Value bias);
  mlir::Value floatLayer(mlir::Value x);
  mlir::Value sums(mlir::Value x, bool hasBias);
  mlir::Value rescaled(mlir::Value sums);
  mlir::Value dequantized(mlir::Value x);
  mlir::Value behind(mlir::Value y);
  mlir::Value elementwise(mlir::Value y);
  mlir::Value pool(mlir::Value y);
  mlir::Value second(mlir::Value y);
  mlir::Value gate(mlir::Value y);

  Tensor randomBytes(ElementType type, llvm::ArrayRef<int64_t> shape);
  Tensor randomScales(double scale, int64_t count);
  mlir::Value number(double value) { return b.constant(Tensor::scalar(ElementType::F32, value)); }
  Shape weightShape() const;
  int64_t anyByte(ElementType byte);
  ElementType byteType() { return random.chance(0.5) ? ElementType::U8 : ElementType::I8; }

  Form form = Form::Float;
  ElementType type = ElementType::F32;
  bool isTransposed = false, hasComputedWeights = false;
  Shape input; // N x C x spatial...
  Channels channels{1, 1, 1};
  Window window;
};

} // namespace convoy::test
