# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models with extreme shapes and with attributes of the wrong kind."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node

from models.making import B, F, S, const, graph, ints, model, node, value
from models.weights import weight


@model
def weight_of_many_dimensions():
    return graph([node("Relu", ["w"])], [], initializers=[weight((1,) * 65, raw=b"\0" * 4)])


@model
def weight_empty_and_huge():
    """No element, and dimensions whose product with any other overflows."""
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
    """One dimension is dynamic, so the number of elements is unknown."""
    return graph([const("s", ints(1, 1 << 62)), node("Expand", ["x", "s"])],
                 [value("x", F, ("n", 1))])


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
    """Before opset 6, the repeat counts have the element type of the tensor."""
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
