#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small.onnx, a small network with every kind of layer that Convoy compiles differently for
long-vector machines, and loop.onnx, a Loop with convolutions in its body. Usage: make_small.py FOLDER"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    def __init__(self):
        self.random = np.random.default_rng(1)
        self.nodes, self.weights = [], []

    def conv(self, x, inputs, outputs, kernel, stride=1):
        name = f"conv{len(self.nodes)}"
        scale = np.sqrt(2 / (inputs * kernel * kernel))
        weight = self.random.standard_normal((outputs, inputs, kernel, kernel)) * scale
        bias = self.random.standard_normal(outputs) * 0.1
        for suffix, value in [("w", weight), ("b", bias)]:
            self.weights.append(numpy_helper.from_array(value.astype(np.float32), name + suffix))
        self.nodes.append(helper.make_node("Conv", [x, name + "w", name + "b"], [name], name=name,
                                           kernel_shape=[kernel] * 2, strides=[stride] * 2,
                                           pads=[kernel // 2] * 4))
        return name

    def node(self, kind, inputs, **attributes):
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def save(name, nodes, inputs, outputs, weights):
    floats = [[helper.make_tensor_value_info(value, TensorProto.FLOAT, shape) for value, shape in values]
              for values in (inputs, outputs)]
    graph = helper.make_graph(nodes, name, *floats, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(sys.argv[1], name + ".onnx"))


def loop(iterations=4, shape=(1, 64, 24, 24)):
    """A Loop of two convolutions, whose result is the input of the next iteration."""
    n = Network()
    y = n.conv(n.node("Relu", [n.conv("carried", shape[1], shape[1], 3)]), shape[1], shape[1], 3)
    following = n.node("Add", [y, "carried"])
    n.nodes.append(helper.make_node("Identity", ["goes"], ["continues"]))
    scalar = {name: helper.make_tensor_value_info(name, kind, [])
              for name, kind in [("step", TensorProto.INT64), ("goes", TensorProto.BOOL), ("continues", TensorProto.BOOL)]}
    carried, result = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("carried", following))
    body = helper.make_graph(n.nodes, "body", [scalar["step"], scalar["goes"], carried], [scalar["continues"], result])
    n.weights.append(numpy_helper.from_array(np.array(iterations, np.int64), "count"))
    save("loop", [helper.make_node("Loop", ["count", "", "x"], ["y"], "loop", body=body)], [("x", shape)], [("y", shape)],
         n.weights)


def small():
    n = Network()
    x = n.node("Relu", [n.conv("x", 3, 16, 7, stride=2)])                 # few channels, stride
    x = n.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = n.node("Relu", [n.conv(x, 16, 16, 3)])                            # lanes along rows
    y = n.conv(y, 16, 40, 1)                                              # lanes along rows, in place
    x = n.node("Relu", [n.node("Add", [y, n.conv(x, 16, 40, 1)])])
    x = n.node("Relu", [n.conv(x, 40, 256, 3, stride=2)])
    x = n.node("Relu", [n.conv(x, 256, 300, 1, stride=2)])                # lanes along channels
    x = n.node("GlobalAveragePool", [x])
    save("small", n.nodes, [("x", [1, 3, 96, 96])], [(x, [1, 300, 1, 1])], n.weights)


if __name__ == "__main__":
    small()
    loop()
