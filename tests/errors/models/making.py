# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers that make models, and the list of all models."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_graph, make_node, make_tensor_value_info

F, I, B, S = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1

MODELS = {}


def model(function):
    """Registers a function that returns a model, a graph or bytes, by its name."""
    MODELS[function.__name__] = function
    return function


def value(name, element=F, shape=(2,)):
    return make_tensor_value_info(name, element, None if shape is None else list(shape))


def const(name, array):
    return make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(array)))


def ints(*values):
    return np.array(values, dtype=np.int64)


def floats(*values):
    return np.array(values, dtype=np.float32)


def graph(nodes, inputs=None, outputs=None, initializers=()):
    inputs = [value("x")] if inputs is None else inputs
    outputs = [value("y", F, None)] if outputs is None else outputs
    return make_graph(list(nodes), "g", inputs, outputs, initializer=list(initializers))


def node(op, inputs, outputs=("y",), **attributes):
    return make_node(op, list(inputs), list(outputs), name=f"the_{op}", **attributes)


def finish(made):
    """Returns the model as bytes."""
    if isinstance(made, bytes):
        return made
    if not hasattr(made, "graph"):
        made = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    return made.SerializeToString()


def good():
    return graph([node("Relu", ["x"])])
