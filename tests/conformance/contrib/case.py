# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defines Case: one node of an operator domain of ONNX Runtime, without expected outputs."""

import dataclasses

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"


@dataclasses.dataclass
class Packed:
    """A constant of 4 bits per element, of which the first is in the low bits of a byte."""

    values: np.ndarray
    is_signed: bool

    def tensor(self, name):
        flat = self.values.reshape(-1).astype(np.int16) & 15
        flat = np.append(flat, 0) if flat.size % 2 else flat
        data = (flat[::2] | flat[1::2] << 4).astype(np.uint8).tobytes()
        tensor = TensorProto(name=name, data_type=22 if self.is_signed else 21, raw_data=data)
        tensor.dims.extend(self.values.shape)
        return tensor


@dataclasses.dataclass
class Case:
    name: str
    op: str
    inputs: list  # None for an optional input that the node omits
    attributes: dict = dataclasses.field(default_factory=dict)
    constants: tuple = ()  # indices of inputs that are initializers, besides values of type Packed
    outputs: tuple = (0,)  # indices of the outputs to compare
    kind: str = "f32"  # the group of cases with one tolerance
    domain: str = MICROSOFT
    is_quick: bool = False  # whether the case is part of the label `fast`
    needs_shapes: bool = False  # whether Convoy requires static shapes
    peer: object = None  # a function that computes the outputs if the peer has no CPU kernel


class Random:
    """Draws inputs. One generator per case keeps cases independent of each other."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def floats(self, *shape, scale=1.0, dtype=np.float32):
        return (self.rng.uniform(-1, 1, shape) * scale).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int32):
        return self.rng.integers(low, high, shape).astype(dtype)

    def bytes(self, *shape, dtype=np.uint8):
        info = np.iinfo(dtype)
        return self.integers(info.min, info.max + 1, *shape, dtype=dtype)

    def positive(self, *shape, low=0.01, high=0.05):
        return self.rng.uniform(low, high, shape).astype(np.float32)


def onnx_type(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype") \
        else numpy_helper.from_array(np.empty(0, array.dtype)).data_type


def model_of(case):
    """Returns the model of a case, its inputs in order, and the names of its outputs."""
    node_inputs, graph_inputs, arrays, initializers = [], [], [], []
    for k, value in enumerate(case.inputs):
        name = f"i{k}" if value is not None else ""
        node_inputs.append(name)
        if isinstance(value, Packed):
            initializers.append(value.tensor(name))
        elif value is not None and k in case.constants:
            initializers.append(numpy_helper.from_array(value, name))
        elif value is not None:
            graph_inputs.append(helper.make_tensor_value_info(name, onnx_type(value), value.shape))
            arrays.append(value)
    outputs = [f"o{k}" if k in case.outputs else "" for k in range(max(case.outputs) + 1)]
    node = helper.make_node(case.op, node_inputs, outputs, case.name, domain=case.domain, **case.attributes)
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs if name]
    return node, graph_inputs, arrays, initializers, results


def open_dimensions(name, array):
    """Returns nodes that copy `array`, and their conditions. The importer knows no dimension of the copy but
    the last, because the others depend on data."""
    nodes, conditions = [], {}
    for axis in range(array.ndim - 1):
        conditions[f"{name}_keep{axis}"] = np.ones(array.shape[axis], bool)
        source = f"{name}_{axis - 1}" if axis else name
        nodes.append(helper.make_node("Compress", [source, f"{name}_keep{axis}"], [f"{name}_{axis}"], axis=axis))
    return nodes, conditions


def open_inputs(model, arrays):
    """Changes the node of a model to read copies of its inputs with open dimensions. Returns the new arrays."""
    node = model.graph.node.pop()
    copies, added = [], {}
    for value, array in zip(model.graph.input, arrays):
        nodes, conditions = open_dimensions(value.name, array)
        copies += nodes
        added |= conditions
        for i, name in enumerate(node.input):
            node.input[i] = nodes[-1].output[0] if nodes and name == value.name else name
    model.graph.node.extend([*copies, node])
    model.graph.input.extend(helper.make_tensor_value_info(name, TensorProto.BOOL, array.shape) for name, array in added.items())
    return [*arrays, *added.values()]


def build(case, results):
    """Returns the serializable model. `results` holds arrays of the outputs' types, or nothing if unknown."""
    node, inputs, arrays, initializers, infos = model_of(case)
    for info, array in zip(infos, results or []):
        info.type.tensor_type.elem_type = onnx_type(array)
    if not results:
        for info in infos:
            info.ClearField("type")
    graph = helper.make_graph([node], case.name, inputs, infos, initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 10
    return model, arrays, [info.name for info in infos]
