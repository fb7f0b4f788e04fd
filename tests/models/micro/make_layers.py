#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes layers_SEED.onnx: random int8 convolutions and products (QDQ), each with an input and an
output of its own, with the shapes, paddings, pools and sums that the templates of bytes support or
refuse. Usage: make_layers.py FOLDER SEED..."""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = 14


class Network:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def constant(self, value):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def scale(self):
        """Returns the scale and the zero point of a tensor. Some scales are powers of two, which
        make ties."""
        value = 0.0625 if self.random.random() < 0.2 else self.random.uniform(0.02, 0.2)
        zero = self.pick(-128, 0, int(self.random.integers(-128, 128)))
        return np.float32(value), np.int8(zero)

    def quantized(self, x, scale):
        return self.node("QuantizeLinear", [x, self.constant(scale[0]), self.constant(scale[1])])

    def real(self, x, scale):
        return self.node("DequantizeLinear", [x, self.constant(scale[0]), self.constant(scale[1])])

    def input(self, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.INT8, shape))
        return name

    def output(self, x, shape):
        self.outputs.append(helper.make_tensor_value_info(x, TensorProto.INT8, shape))

    def parameters(self, shape, depth, input_scale, axis):
        """Adds int8 weights with a scale per tensor or output channel and an int32 bias."""
        outputs = shape[axis]
        size = () if self.random.random() < 0.3 else (outputs,)
        scales = np.float32(self.random.uniform(0.5, 2.0, size) * 0.05 / np.sqrt(depth))
        if self.random.random() < 0.2:
            scales = np.exp2(np.round(np.log2(scales))).astype(np.float32)
        weight = self.random.integers(-127, 128, shape).astype(np.int8)
        axes = {"axis": axis} if size else {}
        w = self.node("DequantizeLinear", [self.constant(weight), self.constant(scales),
                                           self.constant(np.zeros(size, np.int8))], **axes)
        bias = self.random.integers(-20000, 20000, outputs).astype(np.int32)
        b = self.node("DequantizeLinear",
                      [self.constant(bias), self.constant(np.float32(scales * input_scale)),
                       self.constant(np.zeros(size, np.int32))], **({"axis": 0} if size else {}))
        return w, b

    def conv(self):
        channels, outputs = self.pick(1, 2, 3, 4, 7, 8, 16, 20, 33), self.pick(1, 2, 4, 5, 8, 16, 18)
        kernel = [int(self.random.integers(1, 6)), int(self.random.integers(1, 5))]
        if self.random.random() < 0.4:
            kernel = [1, 1]
        strides = [self.pick(1, 1, 2, 3), self.pick(1, 1, 2)]
        dilations = [self.pick(1, 1, 1, 2), self.pick(1, 1, 1, 2)]
        pads = [int(self.random.integers(0, k)) for k in kernel + kernel]
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        size = [int(self.random.integers(r, r + 9)) for r in reach]
        shape = [1, channels] + size
        scale, result = self.scale(), self.scale()
        x = self.input(shape)
        w, b = self.parameters((outputs, channels, *kernel), channels * kernel[0] * kernel[1], scale[0], 0)
        y = self.node("Conv", [self.real(x, scale), w, b], kernel_shape=kernel, strides=strides,
                      dilations=dilations, pads=pads)
        if self.random.random() < 0.5:
            y = self.node("Relu", [y])
        y = self.quantized(y, result)
        rows, columns = [(s + pads[i] + pads[i + 2] - r) // st + 1
                         for i, (s, r, st) in enumerate(zip(size, reach, strides))]
        y, shape = self.after(y, [1, outputs, rows, columns], result)
        self.output(y, shape)

    def after(self, y, shape, scale):
        """Adds a max pool, a sum or nothing."""
        kind = self.random.random()
        if kind < 0.3 and min(shape[2:]) >= 3:
            kernel, strides = [self.pick(2, 3), self.pick(2, 3)], [self.pick(1, 2, 3), self.pick(1, 2)]
            y = self.quantized(self.node("MaxPool", [self.real(y, scale)], kernel_shape=kernel, strides=strides), scale)
            return y, shape[:2] + [(s - k) // st + 1 for s, k, st in zip(shape[2:], kernel, strides)]
        if kind < 0.5:
            other, result = self.scale(), self.scale()
            added = self.real(self.input(shape), other)
            pair = [self.real(y, scale), added]
            pair = pair if self.random.random() < 0.5 else pair[::-1]
            return self.quantized(self.node("Add", pair), result), shape
        return y, shape

    def product(self):
        depth, outputs = self.pick(3, 16, 30, 64, 129), self.pick(1, 2, 6, 12, 16)
        rows = self.pick(1, 1, 3)
        scale, result = self.scale(), self.scale()
        w, b = self.parameters((depth, outputs), depth, scale[0], 1)
        x = self.input([rows, depth])
        y = self.node("Gemm", [self.real(x, scale), w, b])
        self.output(self.quantized(y, result), [rows, outputs])


def main():
    for seed in sys.argv[2:]:
        n = Network(int(seed))
        for i in range(LAYERS):
            n.product() if i % 5 == 4 else n.conv()
        graph = helper.make_graph(n.nodes, "layers", n.inputs, n.outputs, n.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(sys.argv[1], f"layers_{seed}.onnx"))


if __name__ == "__main__":
    main()
