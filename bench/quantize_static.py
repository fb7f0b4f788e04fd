# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes a network of make_models.py to 8 bits, in the QDQ form of framework quantizers:
unsigned activations with a zero point per tensor, signed weights with a scale per output
channel, biases of 32 bits. Batch normalizations are folded into the preceding convolutions.
The ranges come from one random image of 64 x 64 pixels; with random weights, a larger image
gives similar ranges."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

IMAGE = 64


def attributes(node):
    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def windows(x, kernel, strides, pads, fill):
    """Returns the windows [channels, rows, columns, kernel rows, kernel columns] of a padded image."""
    x = np.pad(x, ((0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, (1, 2))
    return view[:, ::strides[0], ::strides[1]]


def conv(x, weight, bias, node):
    taken = attributes(node)
    view = windows(x, weight.shape[2:], taken["strides"], taken["pads"], 0)
    if taken["group"] == 1:
        y = np.tensordot(weight, view, ((1, 2, 3), (0, 3, 4)))
    else:
        assert weight.shape[1] == 1, "groups of one channel only"
        y = np.einsum("crskl,ckl->crs", view, weight[:, 0])
    return y + bias[:, None, None]


def max_pool(x, node):
    taken = attributes(node)
    return windows(x, taken["kernel_shape"], taken["strides"], taken["pads"], -np.inf).max((3, 4))


class Quantizer:
    def __init__(self, model):
        self.graph = model.graph
        self.weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        self.nodes = list(model.graph.node)
        self.output = self.graph.output[0].name
        self.made = []
        self.tensors = []
        self.dequantized = {}  # of a float tensor, the name behind its QDQ
        self.ranges = {}

    def run(self):
        self.fold_norms()
        self.nodes[-1].output[0] = self.output + "_float"
        self.calibrate()
        for node in self.nodes:
            self.quantize_node(node)
        self.made[-1].output[0] = self.output
        graph = helper.make_graph(self.made, self.graph.name, self.graph.input, self.graph.output, self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        return model

    def fold_norms(self):
        """Folds y = (conv(x) - mean) * f + shift with f = scale / sqrt(variance + epsilon)."""
        makers = {node.output[0]: node for node in self.nodes}
        kept = []
        for node in self.nodes:
            if node.op_type != "BatchNormalization":
                kept.append(node)
                continue
            before = makers[node.input[0]]
            assert before.op_type == "Conv" and len(before.input) == 2, "a norm must follow a convolution"
            scale, shift, mean, variance = (self.weights[name] for name in node.input[1:])
            factor = scale / np.sqrt(variance + attributes(node)["epsilon"])
            weight = before.input[1]
            self.weights[weight] = self.weights[weight] * factor[:, None, None, None]
            before.input.append(weight + "_bias")
            self.weights[weight + "_bias"] = shift - mean * factor
            before.output[0] = node.output[0]
        self.nodes = kept

    def calibrate(self):
        random = np.random.default_rng(1)
        values = {self.graph.input[0].name: random.standard_normal((3, IMAGE, IMAGE), dtype=np.float32)}
        for node in self.nodes:
            x = values[node.input[0]]
            if node.op_type == "Conv":
                y = conv(x, self.weights[node.input[1]], self.bias(node), node)
            elif node.op_type == "Relu":
                y = np.maximum(x, 0)
            elif node.op_type == "Clip":
                y = np.clip(x, self.weights[node.input[1]], self.weights[node.input[2]])
            elif node.op_type == "Add":
                y = x + values[node.input[1]]
            elif node.op_type == "MaxPool":
                y = max_pool(x, node)
            elif node.op_type == "GlobalAveragePool":
                y = x.mean((1, 2), keepdims=True)
            elif node.op_type == "Flatten":
                y = x.reshape(-1)
            elif node.op_type == "Gemm":
                y = self.weights[node.input[1]] @ x + self.bias(node)
            else:
                raise ValueError(f"not supported in 8 bits: {node.op_type}")
            values[node.output[0]] = y
        self.ranges = {name: (float(min(y.min(), 0)), float(max(y.max(), 0))) for name, y in values.items()}

    def bias(self, node):
        weight = self.weights[node.input[1]]
        return self.weights[node.input[2]] if len(node.input) > 2 else np.zeros(weight.shape[0], np.float32)

    def constant(self, name, array):
        self.tensors.append(numpy_helper.from_array(array, name))
        return name

    def scale_of(self, name):
        low, high = self.ranges[name]
        scale = np.float32((high - low) / 255)
        return scale, np.uint8(np.clip(round(-low / scale), 0, 255))

    def qdq(self, name, scale_from=None):
        """Adds quantize and dequantize after a float tensor; its readers read the returned name."""
        if name not in self.dequantized:
            scale, zero = self.scale_of(scale_from or name)
            self.ranges[name] = self.ranges[scale_from or name]
            operands = [self.constant(name + "_scale", np.asarray(scale)), self.constant(name + "_zero", np.asarray(zero))]
            self.made.append(helper.make_node("QuantizeLinear", [name] + operands, [name + "_q"], name + "_q"))
            self.made.append(helper.make_node("DequantizeLinear", [name + "_q"] + operands, [name + "_dq"], name + "_dq"))
            self.dequantized[name] = name + "_dq"
        return self.dequantized[name]

    def layer_operands(self, node):
        weight_name = node.input[1]
        weight = self.weights[weight_name]
        scales = np.abs(weight.reshape(weight.shape[0], -1)).max(1) / np.float32(127)
        shape = (-1,) + (1,) * (weight.ndim - 1)
        rounded = np.clip(np.rint(weight / scales.reshape(shape)), -127, 127).astype(np.int8)
        sums = (scales * self.scale_of(node.input[0])[0]).astype(np.float32)
        bias = np.rint(self.bias(node) / sums).astype(np.int32)
        return [self.dequantize(weight_name, rounded, scales.astype(np.float32)),
                self.dequantize(weight_name + "_bias", bias, sums)]

    def dequantize(self, name, array, scales):
        operands = [self.constant(name + "_int", array), self.constant(name + "_scale", scales),
                    self.constant(name + "_zero", np.zeros(scales.shape, array.dtype))]
        self.made.append(helper.make_node("DequantizeLinear", operands, [name + "_dq"], name + "_dq", axis=0))
        return name + "_dq"

    def quantize_node(self, node):
        made = type(node)()
        made.CopyFrom(node)
        del made.input[:]
        fuses = node.op_type in ("Relu", "Clip")  # into the layer before, so without QDQ between
        made.input.append(node.input[0] if fuses else self.qdq(node.input[0]))
        if node.op_type in ("Conv", "Gemm"):
            made.input.extend(self.layer_operands(node))
        elif node.op_type == "Add":
            made.input.append(self.qdq(node.input[1]))
        elif node.op_type == "Clip":
            made.input.extend(self.constant(f"{node.name}_{i}", self.weights[name]) for i, name in
                              enumerate(node.input[1:]))
        self.made.append(made)
        readers = [other for other in self.nodes if node.output[0] in other.input]
        if not any(other.op_type in ("Relu", "Clip") for other in readers):
            moves = node.op_type in ("MaxPool", "Flatten")
            self.qdq(node.output[0], node.input[0] if moves else None)


def quantize(model):
    return Quantizer(model).run()
