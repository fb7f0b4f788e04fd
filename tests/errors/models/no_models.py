# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are not models, and models with unknown opsets and ops."""

import numpy as np
from onnx import ModelProto, helper, numpy_helper
from onnx.helper import make_graph, make_node

from models.making import B, F, S, finish, good, graph, model, node, value


@model
def empty_file():
    return b""


@model
def not_protobuf():
    return b"This is a letter, not a model.\n" * 10


# The first bytes of files that other programs write.
FOREIGN = {
    "tflite_model": b"\x1c\0\0\0TFL3", "onnxruntime_model": b"\x30\0\0\0ORTM", "compiled_library": b"\x7fELF\x02\x01",
    "keras_model": b"\x89HDF\r\n\x1a\n", "pytorch_archive": b"PK\x03\x04", "pytorch_pickle": b"\x80\x02}q",
    "gguf_weights": b"GGUF\x03\0\0\0",
}


def add_foreign(name, start):
    def make():
        return start + bytes(60)

    make.__name__ = name
    model(make)


for foreign in FOREIGN.items():
    add_foreign(*foreign)


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


def named(ops, domain):
    """Returns one node per op, whose inputs and outputs form a chain."""
    return [make_node(op, [f"v{i}"], [f"v{i + 1}"], name=f"{op}_{i}", domain=domain) for i, op in enumerate(ops)]


def chain(nodes, *opsets):
    made = graph(nodes, [value("v0")], [value(f"v{len(nodes)}", F, None)])
    return helper.make_model(made, opset_imports=[helper.make_opsetid(*opset) for opset in [("", 17), *opsets]])


@model
def unknown_ops_in_groups():
    """Ops without an import row: one problem per op, with the number of its nodes."""
    return chain(named(["MoE", "GroupNorm", "MoE", "MoE", "GroupNorm", "MoE", "BiasAdd"], "com.microsoft"),
                 ("com.microsoft", 1))  # fmt: skip


@model
def unknown_ops_with_a_remedy():
    """One op for each kind of advice: another domain, a misspelled name, an op that ONNX removed, and the advice of a
    domain. `Scaler` must not be taken for `Scatter`."""
    nodes = (named(["Scaler", "conv", "Gema", "Crop", "Fly"], "ai.onnx") + named(["Fly"], "com.microsoft")
             + named(["Conv", "ReorderInput"], "com.microsoft.nchwc") + named(["BertTokenizer"], "ai.onnx.contrib")
             + named(["ATen"], "org.pytorch.aten") + named(["aten_gelu"], "pkg.onnxscript.torch_lib"))  # fmt: skip
    for i, each in enumerate(nodes):
        each.input[0], each.output[0] = f"v{i}", f"v{i + 1}"
    return chain(nodes, ("com.microsoft", 1))


@model
def domain_of_onnx_in_full():
    """The domain 'ai.onnx' is the domain ''."""
    return graph([make_node("Relu", ["x"], ["y"], name="the_Relu", domain="ai.onnx")])


@model
def strings_on_the_cpu():
    """Two nodes of one op that the CPU does not run."""
    nodes = [make_node("StringConcat", [f"v{i}", "v0"], [f"v{i + 1}"], name=f"concat_{i}") for i in range(2)]
    made = graph(nodes, [value("v0", S)], [value("v2", S, (2,))])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)])


@model
def empty_op_type():
    return graph([make_node("", ["x"], ["y"], name="nothing")])


@model
def gradient():
    return graph([make_node("Gradient", ["x"], ["y"], name="the_gradient",
                            domain="ai.onnx.preview.training", xs=["x"], y="y")])
