# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Defines Case: a node of ai.onnx.ml, or a pipeline of nodes, without expected outputs."""

import dataclasses

import numpy as np
from onnx import TensorProto, helper, numpy_helper

DOMAIN = "ai.onnx.ml"
# The attributes with the labels of a classifier that are integers.
LABELS = ("classlabels_ints", "classlabels_int64s")


@dataclasses.dataclass
class Case:
    name: str
    op: str
    inputs: list
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1
    version: int = 3  # of the domain
    kind: str = "f32"  # the group of cases with one tolerance
    steps: tuple = ()  # (op, attributes) of nodes before the node, each with one input and one output
    is_quick: bool = False  # whether the case is part of the label `fast`
    words: tuple = ()  # labels that replace the integers in the model, but not in that of the peer


class Random:
    """Draws inputs. One generator per case keeps cases independent of each other."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def floats(self, *shape, scale=1.0, dtype=np.float32):
        return (self.rng.uniform(-1, 1, shape) * scale).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int64):
        return self.rng.integers(low, high, shape).astype(dtype)

    def list(self, count, low=-1.0, high=1.0):
        return self.rng.uniform(low, high, count).astype(np.float32).tolist()


def onnx_type(array):
    return numpy_helper.from_array(np.empty(0, array.dtype)).data_type


def attributes_of(case, has_words):
    """Returns the attributes of the node, with labels that are strings if `has_words` is set."""
    if not has_words:
        return case.attributes
    return {key: value for key, value in case.attributes.items() if key not in LABELS} | {"classlabels_strings": case.words}


def build(case, results):
    """Returns the model and the names of its outputs. `results` holds arrays of the types of the
    outputs, or nothing if the types are unknown."""
    inputs = [helper.make_tensor_value_info(f"i{k}", onnx_type(x), x.shape) for k, x in enumerate(case.inputs)]
    names = [f"o{k}" for k in range(case.outputs)]
    given, nodes = [value.name for value in inputs], []
    for k, (op, attributes) in enumerate(case.steps):
        nodes.append(helper.make_node(op, given, [f"step{k}"], f"step{k}", domain=DOMAIN, **attributes))
        given = [f"step{k}"]
    attributes = attributes_of(case, has_words=bool(case.words and results))
    nodes.append(helper.make_node(case.op, given, names, case.name, domain=DOMAIN, **attributes))
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
    for k, info in enumerate(infos):
        if results:
            info.type.tensor_type.elem_type = onnx_type(results[k])
        else:
            info.ClearField("type")
    graph = helper.make_graph(nodes, case.name, inputs, infos)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, case.version)]
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 9
    return model, names
