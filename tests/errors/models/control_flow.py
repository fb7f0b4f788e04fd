# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models with invalid branches, loops and local functions."""

import numpy as np
from onnx import helper
from onnx.helper import make_graph, make_node

from models.making import B, F, I, const, graph, ints, model, node, value


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
    """Not an error: convoy prints a warning, and the branch fails if it is taken."""
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
    """The importer imports each level twice until its types are stable, so 22 levels would be four
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
    """Each of 40 functions calls the previous function twice, which makes 2^40 nodes."""
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
