# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes the dense layers of a network of make_models.py dynamically: DynamicQuantizeLinear
computes the scale and the zero point of the rows at run time, MatMulInteger multiplies with
unsigned weights of 8 bits that have one scale and one zero point per tensor, and Cast and Mul
convert the sums. This is the form of the published 8-bit transformers, for example Moonshine.
Products of two activations remain in fp32."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def quantized_weight(weight):
    """Returns the bytes, the scale and the zero point of a matrix."""
    low, high = min(float(weight.min()), 0), max(float(weight.max()), 0)
    scale = np.float32((high - low) / 255)
    zero = np.uint8(np.clip(round(-low / scale), 0, 255))
    return np.clip(np.rint(weight / scale) + zero, 0, 255).astype(np.uint8), scale, zero


class DynamicQuantizer:
    def __init__(self, model):
        self.model = model
        self.weights = {tensor.name: tensor for tensor in model.graph.initializer}
        self.made = []
        self.tensors = []
        self.quantized = {}  # of a float tensor, the names of its bytes, scale and zero point

    def run(self):
        dense = {node.name for node in self.model.graph.node if node.op_type == "MatMul" and node.input[1] in self.weights}
        for node in self.model.graph.node:
            if node.name in dense:
                self.quantize_product(node)
            else:
                self.made.append(node)
        read = {name for node in self.made for name in node.input}
        kept = [tensor for name, tensor in self.weights.items() if name in read]
        graph = self.model.graph
        graph = helper.make_graph(self.made, graph.name, graph.input, graph.output, self.tensors + kept)
        model = helper.make_model(graph, opset_imports=self.model.opset_import)
        model.ir_version = self.model.ir_version
        return model

    def quantize_product(self, node):
        rows, row_scale, row_zero = self.rows_of(node.input[0])
        name = node.input[1]
        values = quantized_weight(numpy_helper.to_array(self.weights[name]))
        weight, scale, zero = (self.constant(f"{name}_{part}", np.asarray(value))
                               for part, value in zip(("quantized", "scale", "zero_point"), values))
        product = node.name
        self.node("Mul", [row_scale, scale], product + "_scales")
        self.node("MatMulInteger", [rows, weight, row_zero, zero], product + "_sums")
        self.node("Cast", [product + "_sums"], product + "_cast", to=TensorProto.FLOAT)
        self.node("Mul", [product + "_cast", product + "_scales"], node.output[0])

    def rows_of(self, name):
        """Products that read the same tensor share its quantization."""
        if name not in self.quantized:
            names = [f"{name}_{part}" for part in ("quantized", "scale", "zero_point")]
            self.made.append(helper.make_node("DynamicQuantizeLinear", [name], names, name + "_quantize"))
            self.quantized[name] = names
        return self.quantized[name]

    def constant(self, name, array):
        self.tensors.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op, operands, result, **attributes):
        self.made.append(helper.make_node(op, operands, [result], result, **attributes))


def quantize_dynamic(model):
    return DynamicQuantizer(model).run()
