#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks products of a sequence with a constant matrix, [.., S, K] x [K, N], in small models. The
test compares each model with the reference, on this machine and as C. For x86-64-v4 the test also
checks the number of kernels, and that a template, not the generic loops, computes each f32 or 8-bit
product with a constant matrix.

  batched_products.py CONVOY MAKE_MODELS DIR
"""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Builds a model; every method returns the name of its result."""

    def __init__(self, shape, element=TensorProto.FLOAT):
        self.random = np.random.default_rng(7)
        self.nodes, self.weights = [], []
        self.inputs = [helper.make_tensor_value_info("x", element, shape)]

    def input(self, name, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def constant(self, values, element=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, element), name))
        return name

    def reals(self, *shape):
        return self.constant(self.random.standard_normal(shape) * 0.3)

    def bytes(self, *shape):
        return self.constant(self.random.integers(-90, 90, shape), np.int8)

    def op(self, kind, *operands, **attributes):
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, operands, [name], name, **attributes))
        return name

    def model(self, *outputs):
        ends = [helper.make_tensor_value_info(name, element, shape) for name, element, shape in outputs]
        graph = helper.make_graph(self.nodes, "test", self.inputs, ends, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                         helper.make_opsetid("com.microsoft", 1)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        return model


def floats(name, *shape):
    return name, TensorProto.FLOAT, shape


def rank_3():
    """Adds a bias on the left, a clip, a residual and a factor per row."""
    g = Graph([2, 9, 32])
    y = g.op("Add", g.reals(48), g.op("MatMul", "x", g.reals(32, 48)))
    y = g.op("Clip", y, g.constant(-1.0), g.constant(1.5))
    y = g.op("Add", y, g.input("z", [2, 9, 48]))
    y = g.op("Mul", y, g.input("r", [2, 9, 1]))
    return g.model(floats(y, 2, 9, 48))


def rank_4():
    """Only the epilogue reads the ops that compute its operand. 37 columns are not a multiple of
    the vector length."""
    g = Graph([2, 3, 5, 24])
    y = g.op("Add", g.op("MatMul", "x", g.reals(24, 37)), g.reals(1, 1, 1, 37))
    z = g.op("Tanh", g.op("Mul", g.input("z", [2, 3, 5, 37]), g.input("r", [2, 3, 5, 1])))
    y = g.op("Sigmoid", g.op("Sub", z, y))
    return g.model(floats(y, 2, 3, 5, 37))


def chain():
    """A product of a product, and the sum of two products."""
    g = Graph([1, 20, 16])
    a = g.op("MatMul", g.op("Relu", g.op("MatMul", "x", g.reals(16, 64))), g.reals(64, 16))
    y = g.op("Add", a, g.op("MatMul", "x", g.reals(16, 16)))
    return g.model(floats(y, 1, 20, 16))


def gate():
    """The epilogue reads the left operand of the product."""
    g = Graph([1, 20, 32])
    y = g.op("Mul", "x", g.op("Sigmoid", g.op("Add", g.op("MatMul", "x", g.reals(32, 32)), g.reals(32))))
    return g.model(floats(y, 1, 20, 32))


def ragged_gate():
    """The epilogue reads the left operand, whose rows are not a multiple of the vector length. No
    template matches the product with this epilogue, so the epilogue is a kernel of its own."""
    g = Graph([1, 20, 37])
    y = g.op("Mul", "x", g.op("MatMul", "x", g.reals(37, 37)))
    return g.model(floats(y, 1, 20, 37))


def positions():
    """The operand broadcasts along the batch, so the sum is a separate kernel."""
    g = Graph([2, 9, 32])
    y = g.op("Add", g.op("MatMul", "x", g.reals(32, 16)), g.reals(1, 9, 16))
    return g.model(floats(y, 2, 9, 16))


def tokens():
    """Concatenates tokens and a sequence. Both products write into the concatenation, so no kernel
    copies."""
    g = Graph([1, 9, 32])
    first = g.op("Tanh", g.op("MatMul", g.input("z", [1, 3, 32]), g.reals(32, 16)))
    y = g.op("Concat", first, g.op("Add", g.op("MatMul", "x", g.reals(32, 16)), g.reals(16)), axis=1)
    y = g.op("Relu", y)
    return g.model(floats(y, 1, 12, 16))


def quantized():
    """A product between DequantizeLinear and QuantizeLinear, with one scale per column."""
    g = Graph([2, 9, 32])
    scale, zero = g.constant(0.02), g.constant(3, np.int8)
    x = g.op("DequantizeLinear", g.op("QuantizeLinear", "x", scale, zero), scale, zero)
    w = g.op("DequantizeLinear", g.bytes(32, 48), g.constant(np.linspace(0.001, 0.004, 48)),
             g.constant(np.zeros(48), np.int8), axis=1)
    y = g.op("Relu", g.op("Add", g.op("MatMul", x, w), g.reals(48)))
    y = g.op("QuantizeLinear", y, scale, zero)
    return g.model((y, TensorProto.INT8, [2, 9, 48]))


def qlinear():
    """Two QLinearMatMul nodes that share one operand."""
    g = Graph([2, 9, 32], TensorProto.UINT8)
    scale, zero = g.constant(0.02), g.constant(130, np.uint8)

    def product():
        return g.op("QLinearMatMul", "x", scale, zero, g.bytes(32, 48), g.constant(0.003), g.constant(0, np.int8),
                    g.constant(0.05), g.constant(120, np.uint8))

    y, z = product(), product()
    return g.model((y, TensorProto.UINT8, [2, 9, 48]), (z, TensorProto.UINT8, [2, 9, 48]))


def dynamic():
    """The scales are computed at run time. Kernels: the scale and zero point, the quantization, the
    product of two scales, and the product with its epilogue."""
    g = Graph([2, 9, 32])
    g.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "qs", "qz"], "dynamic"))
    sums = g.op("MatMulInteger", "q", g.bytes(32, 48), "qz")
    y = g.op("Mul", g.op("Cast", sums, to=TensorProto.FLOAT), g.op("Mul", "qs", g.constant(0.003)))
    y = g.op("Add", y, g.reals(48))
    return g.model(floats(y, 2, 9, 48))


def rows_and_columns():
    """Zero points per row and per column, 37 x 21 odd sizes."""
    g = Graph([1, 5, 37], TensorProto.UINT8)
    zeros = g.constant(np.arange(5) * 63, np.uint8), g.constant(np.arange(21) * 12 - 128, np.int8)
    y = g.op("MatMulInteger", "x", g.bytes(37, 21), *zeros)
    return g.model((y, TensorProto.INT32, [1, 5, 21]))


def qgemm():
    """The quantized Gemm of ONNX Runtime with a transposed right side, a bias and an f32 result."""
    g = Graph([7, 40], TensorProto.UINT8)
    bias = g.constant(np.arange(24) * 1000 - 9000, np.int32)
    y = g.op("QGemm", "x", g.constant(0.02), g.constant(130, np.uint8), g.bytes(24, 40), g.constant(0.003),
             g.constant(5, np.int8), bias, alpha=0.5, transB=1, domain="com.microsoft")
    return g.model(floats(y, 7, 24))


def block(make_models):
    """One encoder layer: six products with constants and two of activations."""
    spec = importlib.util.spec_from_file_location("make_models", make_models)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    net, output = module.encoder("block", 24, 1, 64, 4, 256)
    return net.model(output)


# Expected counts: kernels, products by templates, products by generic loops. Without
# convoy-graph-lower-batched-products the number of kernels is the same, except where a comment
# names additional kernels.
EXPECTED = {
    "rank_3": (1, 1, 0),
    "rank_4": (3, 1, 0),  # 2 reorders, of an operand and of the result: rows are not a multiple of the block
    "chain": (3, 3, 0),
    "gate": (1, 1, 0),
    "ragged_gate": (3, 1, 0),  # 1 reorder, 1 multiplication
    "positions": (2, 1, 0),  # 1 sum
    "tokens": (3, 2, 0),
    "quantized": (2, 1, 0),
    "qlinear": (2, 2, 0),
    "dynamic": (4, 1, 0),
    "rows_and_columns": (1, 1, 0),
    "qgemm": (1, 1, 0),
    "block": (10, 6, 0),
}


# `check --layer-errors` reports the layer although a reshape follows its QuantizeLinear.
LAYER = {"quantized": "layer 'Add4' (Add): 0 of 864 elements differ"}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def compiled(convoy, path, folder):
    command = [convoy, "compile", path, "-o", folder, "--target", "x86-64-v4", "--json"]
    summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    # An integer product has the name of the op that follows it.
    products = [layer["config"] != "" for layer in summary["layers"]
                if layer["kernel"].startswith(("matmul", "byte_matmul", "requantize"))]
    return len(summary["layers"]), sum(products), len(products) - sum(products)


def main():
    convoy, make_models, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, expected in EXPECTED.items():
        path = os.path.join(folder, name + ".onnx")
        onnx.save(block(make_models) if name == "block" else globals()[name](), path)
        found = compiled(convoy, path, folder)
        print(f"{name}: (kernels, products by templates, products by loops) is {found}, expected {expected}")
        check = run(convoy, "check", path, "--target", "host,c", "--layer-errors")
        is_right = check.returncode == 0 and LAYER.get(name, "") in check.stdout
        if not is_right:
            print(check.stdout)
        failed += found != expected or not is_right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
