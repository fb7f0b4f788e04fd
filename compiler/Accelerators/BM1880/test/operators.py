#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every operator that published work lists for the BM1880 runs there or has a reason.

  operators.py CONVOY FOLDER PAGE [--write]

Makes a small quantized model for each operator, compares its bytes on the target with the
reference, and asks `convoy explain` where the operator runs. The table of PAGE holds the answers.
The test fails if the placement differs from the table; it ignores the reasons. --write replaces the
table.
"""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BEGIN, END = "<!-- operators -->\n", "<!-- end of operators -->\n"


class Model:
    """A quantized convolution of 1 x 4 x 8 x 8, followed by the operator."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0
        self.random = np.random.RandomState(1)

    def constant(self, array):
        name = self.name("c")
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def add(self, op, inputs, **attributes):
        result = self.name("v")
        label = attributes.pop("label", "")
        self.nodes.append(helper.make_node(op, inputs, [result], name=label, **attributes))
        return result

    def quantize(self, x, scale=0.05, label=""):
        step, zero = self.constant(np.float32(scale)), self.constant(np.int8(3))
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [x, step, zero], label=label), step, zero])

    def weights(self, shape):
        ints = self.constant(self.random.randint(-127, 128, shape).astype(np.int8))
        return self.add("DequantizeLinear", [ints, self.constant(np.float32(0.01)), self.constant(np.int8(0))])

    def floats(self, shape):
        return self.constant(self.random.rand(*shape).astype(np.float32))

    def conv(self, x, label="before"):
        return self.add("Conv", [x, self.weights((4, 4, 1, 1)), self.floats((4,))], label=label)

    def save(self, path, result):
        graph = helper.make_graph(
            self.nodes, "operator", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])],
            [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def batch_norm(m, x):
    raw = m.add("Conv", [x, m.weights((4, 4, 1, 1))])
    return m.add("BatchNormalization", [raw] + [m.floats((4,)) for _ in range(4)], label="op")


# Name in the paper, and the nodes to add after the quantized convolution.
OPERATORS = {
    "ConvWithBias": lambda m, x: m.conv(x, "op"),
    "Relu": lambda m, x: m.add("Relu", [x], label="op"),
    "LRN": lambda m, x: m.add("LRN", [x], size=3, label="op"),
    "Dropout": lambda m, x: m.add("Dropout", [x], label="op"),
    "Transpose": lambda m, x: m.add("Transpose", [x], perm=[0, 2, 3, 1], label="op"),
    "BatchFlatten": lambda m, x: m.add("Flatten", [x], label="op"),
    "FullyConnected": lambda m, x: m.add("Gemm", [m.add("Flatten", [x]), m.weights((256, 10)), m.floats((10,))],
                                         label="op"),
    "BiasAdd": lambda m, x: m.add("Add", [m.add("Conv", [x, m.weights((4, 4, 1, 1))]), m.floats((4, 1, 1))],
                                  label="op"),
    "Softmax": lambda m, x: m.add("Softmax", [x], axis=1, label="op"),
    "Multiply": lambda m, x: m.add("Mul", [x, m.quantize(m.conv(x))], label="op"),
    "BatchNorm": batch_norm,
    "GlobalAvgPool": lambda m, x: m.add("GlobalAveragePool", [x], label="op"),
    "AvgPool": lambda m, x: m.add("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2], label="op"),
    "MaxPool": lambda m, x: m.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], label="op"),
    "Concatenate": lambda m, x: m.add("Concat", [x, m.quantize(m.conv(x), 0.02)], axis=1, label="op"),
    "Reshape": lambda m, x: m.add("Reshape", [x, m.constant(np.int64([1, 8, 4, 8]))], label="op"),
    "Add": lambda m, x: m.add("Add", [x, m.quantize(m.conv(x))], label="op"),
    "Copy": lambda m, x: m.add("Identity", [x], label="op"),
}


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    return done.returncode, done.stdout + done.stderr, done.stdout


def describe(convoy, path):
    """Returns where the operator runs, or why it does not run on the chip."""
    code, text, out = run(convoy, "explain", path, "--target=bm1880", "--json")
    if code != 0:
        sys.exit(f"{path}: explain failed:\n{text}")
    # A node that combines an operator with its quantization has the name of the quantization.
    nodes = [node for node in json.loads(out)["nodes"]
             if ("'op'" in node["node"] or "'quantized'" in node["node"]) and node["op"] != "graph.dequantize_linear"]
    reasons = [node["reason"] for node in nodes if node["where"] == "cpu"]
    if reasons:
        return "CPU: " + reasons[0]
    return "BM1880" if nodes else "nothing is left to run"


def main():
    convoy, folder, page = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    rows, failed = ["| operator | where |\n", "|---|---|\n"], 0
    for name, make in OPERATORS.items():
        model = Model()
        result = make(model, model.quantize(model.conv(model.quantize("x"))))
        path = os.path.join(folder, f"{name}.onnx")
        # Operators that change no value keep the scale, so that no rescaling is needed.
        scale = 0.05 if name in ("Dropout", "Copy") else 0.1
        model.save(path, model.quantize(result, scale, "quantized"))
        code, text, _ = run(convoy, "check", path, "--target=bm1880")
        if code != 0:
            print(f"{name}: check failed\n{text}")
            failed += 1
        rows.append(f"| {name} | {describe(convoy, path)} |\n")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    table = "".join(rows)
    wanted = head + BEGIN + table + END + rest.split(END)[1]
    if "--write" in sys.argv:
        with open(page, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif [line.split(":")[0] for line in wanted.splitlines()] != [line.split(":")[0] for line in text.splitlines()]:
        print(f"{page}: the table differs from the placement of the compiler; update it with --write\n{table}")
        failed += 1
    print(f"{len(OPERATORS)} operators, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
