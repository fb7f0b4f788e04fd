#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes malformed and hostile models, one file each, for run.py to feed to the
# driver. What each of them must be answered with is in expected.tsv.
#
#   make_models.py DIR

import os
import sys
from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper
from onnx.helper import make_graph, make_node, make_tensor_value_info

F, I, B, S = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1

MODELS = {}


def model(function):
    """Registers a function that returns a model, a graph or bytes by its name."""
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
    """A model as bytes."""
    if isinstance(made, bytes):
        return made
    if not hasattr(made, "graph"):
        made = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    return made.SerializeToString()


def good():
    return graph([node("Relu", ["x"])])


# -- Files that are no models ----------------------------------------------------


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
    """A hundred graphs in each other: protobuf's own limit."""
    inner = good()
    for _ in range(100):
        inner = make_graph([make_node("SequenceMap", ["q"], ["y"], body=inner)], "g", [],
                           [value("y", F, None)])
    return inner


# -- Opsets and ops --------------------------------------------------------------


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
    """In the graph, in a branch of an If and in a function: all are listed."""
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


# -- Names -----------------------------------------------------------------------


@model
def cycle():
    return graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]),
                  node("Neg", ["b"], ["y"])])


@model
def own_output_as_input():
    return graph([node("Add", ["x", "y"], ["y"])])


@model
def not_sorted():
    return graph([node("Relu", ["a"]), node("Neg", ["x"], ["a"])])


@model
def missing_value():
    return graph([node("Add", ["x", "nobody"])])


@model
def several_missing_values():
    return graph([node("Add", ["x", "nobody"], ["a"]), node("Mul", ["x", "noone"], ["b"]),
                  node("Sub", ["a", "b"])])


@model
def output_twice():
    return graph([node("Relu", ["x"]), node("Neg", ["x"])])


@model
def output_is_input():
    return graph([node("Relu", ["x"], ["x"]), node("Neg", ["x"])])


@model
def output_is_initializer():
    return graph([node("Relu", ["x"], ["w"]), node("Neg", ["w"])],
                 initializers=[numpy_helper.from_array(floats(1, 2), "w")])


@model
def input_twice():
    return graph([node("Relu", ["x"])], [value("x"), value("x")])


@model
def initializer_twice():
    return graph([node("Add", ["x", "w"])],
                 initializers=[numpy_helper.from_array(floats(1, 2), "w"),
                               numpy_helper.from_array(floats(3, 4), "w")])


@model
def output_of_no_node():
    return graph([node("Relu", ["x"], ["a"])])


@model
def output_of_inner_graph():
    """A value of a branch is not visible outside."""
    branch = make_graph([node("Relu", ["x"], ["t"])], "t", [], [value("t", F, None)])
    other = make_graph([node("Neg", ["x"], ["e"])], "e", [], [value("e", F, None)])
    return graph([node("If", ["c"], ["b"], then_branch=branch, else_branch=other),
                  node("Add", ["b", "t"])], [value("x"), value("c", B, ())])


@model
def no_outputs():
    return graph([node("Relu", ["x"])], outputs=[])


@model
def too_many_outputs():
    return graph([node("Relu", ["x"], ["y", "z"])])


# -- Inputs ----------------------------------------------------------------------


@model
def open_dimension():
    return graph([node("Relu", ["x"])], [value("x", F, ("batch", 3, "height", 8))])


@model
def open_dimension_without_name():
    return graph([node("Relu", ["x"])], [value("x", F, (None, 3))])


@model
def input_without_shape():
    return graph([node("Relu", ["x"])], [value("x", F, None)])


@model
def input_without_type():
    return graph([node("Relu", ["x"])], [ValueInfoProto(name="x")])


@model
def input_of_unknown_type():
    made = graph([node("Relu", ["x"])])
    made.input[0].type.tensor_type.elem_type = 77
    return made


@model
def input_of_map_type():
    made = graph([node("Relu", ["x"])])
    made.input[0].type.Clear()
    made.input[0].type.map_type.key_type = I
    return made


@model
def negative_dimension():
    return graph([node("Relu", ["x"])], [value("x", F, (2, -7))])


@model
def input_shape_overflows():
    return graph([node("Relu", ["x"])], [value("x", F, (1 << 40, 1 << 40))])


@model
def input_shape_huge():
    return graph([node("Relu", ["x"])], [value("x", F, (1 << 62, 0, 1 << 62))])


@model
def input_of_many_dimensions():
    return graph([node("Relu", ["x"])], [value("x", F, (1,) * 20000)])


# -- Types and shapes of nodes ---------------------------------------------------


@model
def element_types_differ():
    return graph([node("Add", ["x", "i"])], [value("x"), value("i", I)])


@model
def shapes_do_not_broadcast():
    return graph([node("Add", ["x", "z"])], [value("x"), value("z", F, (3,))])


@model
def matmul_shapes():
    return graph([node("MatMul", ["x", "z"])], [value("x", F, (2, 3)), value("z", F, (4, 5))])


@model
def conv_channels():
    weight = numpy_helper.from_array(np.zeros((8, 5, 3, 3), np.float32), "w")
    return graph([node("Conv", ["x", "w"])], [value("x", F, (1, 3, 8, 8))],
                 initializers=[weight])


@model
def conv_stride_zero():
    weight = numpy_helper.from_array(np.zeros((8, 3, 3, 3), np.float32), "w")
    return graph([node("Conv", ["x", "w"], strides=[0, 0])], [value("x", F, (1, 3, 8, 8))],
                 initializers=[weight])


@model
def conv_groups_zero():
    weight = numpy_helper.from_array(np.zeros((8, 3, 3, 3), np.float32), "w")
    return graph([node("Conv", ["x", "w"], group=0)], [value("x", F, (1, 3, 8, 8))],
                 initializers=[weight])


@model
def conv_pads_overflow():
    weight = numpy_helper.from_array(np.zeros((8, 3, 3, 3), np.float32), "w")
    return graph([node("Conv", ["x", "w"], pads=[1 << 62] * 4)], [value("x", F, (1, 3, 8, 8))],
                 initializers=[weight])


@model
def pool_kernel_negative():
    return graph([node("MaxPool", ["x"], kernel_shape=[-1, 2])], [value("x", F, (1, 3, 8, 8))])


@model
def pool_kernel_lowest():
    """The number that stands for unknown dimensions inside the compiler."""
    return graph([node("AveragePool", ["x"], kernel_shape=[LOWEST, 2])],
                 [value("x", F, (1, 3, 8, 8))])


@model
def pool_kernel_lowest_with_auto_pad():
    return graph([node("MaxPool", ["x"], kernel_shape=[LOWEST, 2], auto_pad="SAME_UPPER")],
                 [value("x", F, (1, 3, 8, 8))])


@model
def pool_stride_lowest():
    return graph([node("MaxPool", ["x"], kernel_shape=[2, 2], strides=[LOWEST, 1])],
                 [value("x", F, (1, 3, 8, 8))])


@model
def unpool_kernel_lowest():
    return graph([node("MaxUnpool", ["x", "i"], kernel_shape=[LOWEST])],
                 [value("x", F, (1, 1, 4)), value("i", I, (1, 1, 4))])


def conv(op, weights, **attributes):
    """A convolution of 1 x 3 x 8 x 8 with weights of a given shape, or of none."""
    inputs = [value("x", F, (1, 3, 8, 8)), value("w", F, weights)]
    return graph([node(op, ["x", "w"], **attributes)], inputs)


@model
def conv_dilation_lowest():
    return conv("Conv", (8, 3, 3, 3), dilations=[LOWEST, 1])


@model
def conv_kernel_lowest():
    """No weights tell the kernel's size."""
    return conv("Conv", None, kernel_shape=[LOWEST, 3])


@model
def conv_transpose_output_shape_highest():
    return conv("ConvTranspose", (3, 8, 1, 1), output_shape=[HIGHEST, 8], strides=[2, 2])


@model
def conv_transpose_output_shape_lowest():
    return conv("ConvTranspose", (3, 8, 1, 1), output_shape=[LOWEST, 8])


@model
def conv_transpose_output_padding_highest():
    return conv("ConvTranspose", (3, 8, 1, 1), output_shape=[8, 8], output_padding=[HIGHEST, 0],
                strides=[LOWEST, 1])


@model
def reshape_count():
    return graph([const("s", ints(5)), node("Reshape", ["x", "s"])])


@model
def reshape_two_unknowns():
    return graph([const("s", ints(-1, -1)), node("Reshape", ["x", "s"])])


@model
def transpose_perm():
    return graph([node("Transpose", ["x"], perm=[0, 0])], [value("x", F, (2, 3))])


@model
def concat_ranks():
    return graph([node("Concat", ["x", "z"], axis=0)], [value("x"), value("z", F, (2, 2))])


@model
def axis_out_of_range():
    return graph([node("Softmax", ["x"], axis=5)])


@model
def split_sizes():
    return graph([const("s", ints(1, 5)), node("Split", ["x", "s"], ["y", "z"])])


@model
def squeeze_large_dimension():
    return graph([const("a", ints(0)), node("Squeeze", ["x", "a"])])


@model
def gather_of_scalar():
    return graph([const("i", ints(0)), node("Gather", ["x", "i"])], [value("x", F, ())])


@model
def slice_step_zero():
    names = ["x", "s", "e", "a", "t"]
    return graph([const("s", ints(0)), const("e", ints(1)), const("a", ints(0)),
                  const("t", ints(0)), node("Slice", names)])


@model
def pad_below_zero():
    return graph([const("p", ints(-9, -9)), node("Pad", ["x", "p"])])


@model
def tile_negative():
    return graph([const("r", ints(-3)), node("Tile", ["x", "r"])])


@model
def tile_overflow():
    return graph([const("r", ints(1 << 62)), node("Tile", ["x", "r"])])


@model
def expand_overflow():
    return graph([const("s", ints(1 << 40, 1 << 40, 2)), node("Expand", ["x", "s"])])


@model
def constant_of_shape_huge():
    return graph([const("s", ints(1 << 50)), node("ConstantOfShape", ["s"])], [])


@model
def constant_of_shape_negative():
    return graph([const("s", ints(-4)), node("ConstantOfShape", ["s"])], [])


@model
def range_without_end():
    one = [const("a", np.int64(0)), const("b", np.int64(10)), const("c", np.int64(0))]
    return graph([*one, node("Range", ["a", "b", "c"])], [], [value("y", I, None)])


@model
def topk_too_many():
    return graph([const("k", ints(9)), node("TopK", ["x", "k"], ["y", "i"])])


@model
def onehot_depth_huge():
    return graph([const("d", ints(1 << 60)), const("v", floats(0, 1)),
                  node("OneHot", ["i", "d", "v"])], [value("i", I)])


@model
def cast_to_nothing():
    return graph([node("Cast", ["x"], to=99)])


@model
def einsum_broken():
    return graph([node("Einsum", ["x", "x"], equation="i,j->->")])


@model
def resize_scale_negative():
    return graph([const("s", floats(1, 1, -2, -2)), node("Resize", ["x", "", "s"])],
                 [value("x", F, (1, 1, 4, 4))])


@model
def number_op_on_strings():
    return graph([node("Exp", ["x"])], [value("x", S)])


@model
def tensor_op_on_sequence():
    return graph([node("SequenceConstruct", ["x"], ["q"]), node("Relu", ["q"])])


@model
def sequence_op_on_tensor():
    return graph([const("p", np.int64(0)), node("SequenceAt", ["x", "p"])])


@model
def sequence_lengths_are_text():
    return graph([node("SplitToSequence", ["x", "x"], ["q"]), const("p", np.int64(0)),
                  node("SequenceAt", ["q", "p"])], [value("x", S)], [value("y", S, None)])


@model
def sequence_of_two_types():
    return graph([node("SequenceConstruct", ["x", "i"], ["q"]), const("p", np.int64(0)),
                  node("SequenceAt", ["q", "p"])], [value("x"), value("i", I)])


@model
def sequence_position_out_of_range():
    return graph([node("SequenceConstruct", ["x"], ["q"]), const("p", np.int64(4)),
                  node("SequenceAt", ["q", "p"])])


@model
def sequence_of_sequences():
    """ONNX has none. A long chain of these would be a type nested as deeply."""
    return graph([node("SequenceConstruct", ["x"], ["q"]),
                  make_node("SequenceConstruct", ["q"], ["p"], name="of_sequences"),
                  make_node("SequenceLength", ["p"], ["y"])], outputs=[value("y", I, ())])


@model
def sequence_map_gives_sequences():
    body = make_graph([make_node("SequenceConstruct", ["e"], ["s"])], "body", [value("e")],
                      [value("s", F, None)])
    return graph([node("SequenceConstruct", ["x"], ["q"]),
                  node("SequenceMap", ["q"], ["p"], body=body),
                  make_node("SequenceLength", ["p"], ["y"])], outputs=[value("y", I, ())])


@model
def optional_of_optional():
    return graph([make_node("Optional", ["x"], ["o"]), node("Optional", ["o"], ["p"]),
                  make_node("OptionalHasElement", ["p"], ["y"])], outputs=[value("y", B, ())])


# -- Shapes beyond reason --------------------------------------------------------


@model
def weight_of_many_dimensions():
    return graph([node("Relu", ["w"])], [], initializers=[weight((1,) * 65, raw=b"\0" * 4)])


@model
def weight_empty_and_huge():
    """No element, and dimensions whose product with anything overflows."""
    return graph([node("Relu", ["w"])], [], initializers=[weight((0, 1 << 62), raw=b"")])


@model
def reshape_to_many_dimensions():
    return graph([const("s", np.ones(100, np.int64)), node("Reshape", ["x", "s"])],
                 [value("x", F, (1,))])


@model
def unsqueeze_many_axes():
    return graph([const("a", np.arange(100)), node("Unsqueeze", ["x", "a"])])


@model
def expand_to_nothing_and_huge():
    return graph([const("s", ints(0, 1 << 62)), node("ConstantOfShape", ["s"])], [])


@model
def expand_open_and_huge():
    """One dimension is open, so the number of elements is not known."""
    return graph([const("s", ints(1, 1 << 62)), node("Expand", ["x", "s"])],
                 [value("x", F, ("n", 1))])


# -- Attributes ------------------------------------------------------------------
# -- Attributes ------------------------------------------------------------------


@model
def attribute_of_wrong_type():
    return graph([node("Concat", ["x", "x"], axis="zero")])


@model
def attribute_missing():
    return graph([node("Concat", ["x", "x"])])


@model
def attribute_list_too_short():
    weight = numpy_helper.from_array(np.zeros((8, 3, 3, 3), np.float32), "w")
    return graph([node("Conv", ["x", "w"], pads=[1])], [value("x", F, (1, 3, 8, 8))],
                 initializers=[weight])


@model
def attribute_word_unknown():
    return graph([const("p", ints(1, 1)), node("Pad", ["x", "p"], mode="sideways")])


@model
def input_left_out():
    return graph([node("MatMul", ["x", ""])])


@model
def inputs_none_at_all():
    return graph([node("Add", [])])


@model
def weights_without_channels():
    pairs = [("s", np.float32(1)), ("z", np.uint8(0)), ("w", np.uint8(1)),
             ("v", np.ones(3, np.float32)), ("zs", np.zeros(3, np.uint8))]
    nodes = [const(name, array) for name, array in pairs]
    nodes.append(node("QLinearConv", ["x", "s", "z", "w", "v", "zs", "s", "z"]))
    return graph(nodes, [value("x", TensorProto.UINT8, (1, 1, 4, 4))],
                 [value("y", TensorProto.UINT8, None)])


@model
def mask_of_complex_numbers():
    made = graph([node("Dropout", ["x"], ["y", "mask"])], [value("x", TensorProto.COMPLEX64)])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 9)])


@model
def labels_of_complex_numbers():
    numbers = numpy_helper.from_array(np.ones(1, np.complex64))
    made = graph([make_node("LabelEncoder", ["x"], ["y"], name="the_labels", domain="ai.onnx.ml",
                            keys_floats=[1.0], values_tensor=numbers)])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17),
                                                  helper.make_opsetid("ai.onnx.ml", 4)])


@model
def bernoulli_of_strings():
    return graph([node("Bernoulli", ["x"], dtype=F)], [value("x", S)])


@model
def random_strings():
    return graph([node("RandomNormal", [], shape=[2], dtype=S)], [], [value("y", S, None)])


@model
def tile_by_words():
    """Before opset 6 the counts have the type of the tensor."""
    word = np.array(["a"], dtype=object)
    made = graph([const("t", word), const("a", word), node("Tile", ["x", "t", "a"])],
                 [value("x", S)], [value("y", S, None)])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 5)])


@model
def constant_without_value():
    return graph([node("Constant", [])], [])


@model
def regex_broken():
    return graph([const("t", np.array(["a"], dtype=object)),
                  make_node("RegexFullMatch", ["t"], ["y"], name="the_regex", pattern="(")], [],
                 [value("y", B, None)])


@model
def regex_long():
    return graph([make_node("RegexFullMatch", ["t"], ["y"], name="the_regex",
                            pattern="a" * 100000)],
                 [value("t", S)], [value("y", B, None)])


# -- Control flow ----------------------------------------------------------------


def branch(name, nodes, outputs):
    return make_graph(nodes, name, [], [value(output, F, None) for output in outputs])


def reshape_to(size, output):
    return [const(output + "_s", ints(size)), make_node("Reshape", ["x", output + "_s"], [output],
                                                        name=f"reshape_to_{size}")]


@model
def if_condition_float():
    good_branch = branch("t", [node("Relu", ["x"], ["t"])], ["t"])
    return graph([node("If", ["x"], then_branch=good_branch, else_branch=good_branch)])


@model
def if_condition_two_elements():
    good_branch = branch("t", [node("Relu", ["x"], ["t"])], ["t"])
    return graph([node("If", ["c"], then_branch=good_branch, else_branch=good_branch)],
                 [value("x"), value("c", B, (2,))])


@model
def if_without_else():
    good_branch = branch("t", [node("Relu", ["x"], ["t"])], ["t"])
    return graph([node("If", ["c"], then_branch=good_branch)], [value("x"), value("c", B, ())])


@model
def if_output_counts_differ():
    one = branch("t", [node("Relu", ["x"], ["t"])], ["t"])
    two = branch("e", [node("Relu", ["x"], ["e"])], ["e", "e"])
    return graph([node("If", ["c"], then_branch=one, else_branch=two)],
                 [value("x"), value("c", B, ())])


@model
def if_output_types_differ():
    one = branch("t", [node("Relu", ["x"], ["t"])], ["t"])
    two = branch("e", [node("Cast", ["x"], ["e"], to=I)], ["e"])
    return graph([node("If", ["c"], then_branch=one, else_branch=two)],
                 [value("x"), value("c", B, ())])


@model
def if_both_branches_broken():
    one = branch("t", reshape_to(5, "t"), ["t"])
    two = branch("e", reshape_to(7, "e"), ["e"])
    return graph([node("If", ["c"], then_branch=one, else_branch=two)],
                 [value("x"), value("c", B, ())])


@model
def if_one_branch_broken():
    """Not an error: a warning, and a branch that fails when taken."""
    one = branch("t", reshape_to(5, "t"), ["t"])
    two = branch("e", [node("Relu", ["x"], ["e"])], ["e"])
    return graph([node("If", ["c"], then_branch=one, else_branch=two)],
                 [value("x"), value("c", B, ())])


def loop_body(nodes, inputs, outputs):
    return make_graph(nodes, "body", inputs, outputs)


@model
def loop_without_body():
    return graph([const("n", np.int64(3)), node("Loop", ["n", "", "x"])])


@model
def loop_body_takes_too_few():
    body = loop_body([], [value("i", I, ())], [value("i", I, ()), value("x", F, None)])
    return graph([const("n", np.int64(3)), node("Loop", ["n", "", "x"], body=body)])


@model
def loop_body_gives_too_few():
    body = loop_body([], [value("i", I, ()), value("c", B, ()), value("v")], [value("c", B, ())])
    return graph([const("n", np.int64(3)), node("Loop", ["n", "", "x"], body=body)])


@model
def loop_type_changes():
    body = loop_body([make_node("Cast", ["v"], ["w"], to=I)],
                     [value("i", I, ()), value("c", B, ()), value("v")],
                     [value("c", B, ()), value("w", I, None)])
    return graph([const("n", np.int64(3)), node("Loop", ["n", "", "x"], body=body)])


@model
def loop_condition_is_float():
    body = loop_body([make_node("Relu", ["v"], ["w"])],
                     [value("i", I, ()), value("c", B, ()), value("v")],
                     [value("w", F, None), value("w", F, None)])
    return graph([const("n", np.int64(3)), node("Loop", ["n", "", "x"], body=body)])


@model
def loop_count_is_float():
    body = loop_body([], [value("i", I, ()), value("c", B, ()), value("v")],
                     [value("c", B, ()), value("v", F, None)])
    return graph([node("Loop", ["x", "", "x"], body=body)])


@model
def loops_in_loops():
    """Each level is imported twice, until its types settle: 22 levels are four
    million imports."""
    inner = [make_node("Concat", ["v", "x"], ["w"], axis=0)]
    for level in range(22):
        body = loop_body(inner, [value(f"i{level}", I, ()), value(f"c{level}", B, ()),
                                 value("v")],
                         [value(f"c{level}", B, ()), value("w", F, None)])
        inner = [make_node("Loop", ["n", "", "x"], ["w"], name=f"loop_{level}", body=body)]
    return graph([const("n", np.int64(1)), *inner], outputs=[value("w", F, None)])


@model
def scan_too_many_inputs():
    body = loop_body([], [value("s")], [value("s")])
    return graph([node("Scan", ["x"], body=body, num_scan_inputs=5)])


@model
def scan_lengths_differ():
    body = loop_body([make_node("Add", ["a", "b"], ["o"])], [value("a", F, ()), value("b", F, ())],
                     [value("o", F, None)])
    return graph([node("Scan", ["x", "z"], body=body, num_scan_inputs=2)],
                 [value("x"), value("z", F, (3,))])


@model
def scan_axis():
    body = loop_body([make_node("Relu", ["a"], ["o"])], [value("a", F, ())], [value("o", F, None)])
    return graph([node("Scan", ["x"], body=body, num_scan_inputs=1, scan_input_axes=[4])])


def nested_ifs(levels):
    inner = make_graph([node("Relu", ["x"], ["y"])], "g", [], [value("y", F, None)])
    leaf = inner
    for level in range(levels):
        inner = make_graph([make_node("If", ["c"], ["y"], name=f"if_{level}", then_branch=inner,
                                      else_branch=leaf)], "g", [], [value("y", F, None)])
    inner.input.extend([value("x"), value("c", B, ())])
    return inner


@model
def ifs_nested_deeply():
    return nested_ifs(28)


# -- Functions -------------------------------------------------------------------


def with_functions(made, *functions):
    return helper.make_model(made, functions=list(functions),
                             opset_imports=[helper.make_opsetid("", 17),
                                            helper.make_opsetid("own", 1)])


def function(name, nodes, inputs=("a",), outputs=("b",)):
    return helper.make_function("own", name, list(inputs), list(outputs), nodes,
                                [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)])


def call(name, inputs, outputs):
    return make_node(name, inputs, outputs, name=f"call_{name}", domain="own")


@model
def function_calls_itself():
    return with_functions(graph([call("F", ["x"], ["y"])]),
                          function("F", [call("F", ["a"], ["b"])]))


@model
def functions_call_each_other():
    return with_functions(graph([call("F", ["x"], ["y"])]),
                          function("F", [call("G", ["a"], ["b"])]),
                          function("G", [call("F", ["a"], ["b"])]))


@model
def functions_double():
    """Each of 40 functions calls the one below twice: 2^40 nodes."""
    functions = [function("F0", [make_node("Neg", ["a"], ["b"])])]
    for i in range(1, 41):
        functions.append(function(f"F{i}", [call(f"F{i - 1}", ["a"], ["t"]),
                                            call(f"F{i - 1}", ["t"], ["b"])]))
    return with_functions(graph([call("F40", ["x"], ["y"])]), *functions)


@model
def functions_in_a_long_chain():
    functions = [function("F0", [make_node("Neg", ["a"], ["b"])])]
    for i in range(1, 20000):
        functions.append(function(f"F{i}", [call(f"F{i - 1}", ["a"], ["b"])]))
    return with_functions(graph([call("F19999", ["x"], ["y"])]), *functions)


@model
def function_twice():
    one = function("F", [make_node("Neg", ["a"], ["b"])])
    return with_functions(graph([call("F", ["x"], ["y"])]), one, one)


@model
def function_without_its_output():
    return with_functions(graph([call("F", ["x"], ["y"])]),
                          function("F", [make_node("Neg", ["a"], ["c"])]))


@model
def function_with_too_many_inputs():
    return with_functions(graph([call("F", ["x", "x", "x"], ["y"])]),
                          function("F", [make_node("Neg", ["a"], ["b"])]))


@model
def function_sees_no_outer_value():
    return with_functions(graph([call("F", ["x"], ["y"])]),
                          function("F", [make_node("Add", ["a", "x"], ["b"])]))


# -- Initializers ----------------------------------------------------------------


def with_weight(weight, op="Add"):
    return graph([node(op, ["x", "w"])], initializers=[weight])


def weight(dims=(2,), element=F, raw=None):
    made = TensorProto(name="w", data_type=element, dims=list(dims))
    if raw is not None:
        made.raw_data = raw
    return made


@model
def weight_raw_too_short():
    return with_weight(weight(raw=b"\0" * 5))


@model
def weight_raw_too_long():
    return with_weight(weight(raw=b"\0" * 500))


@model
def weight_without_data():
    return with_weight(weight())


@model
def weight_typed_too_short():
    made = weight((3,))
    made.float_data.extend([1, 2])
    return with_weight(made)


@model
def weight_of_unknown_type():
    return with_weight(weight(element=1234, raw=b"\0" * 8))


@model
def weight_negative_dimension():
    return with_weight(weight((2, -1), raw=b"\0" * 8))


@model
def weight_shape_overflows():
    return with_weight(weight((1 << 40, 1 << 40), raw=b""))


@model
def weight_claims_much():
    """2^40 elements and no data: nothing of that size may be allocated."""
    return with_weight(weight((1 << 40,), raw=b""))


@model
def weight_strings_claim_much():
    return graph([node("Identity", ["w"])], [], [value("y", S, None)],
                 [weight((1 << 40,), S)])


@model
def weight_sparse():
    made = good()
    sparse = made.sparse_initializer.add()
    sparse.values.CopyFrom(numpy_helper.from_array(floats(1), "w"))
    sparse.indices.CopyFrom(numpy_helper.from_array(ints(0), "i"))
    sparse.dims.append(2)
    made.node[0].CopyFrom(node("Add", ["x", "w"]))
    return made


# -- External data ---------------------------------------------------------------


def external(location, **more):
    made = weight()
    made.data_location = TensorProto.EXTERNAL
    for key, text in dict(location=location, **more).items():
        entry = made.external_data.add()
        entry.key, entry.value = key, str(text)
    return with_weight(made)


@model
def external_parent():
    return external("../outside.bin")


@model
def external_absolute():
    return external("/etc/passwd")


@model
def external_symbolic_link():
    return external("link.bin")


@model
def external_linked_folder():
    return external("folder/data.bin")


@model
def external_hard_link():
    return external("hard.bin")


@model
def external_folder():
    return external("plain")


@model
def external_pipe():
    return external("pipe")


@model
def external_missing():
    return external("nowhere.bin")


@model
def external_no_location():
    return external("")


@model
def external_beyond_the_end():
    return external("data.bin", offset=4)


@model
def external_offset_huge():
    return external("data.bin", offset=(1 << 63) - 1)


@model
def external_offset_negative():
    return external("data.bin", offset=-8)


@model
def external_offset_no_number():
    return external("data.bin", offset="eight")


@model
def external_length_wrong():
    return external("data.bin", length=4096)


@model
def external_length_huge():
    return external("data.bin", length=1 << 62)


@model
def external_strings():
    made = external("data.bin")
    made.initializer[0].data_type = S
    return made


def add_files(root):
    """What the models above point at."""
    (root / "plain").mkdir(exist_ok=True)
    (root / "data.bin").write_bytes(b"\0" * 8)
    (root / "broken.nvdla").write_bytes(b"\0" * 100)
    (root / "two_by_one.pb").write_bytes(numpy_helper.from_array(ints(2, 1)).SerializeToString())
    outside = root.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "data.bin").write_bytes(b"\0" * 8)
    (root.parent / "outside.bin").write_bytes(b"\0" * 8)
    for link, make in (("link.bin", lambda path: path.symlink_to("data.bin")),
                       ("folder", lambda path: path.symlink_to(outside)),
                       ("hard.bin", lambda path: os.link(outside / "data.bin", path)),
                       ("pipe", os.mkfifo)):
        path = root / link
        if path.is_symlink() or path.exists():
            path.unlink()
        make(path)


# -- Size ------------------------------------------------------------------------


@model
def chain_of_known_values():
    """Not an error: 50,000 nodes whose values follow from constants, of which the
    last one's is asked for. A recursion over them would end the stack."""
    nodes = [const("v0", ints(2)), const("zero", ints(0))]
    for i in range(50000):
        nodes.append(make_node("Add", [f"v{i}", "zero"], [f"v{i + 1}"]))
    nodes.append(make_node("Reshape", ["x", "v50000"], ["y"]))
    return graph(nodes)


@model
def node_of_many_inputs():
    """20,000 inputs, of which the last has another rank."""
    return graph([node("Concat", ["x"] * 20000 + ["z"], axis=0)], [value("x"), value("z", F, (2, 2))])


@model
def einsum_of_many_constants():
    """Not an error: 10^15 terms, which nobody may sum up to know a shape."""
    names = "abcde"
    nodes = [const(name, np.ones(1000, np.int64)) for name in names]
    nodes += [node("Einsum", names, ["s"], equation=",".join(names) + "->"),
              const("o", ints(1)), make_node("Reshape", ["s", "o"], ["v"]),
              make_node("Expand", ["x", "v"], ["y"])]
    return graph(nodes)


# -- Errors while running --------------------------------------------------------


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
    """The condition depends on a value that only the run knows."""
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
    # Any byte but 0 is true, and true is the index 1.
    two = TensorProto(data_type=B, dims=[1], raw_data=b"\x02", name="b")
    nodes = [const("x", floats(1)), make_node("Cast", ["b"], ["i"], to=I), node("Gather", ["x", "i"])]
    return graph(nodes, [], initializers=[two])


def empty(name, *dims):
    return TensorProto(data_type=F, dims=dims, name=name, raw_data=b"")


def with_opset(made, version):
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", version)])


@model
def run_conv_without_channels():
    """Not an error: zeros, although the kernel has 2^40 taps for each of none."""
    size = 1 << 20
    return graph([node("Conv", ["x", "w"])], [],
                 initializers=[empty("x", 1, 0, size, size), empty("w", 1, 0, size, size)])


@model
def run_nms_without_boxes():
    """Not an error: nothing, although there are 2^46 classes to look at."""
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
    """Numpy knows 32 dimensions at most."""
    raw = np.full(int(np.prod(dims)), number, np.float32).tobytes()
    return TensorProto(data_type=F, dims=dims, name=name, raw_data=raw)


@model
def run_deform_conv_of_high_rank():
    """Not an error: a sample has 2^38 corners, but all of them but one outside."""
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
def run_image_damaged():
    nodes = [const("b", np.frombuffer(b"\x89PNG\r\n\x1a\nrubbish", np.uint8)),
             node("ImageDecoder", ["b"])]
    return helper.make_model(graph(nodes, [], [value("y", TensorProto.UINT8, None)]),
                             opset_imports=[helper.make_opsetid("", 20)])


def main():
    root = Path(sys.argv[1])
    root.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        (root / f"{name}.onnx").write_bytes(finish(make()))
    add_files(root)


if __name__ == "__main__":
    main()
