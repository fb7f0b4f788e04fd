# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Very large models, and models that fail at run time."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node

from models.control_flow import if_one_branch_broken
from models.making import B, F, I, const, floats, graph, ints, model, node, value


@model
def chain_of_known_values():
    """Not an error: 50,000 constant-folded nodes, of which only the last value is used. A recursive
    evaluation would overflow the stack."""
    nodes = [const("v0", ints(2)), const("zero", ints(0))]
    for i in range(50000):
        nodes.append(make_node("Add", [f"v{i}", "zero"], [f"v{i + 1}"]))
    nodes.append(make_node("Reshape", ["x", "v50000"], ["y"]))
    return graph(nodes)


@model
def node_of_many_inputs():
    """20,000 inputs, of which the last has a different rank."""
    return graph([node("Concat", ["x"] * 20000 + ["z"], axis=0)], [value("x"), value("z", F, (2, 2))])


@model
def einsum_of_many_constants():
    """Not an error: 10^15 terms, which shape inference must not sum."""
    names = "abcde"
    nodes = [const(name, np.ones(1000, np.int64)) for name in names]
    nodes += [node("Einsum", names, ["s"], equation=",".join(names) + "->"),
              const("o", ints(1)), make_node("Reshape", ["s", "o"], ["v"]),
              make_node("Expand", ["x", "v"], ["y"])]
    return graph(nodes)


@model
def run_index_out_of_range():
    return graph([const("d", floats(1, 2)), const("i", ints(5)), node("Gather", ["d", "i"])], [])


@model
def run_optional_holds_nothing():
    nodes = [make_node("Optional", [], ["o"], type=helper.make_tensor_type_proto(F, [2])),
             node("OptionalGetElement", ["o"])]
    return helper.make_model(graph(nodes, []), opset_imports=[helper.make_opsetid("", 18)])


@model
def run_takes_broken_branch():
    """The condition depends on a value that is known only at run time."""
    made = if_one_branch_broken()
    made.input.remove(made.input[1])
    made.node.insert(0, make_node("RandomUniform", [], ["r"], shape=[], low=1.0, high=2.0))
    made.node.insert(1, const("half", np.float32(0.5)))
    made.node.insert(2, make_node("Greater", ["r", "half"], ["c"]))
    made.input.remove(made.input[0])
    made.node.insert(0, const("x", floats(1, 2)))
    return made


@model
def run_tree_with_a_cycle():
    tensor = numpy_helper.from_array
    nodes = [const("f", np.zeros((1, 1), np.float32)),
             make_node("TreeEnsemble", ["f"], ["y"], name="the_trees", domain="ai.onnx.ml",
                       nodes_featureids=[0], nodes_truenodeids=[0], nodes_falsenodeids=[0],
                       nodes_trueleafs=[0], nodes_falseleafs=[0], tree_roots=[0],
                       nodes_splits=tensor(floats(1)), leaf_targetids=[0],
                       nodes_modes=tensor(np.array([0], np.uint8)),
                       leaf_weights=tensor(floats(1)), n_targets=1)]
    return helper.make_model(graph(nodes, []), opset_imports=[helper.make_opsetid("", 17),
                                                              helper.make_opsetid("ai.onnx.ml", 5)])


@model
def run_bool_of_two():
    # Any byte other than 0 is true, and true is the index 1.
    two = TensorProto(data_type=B, dims=[1], raw_data=b"\x02", name="b")
    nodes = [const("x", floats(1)), make_node("Cast", ["b"], ["i"], to=I), node("Gather", ["x", "i"])]
    return graph(nodes, [], initializers=[two])


def empty(name, *dims):
    return TensorProto(data_type=F, dims=dims, name=name, raw_data=b"")


def with_opset(made, version):
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", version)])


@model
def run_conv_without_channels():
    """Not an error: the result is zero, although the kernel has 2^40 taps over an empty input."""
    size = 1 << 20
    return graph([node("Conv", ["x", "w"])], [],
                 initializers=[empty("x", 1, 0, size, size), empty("w", 1, 0, size, size)])


@model
def run_nms_without_boxes():
    """Not an error: the result is empty, although there are 2^46 classes."""
    nodes = [const("n", np.int64(1)), node("NonMaxSuppression", ["b", "s", "n"])]
    return graph(nodes, [], [value("y", I, None)],
                 [empty("b", 1 << 23, 0, 4), empty("s", 1 << 23, 1 << 23, 0)])


@model
def run_unique_of_nothing():
    return graph([node("Unique", ["x"], axis=1)], [], initializers=[empty("x", 0, 1 << 40)])


@model
def run_split_of_nothing():
    nodes = [node("SplitToSequence", ["x"], ["q"], axis=1), node("SequenceLength", ["q"])]
    return graph(nodes, [], [value("y", I, None)], [empty("x", 0, 1 << 30)])


def filled(name, dims, number):
    """NumPy supports at most 32 dimensions."""
    raw = np.full(int(np.prod(dims)), number, np.float32).tobytes()
    return TensorProto(data_type=F, dims=dims, name=name, raw_data=raw)


@model
def run_deform_conv_of_high_rank():
    """Not an error: a sample has 2^38 corners, but only one is inside the image."""
    shape = (1,) * 40
    tensors = [filled("x", shape, 1), filled("w", shape, 1),
               filled("o", (1, 38) + (1,) * 38, 0.25)]
    return with_opset(graph([node("DeformConv", ["x", "w", "o"])], [], None, tensors), 19)


@model
def run_grid_sample_of_high_rank():
    tensors = [filled("x", (1,) * 40, 1), filled("g", (1,) * 39 + (38,), 0.25)]
    nodes = [node("GridSample", ["x", "g"], padding_mode="border")]
    return with_opset(graph(nodes, [], None, tensors), 20)


@model
def run_dft_of_prime_length():
    nodes = [const("x", np.ones((1, 4, 1), np.float32)), const("n", np.int64(16777213)),
             node("DFT", ["x", "n"])]
    return graph(nodes, [])


@model
def shape_is_an_input():
    return graph([node("Reshape", ["x", "shape"])], [value("x"), value("shape", I, (2,))])


@model
def open_result_has_a_reader():
    nodes = [node("NonZero", ["x"], ["z"]), node("Abs", ["z"])]
    return graph(nodes, [value("x", F, (2, 2))], [value("y", I, None)])


@model
def run_image_damaged():
    nodes = [const("b", np.frombuffer(b"\x89PNG\r\n\x1a\nrubbish", np.uint8)),
             node("ImageDecoder", ["b"])]
    return helper.make_model(graph(nodes, [], [value("y", TensorProto.UINT8, None)]),
                             opset_imports=[helper.make_opsetid("", 20)])
