# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds any ONNX op to a Network of bench/network.py: ONNX infers the shapes of the results, and
tensors have Python's operators. Scalars and shapes become Constant nodes, as PyTorch's exporter
writes them; weights are initializers. net.py adds layers."""

import functools
import math
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

from network import Network

# Opset 17 has every op of the kinds: LayerNormalization, DFT, STFT and MelWeightMatrix are the newest.
OPSET = 17
# Multiply-adds of one result element, from the shapes of the operands.
MACS_OF_ELEMENT = {"Conv": lambda shapes: math.prod(shapes[1][1:]), "MatMul": lambda shapes: shapes[0][-1],
                   "Gemm": lambda shapes: shapes[0][-1]}
# Multiply-adds of the whole op.
MACS_OF_OP = {"LSTM": lambda shapes: math.prod(shapes[0][:2]) * (math.prod(shapes[1]) + math.prod(shapes[2])),
              "ConvTranspose": lambda shapes: math.prod(shapes[0]) * math.prod(shapes[1][1:])}


class Tensor:
    """A value of a network with a known shape and element type. Operators add nodes."""

    __array_ufunc__ = None  # array + Tensor calls Tensor.__radd__

    def __init__(self, net, name, shape, dtype):
        self.net, self.name, self.shape, self.dtype = net, name, tuple(shape), np.dtype(dtype)

    def __add__(self, other):
        return self.net.Add(self, other)

    def __radd__(self, other):
        return self.net.Add(other, self)

    def __sub__(self, other):
        return self.net.Sub(self, other)

    def __rsub__(self, other):
        return self.net.Sub(other, self)

    def __mul__(self, other):
        return self.net.Mul(self, other)

    def __truediv__(self, other):
        return self.net.Div(self, other)

    def __rtruediv__(self, other):
        return self.net.Div(other, self)

    def __matmul__(self, other):
        return self.net.MatMul(self, other)

    def reshape(self, *shape):
        return self.net.Reshape(self, list(shape))

    def transpose(self, *perm):
        return self.net.Transpose(self, perm=perm)

    def nhwc(self):
        return self.transpose(0, 2, 3, 1)

    def nchw(self):
        return self.transpose(0, 3, 1, 2)


class Graph(Network):
    """Builds a graph with any number of inputs and outputs. A method with the name of an ONNX op
    (net.Relu) adds one node. The layers of Network, which name their operands, work too."""

    def __init__(self, name):
        super().__init__(name, ())
        self.opsets = {"": OPSET}
        self.random = np.random.default_rng(zlib.crc32(name.encode()))  # of values that are no weights
        self.inputs = []
        self.tensors = {}       # by name
        self.constant_nodes = {}  # by the name of the result; shape inference reads them
        self.count = 0

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)
        return functools.partial(self.node, op)

    def node(self, op, *operands, outputs=1, domain="", types=None, **attributes):
        """Adds a node. Numbers and lists become Constant nodes, and None is an absent operand. ONNX
        infers the shapes of the results unless `types` has (shape, dtype) of each result."""
        operands = self._tensors_of(operands)
        name = self._unique(op)
        names = [name if outputs == 1 else f"{name}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(op, [item.name if item else "" for item in operands], names, name,
                                           domain=domain, **attributes))
        results = [self._declare(result, *type_)
                   for result, type_ in zip(names, types or self._infer(self.nodes[-1]))]
        shapes = [item.shape if item else () for item in operands]
        if op in MACS_OF_ELEMENT:
            self.macs += math.prod(results[0].shape) * MACS_OF_ELEMENT[op](shapes)
        elif op in MACS_OF_OP:
            self.macs += MACS_OF_OP[op](shapes)
        return results[0] if outputs == 1 else results

    def add_input(self, *shape, dtype=None):
        name = "input" if not self.inputs else f"input_{len(self.inputs)}"
        self.inputs.append(self._declare(name, shape, dtype or self.float_type))
        return self.inputs[-1]

    def weight(self, *shape, dev=0.02, mean=0.0):
        return self.tensors[self._weight(shape, mean, dev)]

    def stored(self, values):
        """Returns an initializer with these values."""
        name = self._unique("stored")
        self.constants.append(numpy_helper.from_array(values, name))
        return self._declare(name, values.shape, values.dtype)

    def const(self, values, dtype=None):
        """Returns the result of a Constant node."""
        values = np.asarray(values, dtype)
        if values.dtype == np.float64:
            values = values.astype(self.float_type)
        name = self._unique("Constant")
        self.nodes.append(helper.make_node("Constant", [], [name], name, value=numpy_helper.from_array(values)))
        self.constant_nodes[name] = self.nodes[-1]
        return self._declare(name, values.shape, values.dtype)

    def body(self, inputs, build, name):
        """Returns the graph of an If, Loop or Scan. `inputs` are (name, shape, dtype); `build` receives
        them as tensors and returns the results."""
        outer, self.nodes = self.nodes, []
        given = [self._declare(f"{name}_{item[0]}", *item[1:]) for item in inputs]
        results = build(*given)
        graph = helper.make_graph(self.nodes, name, self._infos(given), self._infos(results))
        self.nodes = outer
        return graph

    def model(self, results):
        results = [results] if isinstance(results, Tensor) else list(results)
        graph = helper.make_graph(self.nodes, self.name, self._infos(self.inputs), self._infos(results))
        graph.initializer.extend(self.initializers())
        model = helper.make_model(graph, opset_imports=self._opset_ids())
        model.ir_version = 8
        return model

    # What the layers of Network call.

    def _weight(self, shape, mean, deviation):
        name = super()._weight(tuple(shape), mean, deviation)
        self._declare(name, shape, self.float_type)
        return name

    def _scalar(self, name, value):
        return self.const(value, self.float_type).name

    def _ints(self, name, values):
        return self.const(values, np.int64).name

    def _node(self, op, operands, shape, **attributes):
        name = self._unique(op)
        self.nodes.append(helper.make_node(op, operands, [name], name, **attributes))
        return self._declare(name, shape, self.tensors[operands[0]].dtype)

    def _tensors_of(self, operands):
        """Converts numbers to the element type of the first tensor, and lists and arrays to their own."""
        like = next((item.dtype for item in operands if isinstance(item, Tensor)), self.float_type)
        kept = (list, np.ndarray, np.generic)
        return [item if item is None or isinstance(item, Tensor) else
                self.const(item, None if isinstance(item, kept) else like) for item in operands]

    def _unique(self, prefix):
        self.count += 1
        return f"{prefix}_{self.count}"

    def _declare(self, name, shape, dtype):
        self.tensors[name] = Tensor(self, name, shape, dtype)
        return self.tensors[name]

    def _infos(self, tensors):
        return [helper.make_tensor_value_info(item.name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[item.dtype], item.shape)
                for item in tensors]

    def _opset_ids(self):
        return [helper.make_opsetid(*item) for item in self.opsets.items()]

    def _infer(self, node):
        """Returns (shape, dtype) of each result of a node."""
        names = [name for name in dict.fromkeys(node.input) if name]
        constants = [self.constant_nodes[name] for name in names if name in self.constant_nodes]
        others = [self.tensors[name] for name in names if name not in self.constant_nodes]
        graph = helper.make_graph(constants + [node], "one", self._infos(others),
                                  [helper.make_empty_tensor_value_info(name) for name in node.output])
        model = helper.make_model(graph, opset_imports=self._opset_ids())
        inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output
        types = [output.type.tensor_type for output in inferred]
        return [([dim.dim_value for dim in type_.shape.dim], onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[type_.elem_type])
                for type_ in types]
