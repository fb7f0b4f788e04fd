#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small.onnx, an int8 network (QDQ) that fits in 16 KiB of RAM, with one layer of each kind
that networks for microcontrollers have. Usage: make_small.py FOLDER"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SCALE = 0.05  # of all activations


class Network:
    def __init__(self):
        self.random = np.random.default_rng(1)
        self.nodes, self.weights = [], []
        self.constant("scale", np.float32(SCALE))
        self.constant("zero", np.int8(-3))

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def quantized(self, x):
        return self.node("QuantizeLinear", [x, "scale", "zero"])

    def real(self, x):
        return self.node("DequantizeLinear", [x, "scale", "zero"])

    def parameters(self, shape, outputs):
        """Adds int8 weights with a scale per output channel and an int32 bias; returns both."""
        name = f"weight{len(self.nodes)}"
        weight = self.random.integers(-127, 128, shape, np.int8)
        scales = self.random.uniform(0.002, 0.004, outputs).astype(np.float32)
        zeros = np.zeros(outputs, np.int8)
        w = self.node("DequantizeLinear", [self.constant(name, weight), self.constant(name + "_scale", scales),
                                           self.constant(name + "_zero", zeros)], axis=0)
        bias = self.random.integers(-500, 500, outputs, np.int32)
        b = self.node("DequantizeLinear", [self.constant(name + "_bias", bias),
                                           self.constant(name + "_bias_scale", scales * np.float32(SCALE)),
                                           self.constant(name + "_bias_zero", np.zeros(outputs, np.int32))], axis=0)
        return w, b

    def conv(self, x, inputs, outputs, kernel, group=1, stride=1):
        w, b = self.parameters((outputs, inputs // group, kernel, kernel), outputs)
        y = self.node("Conv", [self.real(x), w, b], kernel_shape=[kernel] * 2, group=group,
                      strides=[stride] * 2, pads=[kernel // 2] * 4)
        return self.quantized(self.node("Relu", [y]))


def main():
    n = Network()
    x = n.conv("image", 1, 8, 3)
    x = n.quantized(n.node("MaxPool", [n.real(x)], kernel_shape=[2, 2], strides=[2, 2]))
    y = n.conv(x, 8, 8, 3, group=8)
    x = n.quantized(n.node("Add", [n.real(n.conv(y, 8, 8, 1)), n.real(x)]))
    x = n.conv(x, 8, 20, 3, stride=2)
    x = n.quantized(n.node("GlobalAveragePool", [n.real(x)]))
    x = n.node("Flatten", [n.real(x)])
    w, b = n.parameters((10, 20), 10)
    x = n.quantized(n.node("Gemm", [x, w, b], transB=1))
    graph = helper.make_graph(
        n.nodes, "small", [helper.make_tensor_value_info("image", TensorProto.INT8, [1, 1, 16, 16])],
        [helper.make_tensor_value_info(x, TensorProto.INT8, [1, 10])], n.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(sys.argv[1], "small.onnx"))


if __name__ == "__main__":
    main()
