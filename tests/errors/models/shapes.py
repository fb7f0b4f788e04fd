# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models with types and shapes that are invalid for a node."""

import numpy as np
from onnx import numpy_helper
from onnx.helper import make_graph, make_node

from models.making import B, F, HIGHEST, I, LOWEST, S, const, floats, graph, ints, model, node, value


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
    """The integer that MLIR uses for dynamic dimensions."""
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
    """A convolution of 1 x 3 x 8 x 8 with weights of a given shape, or of unknown shape."""
    inputs = [value("x", F, (1, 3, 8, 8)), value("w", F, weights)]
    return graph([node(op, ["x", "w"], **attributes)], inputs)


@model
def conv_dilation_lowest():
    return conv("Conv", (8, 3, 3, 3), dilations=[LOWEST, 1])


@model
def conv_kernel_lowest():
    """The weights do not define the size of the kernel."""
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
def cumsum_axis_of_booleans():
    return graph([node("CumSum", ["x", "axis"])], [value("x"), value("axis", B, (2, 2))])


@model
def reduce_axes_of_booleans():
    return graph([node("ReduceSum", ["x", "axes"])], [value("x"), value("axes", B, (1,))])


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
def stft_rank():
    return graph([const("s", ints(2)), const("n", ints(4)), node("STFT", ["x", "s", "", "n"])],
                 [value("x", F, (1, 8, 1, 1))])


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
    """ONNX has no nested sequences. A long chain of such nodes would be an equally deeply nested
    type."""
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
