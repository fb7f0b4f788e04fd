# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defines Case: a model and its inputs, and the generator of random numbers that the makers of cases use."""

import collections.abc
import dataclasses
import zlib

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

ELEMENT = {np.dtype(name): number for name, number in (
    ("float32", 1), ("uint8", 2), ("int8", 3), ("uint16", 4), ("int16", 5), ("int32", 6), ("int64", 7), ("bool", 9),
    ("float16", 10), ("float64", 11), ("uint32", 12), ("uint64", 13))}  # fmt: skip
STRING, BFLOAT16 = 8, 16
TARGETS = ("reference", "host")
# Of opset 26. Both programs read files of this and of older versions.
IR_VERSION = 10


@dataclasses.dataclass
class Bits:
    """An array of an element type that NumPy lacks: the bits of the elements."""

    array: np.ndarray
    onnx_type: int


@dataclasses.dataclass
class Case:
    name: str  # unique; starts with the class of the case
    op: str  # the row of the table of tolerances: an op, `domain::op`, `graph` or `model`
    model: ModelProto
    inputs: dict  # the arrays by name
    has_odd_values: bool = False  # whether an input has a NaN, an infinity or a huge number
    is_quick: bool = True  # whether the case is part of the label `fast`
    targets: tuple = TARGETS

    def built(self):
        return self


@dataclasses.dataclass
class LazyCase:
    """A case whose model is too large to be in memory before it runs."""

    name: str
    op: str
    build: collections.abc.Callable  # returns the Case
    targets: tuple = TARGETS

    def built(self):
        return self.build()


def element_type(value):
    if isinstance(value, Bits):
        return value.onnx_type
    return STRING if value.dtype.kind in "OUS" else ELEMENT[value.dtype]


def plain(value):
    return value.array if isinstance(value, Bits) else value


def initializer(name, value):
    if not isinstance(value, Bits):
        return numpy_helper.from_array(value.astype(object) if value.dtype.kind == "U" else value, name)
    tensor = TensorProto(name=name, data_type=value.onnx_type, raw_data=value.array.tobytes())
    tensor.dims.extend(value.array.shape)
    return tensor


def model_of(nodes, inputs, initializers, outputs, opset, domains=()):
    """Returns a model without the types of its outputs. `inputs` has values by name."""
    infos = [helper.make_tensor_value_info(name, element_type(value), plain(value).shape) for name, value in inputs.items()]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    for result in results:
        result.ClearField("type")
    graph = helper.make_graph(nodes, "oracle", infos, results, initializers)
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(*domain) for domain in domains)]
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = IR_VERSION
    return model


def one_node(name, op, opset, values, attributes=None, constants=(), outputs=1, domain="", version=1, is_odd=False):
    """Returns the case of one node. A value of None is an optional input that the node omits; `constants` are the
    indices of inputs that are initializers; `outputs` is a number, or a tuple of flags that say which are there."""
    flags = (True,) * outputs if isinstance(outputs, int) else outputs
    names = [f"i{k}" if value is not None else "" for k, value in enumerate(values)]
    results = [f"o{k}" if flag else "" for k, flag in enumerate(flags)]
    node = helper.make_node(op, names, results, "node", domain=domain, **(attributes or {}))
    given = {f"i{k}": value for k, value in enumerate(values) if value is not None and k not in constants}
    fixed = [initializer(f"i{k}", values[k]) for k in constants if k < len(values) and values[k] is not None]
    domains = [(domain, version)] if domain else []
    model = model_of([node], given, fixed, [result for result in results if result], opset, domains)
    arrays = {key: plain(value) for key, value in given.items()}
    return Case(name, f"{domain}::{op}" if domain else op, model, arrays, is_odd)


def random(*seed):
    """Returns a generator that depends on the texts and numbers of `seed` only."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, seed)).encode()))
