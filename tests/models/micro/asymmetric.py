#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks networks with uint8 activations and zero points of weights on microcontrollers. A network like MobileNet has
int8 activations and symmetric weights, or uint8 activations and uint8 weights with one zero point per layer or one per
channel. Each form must have the bytes of the reference. On the first target, the forms with zero points must have at
most 1.3 times the instructions of the symmetric form.

  asymmetric.py CONVOY DIR TARGET...
"""

import os
import sys

import numpy as np
import onnx
from command import bench, run
from make_small import SCALE, Network
from onnx import TensorProto, helper

MOST_RATIO = 1.3


class Form(Network):
    """`zeros` is "none", "layer" or "channel"."""

    def __init__(self, zeros):
        super().__init__()
        self.zeros = zeros
        if zeros != "none":
            self.weights.pop()
            self.constant("zero", np.uint8(117))

    def parameters(self, shape, outputs):
        if self.zeros == "none":
            return super().parameters(shape, outputs)
        name = f"weight{len(self.nodes)}"
        weight = self.random.integers(0, 256, shape).astype(np.uint8)
        weight[0, 0] = 255 if self.zeros == "layer" else 0  # with the zero points below, more than 8 bits remain
        count = 1 if self.zeros == "layer" else outputs
        scales = self.random.uniform(0.002, 0.004, count).astype(np.float32)
        zeros = self.random.integers(96, 160, count).astype(np.uint8)
        one = (lambda values: values) if count > 1 else (lambda values: values[0])
        w = self.node("DequantizeLinear", [self.constant(name, weight), self.constant(name + "_scale", one(scales)),
                                           self.constant(name + "_zero", one(zeros))], axis=0)
        bias = self.random.integers(-500, 500, outputs, np.int32)
        b = self.node("DequantizeLinear", [self.constant(name + "_bias", bias),
                                           self.constant(name + "_bias_scale", one(scales * np.float32(SCALE))),
                                           self.constant(name + "_bias_zero", one(np.zeros(count, np.int32)))], axis=0)
        return w, b


def write(path, zeros):
    n = Form(zeros)
    x = n.conv("image", 3, 16, 3, stride=2)
    for inputs, outputs, stride in ((16, 32, 1), (32, 64, 2), (64, 64, 1), (64, 96, 2)):
        x = n.conv(n.conv(x, inputs, inputs, 3, group=inputs, stride=stride), inputs, outputs, 1)
    x = n.quantized(n.node("GlobalAveragePool", [n.real(x)]))
    x = n.node("Flatten", [n.real(x)])
    w, b = n.parameters((10, 96), 10)
    x = n.quantized(n.node("Gemm", [x, w, b], transB=1))
    element = TensorProto.INT8 if zeros == "none" else TensorProto.UINT8
    graph = helper.make_graph(n.nodes, "asymmetric", [helper.make_tensor_value_info("image", element, [1, 3, 48, 48])],
                              [helper.make_tensor_value_info(x, element, [1, 10])], n.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    convoy, folder, *targets = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    counts = {}
    for zeros in ("none", "layer", "channel"):
        model = os.path.join(folder, zeros + ".onnx")
        write(model, zeros)
        run(convoy, "check", model, "--exact", "--target", ",".join(targets))
        counts[zeros] = bench(convoy, model, targets[0], folder)["instructions"]
        ratio = counts[zeros] / counts["none"]
        print(f"{zeros}: {counts[zeros]} instructions on {targets[0]}, {ratio:.3f} of the symmetric network")
        if ratio > MOST_RATIO:
            sys.exit(f"FAILED: expected at most {MOST_RATIO} of the symmetric network")


main()
