# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are not models, and models with unknown opsets and ops."""

import numpy as np
from onnx import ModelProto, helper, numpy_helper
from onnx.helper import make_graph, make_node

from models.making import B, F, finish, good, graph, model, node, value


@model
def empty_file():
    return b""


@model
def not_protobuf():
    return b"This is a letter, not a model.\n" * 10


@model
def truncated():
    weights = numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
    raw = finish(graph([node("Add", ["x", "w"])], [value("x", F, (64, 64))],
                       initializers=[weights]))
    return raw[:-5000]


@model
def truncated_in_a_number():
    return finish(good()) + b"\x08\xff"


@model
def random_bytes():
    return np.random.default_rng(7).integers(0, 256, 4096, dtype=np.uint8).tobytes()


@model
def no_graph():
    return ModelProto(ir_version=8).SerializeToString()


@model
def message_nested_too_deeply():
    """A hundred nested graphs, which is protobuf's nesting limit."""
    inner = good()
    for _ in range(100):
        inner = make_graph([make_node("SequenceMap", ["q"], ["y"], body=inner)], "g", [],
                           [value("y", F, None)])
    return inner


@model
def opset_too_new():
    return helper.make_model(good(), opset_imports=[helper.make_opsetid("", 99)])


@model
def opset_negative():
    return helper.make_model(good(), opset_imports=[helper.make_opsetid("", -3)])


@model
def unknown_op():
    return graph([node("Frobnicate", ["x"])])


@model
def unknown_domain():
    return graph([make_node("Relu", ["x"], ["y"], name="theirs", domain="com.example")])


@model
def unknown_ops_everywhere():
    """Unknown ops in the graph, in a branch of an If and in a function; the error lists all of
    them."""
    branch = make_graph([node("Second", ["x"], ["t"])], "t", [], [value("t", F, None)])
    other = make_graph([node("Relu", ["x"], ["e"])], "e", [], [value("e", F, None)])
    function = helper.make_function("own", "F", ["a"], ["b"], [node("Third", ["a"], ["b"])],
                                    [helper.make_opsetid("", 17)])
    nodes = [node("First", ["x"], ["a"]),
             node("If", ["c"], ["b"], then_branch=branch, else_branch=other),
             make_node("F", ["b"], ["y"], domain="own")]
    made = graph(nodes, [value("x"), value("c", B, ())])
    return helper.make_model(made, functions=[function],
                             opset_imports=[helper.make_opsetid("", 17),
                                            helper.make_opsetid("own", 1)])


@model
def empty_op_type():
    return graph([make_node("", ["x"], ["y"], name="nothing")])


@model
def gradient():
    return graph([make_node("Gradient", ["x"], ["y"], name="the_gradient",
                            domain="ai.onnx.preview.training", xs=["x"], y="y")])
