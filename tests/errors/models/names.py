# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models with missing, duplicate or cyclic names, and with invalid inputs."""

from onnx import ValueInfoProto, numpy_helper
from onnx.helper import make_graph

from models.making import B, F, I, floats, graph, model, node, value


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
    """A value of a branch is not visible outside the branch."""
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
