# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the small ONNX models of the Python tests with the package onnx."""

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper


def make(nodes, inputs, outputs, initializers=(), opset=13):
    """Returns the bytes of a model. Inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        nodes, "test", [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(value, name) for name, value in initializers])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model.SerializeToString()


def gemm(rows=4, batch=2):
    """y = relu(x * w + b) with x [batch, 3] and y [batch, rows]. A text as batch leaves the dimension open."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((3, rows)).astype(np.float32)
    bias = rng.standard_normal(rows).astype(np.float32)
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["sum"], "product"), helper.make_node("Relu", ["sum"], ["y"], "relu")]
    data = make(nodes, [("x", TensorProto.FLOAT, [batch, 3])], [("y", TensorProto.FLOAT, [batch, rows])],
                [("w", weights), ("b", bias)])
    return data, lambda x: np.maximum(x @ weights + bias, 0)


def open_relu():
    """y = relu(x) with x [N, M], both open."""
    return make([helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, ["N", "M"])], [("y", TensorProto.FLOAT, ["N", "M"])])


def two_inputs():
    """sum = a + b of float32 [4]; difference = a - b; the input `unused` is not used."""
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Sub", ["a", "b"], ["difference"])]
    return make(nodes, [("a", TensorProto.FLOAT, [4]), ("b", TensorProto.FLOAT, [4]), ("unused", TensorProto.FLOAT, [2])],
                [("sum", TensorProto.FLOAT, [4]), ("difference", TensorProto.FLOAT, [4])])


def custom_op(**attributes):
    """values, sums = test.Echo(x, shift) with x float32 [2, 3] and shift a constant of one element."""
    node = helper.make_node("Echo", ["x", "shift"], ["values", "sums", ""], "echo", domain="test", **attributes)
    return make([node], [("x", TensorProto.FLOAT, [2, 3])],
                [("values", TensorProto.DOUBLE, [9]), ("sums", TensorProto.FLOAT, [2, 1])], [("shift", np.array(3, np.int64))])


def convolution(channels=16, size=32, layers=4):
    """A chain of convolutions: large enough for measurements, small enough for a test."""
    rng = np.random.default_rng(1)
    nodes, weights, name = [], [], "x"
    for layer in range(layers):
        weights.append((f"w{layer}", (rng.standard_normal((channels, channels, 3, 3)) / 12).astype(np.float32)))
        nodes.append(helper.make_node("Conv", [name, f"w{layer}"], [f"c{layer}"], f"conv{layer}", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"], f"relu{layer}"))
        name = f"r{layer}"
    shape = [1, channels, size, size]
    return make(nodes, [("x", TensorProto.FLOAT, shape)], [(name, TensorProto.FLOAT, shape)], weights)


def described(**dims):
    """The model of gemm with open dimensions and with everything that an ONNX file can say about itself."""
    model = ModelProto.FromString(gemm(**{"batch": "N", **dims})[0])
    model.producer_name, model.domain, model.model_version = "onnx_models", "org.test", 7
    model.doc_string, model.graph.doc_string = "A small model.", "One layer."
    helper.set_model_props(model, {"b": "2", "a": "1"})
    return model.SerializeToString()


def classifier(features=16, classes=4):
    """scores [1, classes] of x [1, features]: a linear classifier of clusters, and a function samples(count) that returns
    samples [count, features] and their classes."""
    rng = np.random.default_rng(3)
    centers = rng.standard_normal((classes, features)).astype(np.float32)
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["scores"], "scores", transB=1)]
    data = make(nodes, [("x", TensorProto.FLOAT, [1, features])], [("scores", TensorProto.FLOAT, [1, classes])],
                [("w", centers), ("b", -(centers ** 2).sum(1) / 2)])

    def samples(count):
        labels = rng.integers(0, classes, count)
        return (centers[labels] + 0.2 * rng.standard_normal((count, features))).astype(np.float32), labels

    return data, samples


def sequence():
    """Takes a sequence of tensors and returns its first element and its length."""
    nodes = [helper.make_node("SequenceAt", ["list", "zero"], ["first"]), helper.make_node("SequenceLength", ["list"], ["length"])]
    graph = helper.make_graph(
        nodes, "test", [helper.make_tensor_sequence_value_info("list", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("first", TensorProto.FLOAT, [3]), helper.make_tensor_value_info("length", TensorProto.INT64, [])],
        [numpy_helper.from_array(np.array(0, np.int64), "zero")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model.SerializeToString()


def texts():
    """Returns a model of strings: unique texts without stop words."""
    nodes = [helper.make_node("StringNormalizer", ["x"], ["y"], case_change_action="UPPER", stopwords=["b"])]
    return make(nodes, [("x", TensorProto.STRING, [3])], [("y", TensorProto.STRING, [None])], opset=13)


def broken():
    """A model with two nodes that cannot be compiled, so that an exception has several reasons."""
    nodes = [helper.make_node("NoSuchOp", ["x"], ["a"], "first"), helper.make_node("NorThis", ["a"], ["y"], "second")]
    return make(nodes, [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])])
