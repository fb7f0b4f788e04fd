# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates models with a given number of nodes or a given size of weights.

The graphs mix the blocks of convolutional networks: residual, inverted residual,
squeeze-and-excitation and branching blocks. All tensors have one of a few shapes, so there are few
distinct kernels, but every layer has its own weights.
"""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, SIZE = 16, 14
BLOCK_BYTES = 1 << 20


class Network:
    """Appends layers to a chain; `at` is the name of the latest tensor."""

    def __init__(self):
        self.random = np.random.default_rng(7)
        self.nodes, self.weights = [], []
        self.at = "x"

    def add(self, op, inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        # Scales the weights so that values neither overflow nor vanish over thousands of layers.
        values = self.random.standard_normal(shape) / np.sqrt(max(np.prod(shape[1:]), 1))
        self.weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def positive(self, count):
        name = f"w{len(self.weights)}"
        values = self.random.uniform(0.5, 1.5, count).astype(np.float32)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def conv(self, x, inputs, outputs, kernel, groups=1):
        weight = self.weight(outputs, inputs // groups, kernel, kernel)
        pad = [kernel // 2] * 4
        return self.add("Conv", [x, weight, self.weight(outputs)], pads=pad, group=groups,
                        kernel_shape=[kernel, kernel])

    def norm(self, x, channels):
        vectors = [self.positive(channels), self.weight(channels), self.weight(channels),
                   self.positive(channels)]
        return self.add("BatchNormalization", [x, *vectors])

    def residual(self):
        y = self.add("Relu", [self.norm(self.conv(self.at, CHANNELS, CHANNELS, 3), CHANNELS)])
        y = self.norm(self.conv(y, CHANNELS, CHANNELS, 3), CHANNELS)
        self.at = self.add("Relu", [self.add("Add", [y, self.at])])

    def inverted_residual(self):
        wide = 2 * CHANNELS
        y = self.add("HardSwish", [self.conv(self.at, CHANNELS, wide, 1)])
        y = self.add("HardSwish", [self.conv(y, wide, wide, 3, groups=wide)])
        self.at = self.add("Add", [self.conv(y, wide, CHANNELS, 1), self.at])

    def squeeze_and_excite(self):
        y = self.add("GlobalAveragePool", [self.at])
        y = self.add("Relu", [self.conv(y, CHANNELS, CHANNELS // 4, 1)])
        y = self.add("Sigmoid", [self.conv(y, CHANNELS // 4, CHANNELS, 1)])
        self.at = self.add("Mul", [self.at, y])

    def branches(self):
        half = CHANNELS // 2
        left = self.conv(self.at, CHANNELS, half, 1)
        pooled = self.add("AveragePool", [self.at], kernel_shape=[3, 3], pads=[1] * 4)
        right = self.add("Tanh", [self.conv(pooled, CHANNELS, half, 3)])
        self.at = self.add("Concat", [left, right], axis=1)

    def model(self):
        shape = [1, CHANNELS, SIZE, SIZE]
        graph = helper.make_graph(
            self.nodes, "scale", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(self.at, TensorProto.FLOAT, shape)], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])


def make_nodes(path, count):
    """Makes a network of exactly `count` nodes."""
    network = Network()
    blocks = [network.residual, network.inverted_residual, network.squeeze_and_excite,
              network.residual, network.branches]
    longest, turn = 7, 0
    while len(network.nodes) + longest <= count:
        blocks[turn % len(blocks)]()
        turn += 1
    while len(network.nodes) < count:
        network.at = network.add("Sigmoid", [network.at])
    onnx.save(network.model(), path)


class ExternalWeights:
    """Writes weights to one file block by block, so that memory holds only one block."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.file = open(path, "wb")
        random = np.random.default_rng(11)
        self.block = (random.standard_normal(BLOCK_BYTES // 4) / 64).astype(np.float32)
        self.blocks = 0
        self.tensors = []

    def add(self, *shape):
        count = int(np.prod(shape)) * 4
        tensor = TensorProto(name=f"w{len(self.tensors)}", data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", self.name), ("offset", self.file.tell()),
                           ("length", count)):
            tensor.external_data.add(key=key, value=str(value))
        for _ in range(count // BLOCK_BYTES):
            # Rotates the block by its number, so that each block differs from all other blocks.
            self.file.write(np.roll(self.block, self.blocks * 61).tobytes())
            self.blocks += 1
        self.tensors.append(tensor)
        return tensor.name


def make_weights(path, gibibytes):
    """Makes products, products with transposed weights and normalized convolutions, each with a
    width x width weight. These cover plain, folded and rescaled weights."""
    width = 4096 if gibibytes >= 1 else 2048
    random = np.random.default_rng(13)
    external = ExternalWeights(path + ".data")
    nodes, at = [], "x"
    vectors = [numpy_helper.from_array(random.uniform(0.5, 1.5, width).astype(np.float32), f"v{i}")
               for i in range(4)]
    layer_bytes = width * width * 4
    shapes = [numpy_helper.from_array(np.array([1, width, 1, 1]), "image"),
              numpy_helper.from_array(np.array([1, width]), "row")]

    def add(op, inputs, **attributes):
        nodes.append(helper.make_node(op, inputs, [f"n{len(nodes)}"], name=f"n{len(nodes)}",
                                      **attributes))
        return nodes[-1].output[0]

    for layer in range(int(gibibytes * (1 << 30)) // layer_bytes):
        if layer % 4 < 2:
            at = add("MatMul", [at, external.add(width, width)])
        elif layer % 4 == 2:
            at = add("Gemm", [at, external.add(width, width), "v0"], transB=1)
        else:
            image = add("Reshape", [at, "image"])
            image = add("Conv", [image, external.add(width, width, 1, 1)])
            image = add("BatchNormalization", [image, "v0", "v1", "v2", "v3"])
            at = add("Reshape", [image, "row"])
        at = add("Tanh", [at])
    external.file.close()
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, width])
    graph = helper.make_graph(nodes, "weights", [value("x")], [value(at)],
                              external.tensors + vectors + shapes)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]), path)
