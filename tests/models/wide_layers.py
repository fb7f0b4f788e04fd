#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks quantized layers with 16-bit activations, 4-bit weights and zero points of weights in small models. The test
compares each model with the reference and requires equal bytes on this machine, on two fixed vector
widths, as C and on further targets that the command line gives. It also checks the types of the
sums: a layer whose weights do not prove that 32 bits suffice has 64-bit sums. Devices run only the
8-bit layers.

  wide_layers.py CONVOY DIR [TARGET...]
"""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# The enumerators of ONNX 1.16, which older Python packages lack.
UINT4, INT4 = 21, 22


class Graph:
    """Builds a QDQ model of opset 21; methods return the name of a float value."""

    def __init__(self, *shape):
        self.random = np.random.default_rng(5)
        self.nodes, self.weights, self.outputs = [], [], []
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]

    def constant(self, values, element=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, element), name))
        return name

    def nibbles(self, values, element=INT4):
        name = f"w{len(self.weights)}"
        flat = values.astype(np.int64).flatten() & 15
        flat = np.pad(flat, (0, flat.size % 2))
        packed = (flat[0::2] | flat[1::2] << 4).astype(np.uint8)
        tensor = TensorProto(name=name, data_type=element, dims=values.shape, raw_data=packed.tobytes())
        self.weights.append(tensor)
        return name

    def op(self, kind, *operands, **attributes):
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, operands, [name], name, **attributes))
        return name

    def settle(self, value, element, scale, zero=0):
        """Quantizes a value and dequantizes it."""
        self.integers = self.op("QuantizeLinear", value, self.constant(scale), self.constant(zero, element))
        return self.op("DequantizeLinear", self.integers, self.constant(scale), self.constant(zero, element))

    def bytes(self, *shape, most=127, axis=0, scale=0.004):
        """Dequantizes 8-bit weights with one scale per index of the axis."""
        values = self.random.integers(-most, most + 1, shape)
        scales = scale * (1 + 0.1 * self.random.random(shape[axis]))
        zeros = self.constant(np.zeros(shape[axis]), np.int8)
        return self.op("DequantizeLinear", self.constant(values, np.int8), self.constant(scales), zeros, axis=axis)

    def asymmetric(self, element, *shape, axis=None, scale=0.004):
        """Dequantizes weights of the whole range of 8 bits with a zero point, or one per index of the axis."""
        low, high = np.iinfo(element).min, np.iinfo(element).max
        values = self.random.integers(low, high + 1, shape)
        count = () if axis is None else (shape[axis],)
        scales = self.constant(scale * (1 + 0.1 * self.random.random(count)))
        zeros = self.constant(self.random.integers(low, high + 1, count), element)
        return self.op("DequantizeLinear", self.constant(values, element), scales, zeros, axis=axis or 0)

    def conv(self, value, weights, outputs, **attributes):
        bias = self.constant(self.random.standard_normal(outputs))
        return self.op("Conv", value, weights, bias, **attributes)

    def model(self, *shape, element=None):
        """Returns a model with the last quantized tensor, or with a float value `element`."""
        name = element or self.integers
        zero = [n for n in self.nodes if n.output[0] == name][0].input[-1]
        types = {w.name: w.data_type for w in self.weights}
        kind = TensorProto.FLOAT if element else types[zero]
        ends = [helper.make_tensor_value_info(name, kind, shape)]
        graph = helper.make_graph(self.nodes, "test", self.inputs, ends, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
        model.ir_version = 10
        return model


def narrow_sums():
    """The weights prove that 32 bits suffice."""
    g = Graph(1, 3, 9, 11)
    y = g.settle("x", np.int16, 1e-4)
    y = g.op("Relu", g.conv(y, g.bytes(20, 3, 3, 3), 20, pads=[1, 1, 1, 1]))
    g.settle(y, np.int16, 3e-4)
    return g.model(1, 20, 9, 11)


def wide_sums():
    """1440 products of up to 32767 * 127, and a bias whose integers have more than 32 bits."""
    g = Graph(1, 160, 7, 9)
    y = g.settle("x", np.int16, 1e-4)
    y = g.conv(y, g.bytes(24, 160, 3, 3), 24, pads=[1, 1, 1, 1], strides=[2, 2])
    y = g.settle(y, np.int16, 1e-3)
    bias = g.constant([3000, -2000, 1500, 0, 40])
    y = g.op("Conv", y, g.bytes(5, 24, 1, 1, scale=1e-4), bias)
    g.settle(y, np.int16, 0.1)
    return g.model(1, 5, 4, 5)


def large_window():
    """The sum over the 169 taps of one channel can exceed 32 bits."""
    g = Graph(1, 4, 14, 15)
    y = g.settle("x", np.uint16, 1e-4)
    values = g.constant(np.full((6, 4, 13, 13), -127), np.int8)
    weights = g.op("DequantizeLinear", values, g.constant(0.004), g.constant(0, np.int8))
    y = g.conv(y, weights, 6)
    g.settle(y, np.int16, 4e-4)
    return g.model(1, 6, 2, 3)


def unsigned_and_zero_points():
    g = Graph(2, 40, 5, 6)
    y = g.settle("x", np.uint16, 1e-4, 31000)
    y = g.conv(y, g.bytes(17, 40, 3, 3), 17, pads=[1, 1, 1, 1])
    y = g.settle(y, np.int16, 3e-4, -77)
    y = g.conv(y, g.bytes(17, 1, 3, 3), 17, group=17, pads=[0, 1, 2, 1], dilations=[1, 2])
    g.settle(y, np.uint16, 3e-4, 30000)
    return g.model(2, 17, 5, 4)


def mixed():
    """8 bits, 16 bits and 8 bits again, with a sum of both."""
    g = Graph(1, 16, 8, 8)
    x = g.settle("x", np.int8, 0.02, 3)
    y = g.conv(x, g.bytes(32, 16, 3, 3), 32, pads=[1, 1, 1, 1])
    y = g.settle(g.op("Relu", y), np.int16, 2e-4)
    y = g.conv(y, g.bytes(16, 32, 1, 1), 16)
    y = g.settle(y, np.int8, 0.05)
    y = g.settle(g.op("Add", x, y), np.int16, 3e-4)
    z = g.settle(g.op("Add", y, x), np.int16, 4e-4)
    y = g.settle(g.op("Sub", z, y), np.uint8, 0.03, 120)
    g.settle(g.conv(y, g.bytes(8, 16, 1, 1), 8), np.int8, 0.05)
    return g.model(1, 8, 8, 8)


def elements():
    """Products, pools, concats and movements of 16-bit values."""
    g = Graph(1, 6, 12, 10)
    x = g.settle("x", np.int16, 1e-4)
    y = g.settle(g.conv(x, g.bytes(6, 6, 1, 1), 6), np.int16, 2e-4)
    y = g.settle(g.op("Mul", x, y), np.int16, 4e-4)
    y = g.settle(g.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2]), np.int16, 4e-4)
    z = g.settle(g.op("AveragePool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1), np.int16, 3e-4)
    y = g.settle(g.op("Concat", y, z, axis=1), np.int16, 4e-4)
    y = g.op("Transpose", y, perm=[0, 1, 3, 2])
    mean = g.settle(g.op("GlobalAveragePool", y), np.int8, 0.01)
    y = g.settle(g.op("Mul", y, mean), np.int16, 1e-4)
    y = g.op("Reshape", y, g.constant([1, 360], np.int64))
    y = g.op("Add", g.op("MatMul", y, g.bytes(360, 9, axis=1)), g.constant(g.random.standard_normal(9)))
    g.settle(y, np.int16, 2e-4)
    return g.model(1, 9)


def open_ends():
    """Sums of both types that continue in floating point."""
    g = Graph(4, 1400)
    y = g.settle("x", np.int16, 1e-4)
    y = g.settle(g.op("MatMul", y, g.bytes(1400, 300, axis=1)), np.int16, 1e-3)
    z = g.op("MatMul", y, g.bytes(300, 12, most=40, axis=1))
    y = g.op("Add", g.op("MatMul", y, g.bytes(300, 12, axis=1, most=127, scale=0.002)), g.constant(np.arange(12)))
    return g.model(4, 24, element=g.op("Concat", y, z, axis=1))


def open_conv():
    g = Graph(1, 160, 6, 5)
    y = g.settle("x", np.int16, 1e-4)
    return g.model(1, 7, 6, 5, element=g.conv(y, g.bytes(7, 160, 3, 3), 7, pads=[1, 1, 1, 1]))


def sequence():
    """A product of a sequence, and one of two activations."""
    g = Graph(2, 9, 32)
    y = g.settle("x", np.int16, 1e-4)
    y = g.settle(g.op("MatMul", y, g.bytes(32, 48, axis=1)), np.int16, 2e-4)
    z = g.settle(g.op("Transpose", y, perm=[0, 2, 1]), np.int8, 0.05)
    g.settle(g.op("MatMul", y, z), np.int16, 3e-3)
    return g.model(2, 9, 9)


def table():
    """A function of a 16-bit value has no table."""
    g = Graph(1, 6, 5, 5)
    y = g.settle("x", np.int16, 1e-4)
    y = g.settle(g.op("Sigmoid", y), np.int16, 3.1e-5)
    y = g.settle(g.conv(y, g.bytes(6, 6, 1, 1), 6), np.int8, 0.02)
    g.settle(g.op("Sigmoid", y), np.int16, 3.1e-5)
    return g.model(1, 6, 5, 5)


def four_bits(element, activation):
    """4-bit weights, one scale per channel or per tensor."""
    g = Graph(1, 16, 7, 7)
    y = g.settle("x", activation, 0.02 if activation == np.int8 else 1e-4)
    low, zero = (-8, 0) if element == INT4 else (0, 8)

    def weights(*shape, axis=None):
        values = g.nibbles(g.random.integers(low, low + 16, shape), element)
        count = () if axis is None else (shape[axis],)
        scales = g.constant(0.03 + 0.001 * g.random.random(count))
        zeros = g.nibbles(np.full(count, zero), element)
        return g.op("DequantizeLinear", values, scales, zeros, axis=axis or 0)

    y = g.conv(y, weights(24, 16, 3, 3, axis=0), 24, pads=[1, 1, 1, 1])
    y = g.settle(g.op("Relu", y), activation, 0.03 if activation == np.int8 else 2e-4)
    y = g.conv(y, weights(24, 1, 3, 3), 24, group=24)
    y = g.settle(y, activation, 0.02 if activation == np.int8 else 2e-4)
    y = g.op("Reshape", y, g.constant([1, 600], np.int64))
    y = g.op("Gemm", y, weights(10, 600, axis=0), g.constant(np.arange(10)), transB=1)
    g.settle(y, activation, 0.1 if activation == np.int8 else 1e-3)
    return g.model(1, 10)


def byte_products():
    """Products of bytes of both signs, with zero points of both operands."""
    g = Graph(5, 37)
    sums = []
    for element, low in (np.uint8, 0), (np.int8, -128):
        weights = g.constant(g.random.integers(low, low + 256, (37, 21)), element)
        for kind in np.uint8, np.int8:
            g.settle("x", kind, 0.02, 3)
            operands = g.integers, weights, g.constant(3, kind), g.constant(low + 101, element)
            sums.append(g.op("MatMulInteger", *operands))
    return g.model(20, 21, element=g.op("Cast", g.op("Concat", *sums, axis=0), to=TensorProto.FLOAT))


def asymmetric_weights(element, axis, activation=np.uint8):
    """Zero points of weights, of all channels or per channel: an image, strides, padding, groups and a product."""
    g = Graph(1, 3, 18, 20)
    fine = 1e-4 if activation == np.int16 else 0.02
    zero = 0 if activation == np.int16 else 7
    weights = lambda *shape: g.asymmetric(element, *shape, axis=axis)
    y = g.settle("x", activation, fine, zero)
    y = g.settle(g.conv(y, weights(24, 3, 3, 3), 24, pads=[1, 1, 1, 1], strides=[2, 2]), activation, 2 * fine, zero)
    y = g.settle(g.conv(y, weights(24, 1, 3, 3), 24, group=24, pads=[1, 1, 1, 1]), activation, 2 * fine, 0)
    y = g.settle(g.op("Relu", g.conv(y, weights(64, 24, 1, 1), 64)), activation, 4 * fine, 0)
    y = g.settle(g.conv(y, weights(64, 1, 3, 3), 64, group=64, pads=[1, 1, 1, 1]), activation, 4 * fine, 0)
    y = g.settle(g.conv(y, weights(96, 32, 3, 3), 96, group=2, pads=[1, 1, 1, 1]), activation, 9 * fine, zero)
    y = g.settle(g.conv(y, weights(70, 96, 3, 3), 70, pads=[1, 0, 1, 0], dilations=[1, 2]), activation, 99 * fine, zero)
    y = g.settle(g.conv(y, weights(10, 35, 1, 1), 10, group=2, strides=[2, 1]), activation, 99 * fine, zero)
    y = g.op("Reshape", y, g.constant([5, 60], np.int64))
    product = g.asymmetric(element, 60, 21, axis=None if axis is None else 1)
    y = g.settle(g.op("MatMul", y, product), activation, 200 * fine, zero)
    product = g.asymmetric(element, 7, 21, axis=axis)
    g.settle(g.op("Gemm", y, product, g.constant(np.arange(7)), transB=1), activation, 200 * fine, zero)
    return g.model(5, 7)


def asymmetric_nodes(axis):
    """QLinearConv and QLinearMatMul with zero points of weights."""
    g = Graph(1, 16, 9, 9)
    g.settle("x", np.uint8, 0.02, 9)

    def weights(*shape, axis):
        count = () if axis is None else (shape[axis],)
        zeros = g.constant(g.random.integers(0, 256, count), np.uint8)
        return g.constant(g.random.integers(0, 256, shape), np.uint8), g.constant(np.full(count, 0.004)), zeros

    ends = g.constant(0.05), g.constant(100, np.uint8)
    bias = g.constant(g.random.integers(-999, 999, 20), np.int32)
    operands = g.integers, g.constant(0.02), g.constant(9, np.uint8), *weights(20, 16, 3, 3, axis=axis), *ends, bias
    y = g.op("QLinearConv", *operands, pads=[1, 1, 1, 1])
    y = g.op("Reshape", y, g.constant([20, 81], np.int64))
    y = g.op("QLinearMatMul", y, *ends, *weights(81, 33, axis=None if axis is None else 1), *ends)
    return g.model(20, 33, element=g.op("DequantizeLinear", y, *ends))


MODELS = {
    # name: (model, expected types of sums)
    "narrow_sums": (narrow_sums, ["i32"]),
    "wide_sums": (wide_sums, ["i64", "i64"]),
    "large_window": (large_window, ["i64"]),
    "unsigned_and_zero_points": (unsigned_and_zero_points, ["i32", "i32"]),
    "mixed": (mixed, ["i32", "i32", "i32"]),
    "elements": (elements, ["i32", "i32"]),
    "open_ends": (open_ends, ["i64", "i32", "i32"]),
    "open_conv": (open_conv, ["i64"]),
    "sequence": (sequence, ["i32", "i32"]),
    "table": (table, ["i32"]),
    "byte_products": (byte_products, []),
    "uint8_zero": (lambda: asymmetric_weights(np.uint8, None), ["i32"] * 9),
    "uint8_zeros": (lambda: asymmetric_weights(np.uint8, 0), ["i32"] * 9),
    "int8_zero": (lambda: asymmetric_weights(np.int8, None, np.int8), ["i32"] * 9),
    "int8_zeros": (lambda: asymmetric_weights(np.int8, 0, np.int8), ["i32"] * 9),
    "uint8_zeros_int16": (lambda: asymmetric_weights(np.uint8, 0, np.int16), ["i32"] * 5 + ["i64"] + ["i32"] * 3),
    "linear_zero": (lambda: asymmetric_nodes(None), ["i32"] * 2),
    "linear_zeros": (lambda: asymmetric_nodes(0), ["i32"] * 2),
    "int4": (lambda: four_bits(INT4, np.int8), ["i32"] * 3),
    "uint4": (lambda: four_bits(UINT4, np.int8), ["i32"] * 3),
    "int4_int16": (lambda: four_bits(INT4, np.int16), ["i32"] * 3),
}

TARGETS = ["host", "x86-64-v3", "x86-64-v4", "c", "c-plain"]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def sum_types(convoy, path):
    """Returns the types of the sums of all integer layers."""
    text = run(convoy, "compile", path, "--stop-after=quantize").stdout
    lines = [line for line in text.splitlines() if "graph.integer_conv" in line or "graph.integer_matmul" in line]
    return [line.rsplit("x", 1)[1].split(">")[0] for line in lines]


def main():
    convoy, folder, *further = sys.argv[1:]
    targets = ",".join(TARGETS + further)
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, (make, expected) in MODELS.items():
        path = os.path.join(folder, name + ".onnx")
        onnx.save(make(), path)
        types = sum_types(convoy, path)
        check = run(convoy, "check", path, "--exact", "--target", targets)
        devices = run(convoy, "check", path, "--exact", "--target", "abstract,nvdla-small,nvdla-full,bm1880")
        is_right = types == expected and check.returncode == 0 and devices.returncode == 0
        print(f"{name}: sums of {types}, expected {expected}: {'ok' if is_right else 'FAILED'}")
        if not is_right:
            print(check.stdout, devices.stdout)
        failed += not is_right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
