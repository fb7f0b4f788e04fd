#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the int8 MNIST network that bench/micro/run compares with CMSIS-NN, as an ONNX model with
QuantizeLinear and DequantizeLinear: conv 5x5x8, ReLU, max-pool 2, conv 5x5x16, ReLU, max-pool 3,
product with 10 outputs. The tensors of the model are NHWC as in TFLite, so the model begins and
ends with transposes.

  make_mnist.py FOLDER --weights WEIGHTS.h   with the weights of a C header: w1, b1 to w3, b3
  make_mnist.py FOLDER --random SEED         with random weights

Writes FOLDER/mnist_int8.onnx and FOLDER/mnist_input.npy, the input of the comparison.
"""

import argparse
import os
import re

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = {"w1": 200, "b1": 8, "w2": 3200, "b2": 16, "w3": 2560, "b3": 10}

# Every layer multiplies its sums by 1518500250 / 2^39 = 135 * 11248150 / 2^39. The scales give this
# multiplier exactly: a tensor has 135 times the scale of the next tensor, and each factor fits in
# the 24 bits of a float.
MULTIPLIER = 1518500250
RATIO = 135
WEIGHT_SCALE = np.float32(MULTIPLIER // RATIO) / np.float32(2.0 ** 39)
TENSOR_SCALES = [np.float32(RATIO ** power) for power in (3, 2, 1, 0)]
ZEROS = [-128, -128, -128, 0]


def read_header(path):
    """Returns the arrays of a header by name. Each array is one line `static const T w1[200]={..};`."""
    with open(path) as file:
        found = dict(re.findall(r"\b([wb][123])\s*\[\d*\]\s*=\s*\{([^}]*)\}", file.read()))
    arrays = {}
    for name, size in SIZES.items():
        values = [int(value) for value in found.get(name, "").split(",") if value.strip()]
        if len(values) != size:
            raise SystemExit(f"make_mnist.py: expected an array {name} of {size} numbers in {path}, "
                             f"found {len(values)} numbers")
        arrays[name] = np.array(values)
    return arrays


def random_arrays(seed):
    """Returns weights that are small enough for most outputs not to saturate."""
    random = np.random.default_rng(seed)
    return {name: random.integers(-40, 41, size) if name[0] == "w" else random.integers(-1000, 1000, size)
            for name, size in SIZES.items()}


class Builder:
    def __init__(self):
        self.nodes, self.constants = [], []
        for layer, (scale, zero) in enumerate(zip(TENSOR_SCALES, ZEROS)):
            self.constant(f"scale{layer}", scale)
            self.constant(f"zero{layer}", np.int8(zero))

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, output=None, **attributes):
        name = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def real(self, x, layer):
        return self.node("DequantizeLinear", [x, f"scale{layer}", f"zero{layer}"])

    def quantized(self, x, layer, output=None):
        return self.node("QuantizeLinear", [x, f"scale{layer}", f"zero{layer}"], output)

    def parameters(self, layer, weight, bias):
        w, b = f"w{layer + 1}", f"b{layer + 1}"
        scale, zero = self.constant(w + "_scale", WEIGHT_SCALE), self.constant(w + "_zero", np.int8(0))
        bias_scale = self.constant(b + "_scale", np.float32(TENSOR_SCALES[layer] * WEIGHT_SCALE))
        self.constant(w, weight.astype(np.int8))
        self.constant(b, bias.astype(np.int32))
        return (self.node("DequantizeLinear", [w, scale, zero]),
                self.node("DequantizeLinear", [b, bias_scale, self.constant(b + "_zero", np.int32(0))]))

    def conv_pool(self, x, layer, weight, bias, pool):
        """Adds a convolution, ReLU and max-pooling; takes and gives dequantized NCHW."""
        w, b = self.parameters(layer, weight, bias)
        x = self.node("Relu", [self.node("Conv", [x, w, b], kernel_shape=[5, 5], pads=[2] * 4)])
        x = self.real(self.quantized(x, layer + 1), layer + 1)
        x = self.node("MaxPool", [x], kernel_shape=[pool] * 2, strides=[pool] * 2)
        return self.real(self.quantized(x, layer + 1), layer + 1)


def build(arrays):
    n = Builder()
    x = n.node("Transpose", [n.real("image", 0)], perm=[0, 3, 1, 2])
    # Filters are stored as (output, row, column, input) and become (output, input, row, column).
    x = n.conv_pool(x, 0, arrays["w1"].reshape(8, 5, 5, 1).transpose(0, 3, 1, 2), arrays["b1"], 2)
    x = n.conv_pool(x, 1, arrays["w2"].reshape(16, 5, 5, 8).transpose(0, 3, 1, 2), arrays["b2"], 3)
    x = n.node("Transpose", [x], perm=[0, 2, 3, 1])
    x = n.node("Reshape", [x, n.constant("flat", np.array([1, 256], np.int64))])
    w, b = n.parameters(2, arrays["w3"].reshape(10, 256), arrays["b3"])
    x = n.quantized(n.node("Gemm", [x, w, b], transB=1), 3, "scores")
    graph = helper.make_graph(
        n.nodes, "mnist_int8", [helper.make_tensor_value_info("image", TensorProto.INT8, [1, 28, 28, 1])],
        [helper.make_tensor_value_info(x, TensorProto.INT8, [1, 10])], n.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights")
    source.add_argument("--random", type=int)
    args = parser.parse_args()
    arrays = read_header(args.weights) if args.weights else random_arrays(args.random)
    os.makedirs(args.folder, exist_ok=True)
    onnx.save(build(arrays), os.path.join(args.folder, "mnist_int8.onnx"))
    image = (np.arange(28 * 28) * 31 - 128).astype(np.uint8).view(np.int8).reshape(1, 28, 28, 1)
    np.save(os.path.join(args.folder, "mnist_input.npy"), image)


if __name__ == "__main__":
    main()
