# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models that the diagrams of docs/how-it-works show.

  models.py FOLDER

Weights come from a fixed seed, so that the compiler's decisions are the same on
every machine. Needs Python with onnx and numpy.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """Collects nodes and initializers of one model."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.initializers = []
        self.random = np.random.default_rng(1)

    def constant(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, name, inputs, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def weights(self, name, *shape):
        scale = 1 / np.sqrt(np.prod(shape[1:]))
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(np.float32))

    def conv(self, name, value, inputs, outputs, kernel, stride=1):
        weights = self.weights(name + "_w", outputs, inputs, kernel, kernel)
        return self.node("Conv", name, [value, weights], strides=[stride, stride], pads=[kernel // 2] * 4)

    def quantize(self, value, scale):
        """Quantizes a value to int8 and dequantizes it again."""
        operands = [self.constant(value + "_scale", np.float32(scale)), self.constant(value + "_zero", np.int8(0))]
        quantized = self.node("QuantizeLinear", value + "_q", [value] + operands)
        return self.node("DequantizeLinear", value + "_dq", [quantized] + operands)

    def quantized_weights(self, name, *shape):
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        scales = np.linspace(0.002, 0.004, shape[0]).astype(np.float32)
        operands = [self.constant(name + "_values", values), self.constant(name + "_scale", scales)]
        return self.node("DequantizeLinear", name, operands, axis=0)

    def quantized_conv(self, name, value, inputs, outputs, kernel):
        weights = self.quantized_weights(name + "_w", outputs, inputs, kernel, kernel)
        return self.node("Conv", name, [value, weights], pads=[kernel // 2] * 4)

    def save(self, folder, input_shape, **outputs):
        value = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, self.name, [value("image", TensorProto.FLOAT, input_shape)],
                                  [value(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
                                  self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, str(pathlib.Path(folder) / (self.name + ".onnx")))


def branches(folder):
    """A stem, two branches of unequal cost, their concatenation as an output, and a classifier."""
    b = Builder("branches")
    stem = b.node("Relu", "stem_relu", [b.conv("stem", "image", 3, 16, 3, 2)])
    left = b.node("Relu", "left_relu", [b.conv("left", stem, 16, 32, 3)])
    left = b.node("Relu", "left2_relu", [b.conv("left2", left, 32, 32, 1)])
    pool = b.node("MaxPool", "pool", [stem], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    right = b.node("Relu", "right_relu", [b.conv("right", pool, 16, 32, 5)])
    joined = b.node("Concat", "join", [left, right], axis=1)
    flat = b.node("Flatten", "flat", [b.node("GlobalAveragePool", "mean", [joined])])
    b.node("Gemm", "classify", [flat, b.weights("classify_w", 64, 10)])
    b.save(folder, [1, 3, 12, 12], join=[1, 64, 6, 6], classify=[1, 10])


def quantized(folder):
    """One convolution with a relu between QuantizeLinear and DequantizeLinear."""
    b = Builder("quantized")
    conv = b.quantized_conv("conv", b.quantize("image", 0.05), 8, 16, 3)
    b.quantize(b.node("Relu", "relu", [conv]), 0.04)
    b.save(folder, [1, 8, 8, 8], relu_dq=[1, 16, 8, 8])


def device(folder):
    """A quantized network with one op that no convolution core executes."""
    b = Builder("device")
    value = b.quantize("image", 0.05)
    value = b.quantize(b.node("Relu", "relu1", [b.quantized_conv("conv1", value, 8, 16, 3)]), 0.04)
    value = b.quantize(b.node("MaxPool", "pool", [value], kernel_shape=[2, 2], strides=[2, 2]), 0.04)
    value = b.quantize(b.node("Relu", "relu2", [b.quantized_conv("conv2", value, 16, 16, 3)]), 0.04)
    value = b.quantize(b.node("Resize", "resize", [value, "", b.constant("scales", np.float32([1, 1, 2, 2]))],
                              mode="nearest"), 0.04)
    b.quantize(b.quantized_conv("conv3", value, 16, 8, 1), 0.05)
    b.save(folder, [1, 8, 16, 16], conv3_dq=[1, 8, 16, 16])


def write_all(folder):
    for write in (branches, quantized, device):
        write(folder)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_all(folder)


if __name__ == "__main__":
    main()
