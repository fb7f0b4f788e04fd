#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a suite of small models in the directory layout of ONNX's backend tests. The models cover
# control flow, subgraph scopes, functions and sequences, which ONNX's own suite tests little. This
# file states the expected outputs; no other runtime computes them.
#
#   control_suite.py DIR             writes DIR/<name>/model.onnx and test_data_set_0/
#   control_suite.py DIR RUNNER...   then runs RUNNER... --suite DIR

import subprocess
import sys
from pathlib import Path

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from onnx.helper import make_graph, make_node, make_tensor_value_info

F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, element, shape=None):
    return make_tensor_value_info(name, element, shape)


def const(name, array):
    return make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(array)))


def f32(*values):
    return np.array(values, dtype=np.float32)


def i64(*values):
    return np.array(values, dtype=np.int64)


def scalar(number, dtype=np.int64):
    return np.array(number, dtype=dtype)


class Suite:
    def __init__(self, root):
        self.root = Path(root)

    def add(self, name, graph, inputs, outputs, functions=(), opset=17, edit=None):
        """Writes one test. `edit` may change the serialized model."""
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
        model = helper.make_model(graph, opset_imports=opsets, functions=list(functions))
        folder = self.root / f"test_{name}"
        data = folder / "test_data_set_0"
        data.mkdir(parents=True, exist_ok=True)
        raw = edit(model) if edit else model.SerializeToString()
        (folder / "model.onnx").write_bytes(raw)
        for kind, arrays in (("input", inputs), ("output", outputs)):
            for i, array in enumerate(arrays):
                tensor = numpy_helper.from_array(np.asarray(array))
                (data / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def function(name, inputs, outputs, nodes, attributes=()):
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, inputs, outputs, nodes, opsets, list(attributes))


def refer(node, attribute, outer, kind):
    """Makes an attribute of a node in a function refer to an attribute of the call."""
    reference = AttributeProto(name=attribute, ref_attr_name=outer, type=kind)
    node.attribute.append(reference)
    return node


def call(op, inputs, outputs, **attributes):
    return make_node(op, inputs, outputs, domain="own", **attributes)


# -- If ------------------------------------------------------------------------


def branch(name, nodes, output, element=F, shape=None):
    return make_graph(nodes, name, [], [value(output, element, shape)])


def add_ifs(suite):
    def graph(then_nodes, else_nodes, before=()):
        node = make_node("If", ["c"], ["y"], then_branch=branch("t", then_nodes, "t"),
                         else_branch=branch("e", else_nodes, "e"))
        return make_graph([*before, node], "g", [value("c", B, []), value("x", F, [2])],
                          [value("y", F)])

    grow = [make_node("Concat", ["x", "x"], ["t"], axis=0)]
    keep = [make_node("Relu", ["x"], ["e"])]
    x = f32(-1, 2)
    for taken, y in ((True, f32(-1, 2, -1, 2)), (False, f32(0, 2))):
        suite.add(f"if_shapes_differ_{str(taken).lower()}", graph(grow, keep),
                  [scalar(taken, bool), x], [y])

    # One branch has a Reshape to an impossible shape; only the other branch can run.
    bad = [const("s", i64(7)), make_node("Reshape", ["x", "s"], ["t"])]
    suite.add("if_bad_branch", graph(bad, keep), [scalar(False, bool), x], [f32(0, 2)])

    # The importer skips the invalid branch if the condition is a constant.
    known = [const("always", False)]
    node = make_node("If", ["always"], ["y"], then_branch=branch("t", bad, "t"),
                     else_branch=branch("e", keep, "e"))
    suite.add("if_known", make_graph([*known, node], "g", [value("x", F, [2])], [value("y", F)]),
              [x], [f32(0, 2)])

    # Both branches use the same value names, and an outer value of that name keeps its own value.
    then_nodes = [const("k", f32(10)), make_node("Add", ["x", "k"], ["t"])]
    else_nodes = [const("k", f32(20)), make_node("Add", ["x", "k"], ["e"])]
    outer = graph(then_nodes, else_nodes, [const("k", f32(1))])
    outer.node.append(make_node("Add", ["y", "k"], ["z"]))
    outer.output[0].name = "z"
    suite.add("if_names_shadow", outer, [scalar(True, bool), x], [f32(10, 13)])

    # A branch may return an outer value unchanged, and the condition may have the shape [1].
    node = make_node("If", ["c"], ["y"], then_branch=make_graph([], "t", [], [value("x", F)]),
                     else_branch=branch("e", keep, "e"))
    suite.add("if_outer_value",
              make_graph([node], "g", [value("c", B, [1]), value("x", F, [2])], [value("y", F)]),
              [np.array([True]), x], [x])


# -- Loop ----------------------------------------------------------------------


def loop(body_nodes, carried, scanned=(), initializers=(), counter_shape=()):
    """Returns a body that takes (i, c, carried...) and yields (go, <name>_out..., scanned...)."""
    inputs = [value("i", I, list(counter_shape)), value("c", B, [])]
    inputs += [value(name, element) for name, element in carried]
    outputs = [value("go", B)] + [value(name + "_out", element) for name, element in carried]
    outputs += [value(name, element) for name, element in scanned]
    return make_graph(body_nodes, "body", inputs, outputs, initializer=list(initializers))


PASS = make_node("Identity", ["c"], ["go"])


def add_loops(suite):
    trips, x = value("n", I, []), value("x", F, [2])
    add = [PASS, make_node("Add", ["v", "x"], ["v_out"]), make_node("Identity", ["v"], ["s"])]
    body = loop(add, [("v", F)], [("s", F)])
    node = make_node("Loop", ["n", "", "x"], ["y", "ys"], body=body)
    graph = make_graph([node], "g", [trips, x], [value("y", F), value("ys", F)])
    suite.add("loop_without_condition", graph, [scalar(3), f32(1, 2)],
              [f32(4, 8), np.array([[1, 2], [2, 4], [3, 6]], np.float32)])
    suite.add("loop_zero_trips", graph, [scalar(0), f32(1, 2)],
              [f32(1, 2), np.zeros((0, 2), np.float32)])
    suite.add("loop_negative_trips", graph, [scalar(-5), f32(1, 2)],
              [f32(1, 2), np.zeros((0, 2), np.float32)])

    # Only the condition ends the loop; the counter still increases.
    count = [const("one", f32(1)), make_node("Sub", ["v", "one"], ["v_out"]),
             const("zero", f32(0)), make_node("Greater", ["v_out", "zero"], ["gs"]),
             const("none", i64()), make_node("Reshape", ["gs", "none"], ["go"]),
             make_node("Cast", ["i"], ["s"], to=F)]
    body = loop(count, [("v", F)], [("s", F)])
    node = make_node("Loop", ["", "t", "v0"], ["y", "ys"], body=body)
    graph = make_graph([const("t", True), node], "g", [value("v0", F, [1])],
                       [value("y", F), value("ys", F)])
    suite.add("loop_until_condition", graph, [f32(4)], [f32(0), f32(0, 1, 2, 3)])

    # The carried value grows, so its type changes in each iteration.
    grow = [PASS, make_node("Concat", ["v", "x"], ["v_out"], axis=0)]
    node = make_node("Loop", ["n", "", "x"], ["y"], body=loop(grow, [("v", F)]))
    suite.add("loop_grows", make_graph([node], "g", [trips, x], [value("y", F)]),
              [scalar(2), f32(1, 2)], [f32(1, 2, 1, 2, 1, 2)])

    # The rank of the carried value changes as well.
    deeper = [PASS, const("first", i64(0)), make_node("Unsqueeze", ["v", "first"], ["v_out"])]
    node = make_node("Loop", ["n", "", "x"], ["y"], body=loop(deeper, [("v", F)]))
    suite.add("loop_changes_rank", make_graph([node], "g", [trips, x], [value("y", F)]),
              [scalar(2), f32(1, 2)], [np.array([[[1, 2]]], np.float32)])

    # The body has initializers, reads an outer value, and reuses an outer name.
    weight = numpy_helper.from_array(f32(3), "w")
    scale = [PASS, make_node("Mul", ["v", "w"], ["m"]), make_node("Add", ["m", "x"], ["v_out"])]
    body = loop(scale, [("v", F)], initializers=[weight])
    nodes = [const("w", f32(100)), make_node("Loop", ["n", "", "x"], ["l"], body=body),
             make_node("Add", ["l", "w"], ["y"])]
    suite.add("loop_scopes", make_graph(nodes, "g", [trips, x], [value("y", F)]),
              [scalar(1), f32(1, 2)], [f32(104, 108)])

    # The counter is declared with one dimension, as old exporters do.
    vector = [PASS, make_node("Cast", ["i"], ["f"], to=F),
              make_node("Concat", ["v", "f"], ["v_out"], axis=0)]
    body = loop(vector, [("v", F)], counter_shape=[1])
    node = make_node("Loop", ["n", "", "x"], ["y"], body=body)
    suite.add("loop_vector_counter", make_graph([node], "g", [trips, x], [value("y", F)]),
              [scalar(2), f32(5, 6)], [f32(5, 6, 0, 1)])

    inner = loop([make_node("Identity", ["c"], ["go"]), make_node("Add", ["u", "v"], ["u_out"])],
                 [("u", F)])
    outer = [PASS, make_node("Loop", ["n", "", "v"], ["v_out"], body=inner)]
    node = make_node("Loop", ["n", "", "x"], ["y"], body=loop(outer, [("v", F)]))
    suite.add("loop_in_loop", make_graph([node], "g", [trips, x], [value("y", F)]),
              [scalar(2), f32(1, 2)], [f32(9, 18)])

    # A constant true condition and a constant trip count give the scanned size.
    body = loop(add, [("v", F)], [("s", F)])
    node = make_node("Loop", ["three", "t", "x"], ["", "ys"], body=body)
    graph = make_graph([const("three", scalar(3)), const("t", True), node], "g", [x],
                       [value("ys", F, [3, 2])])
    suite.add("loop_known_trips", graph, [f32(1, 2)],
              [np.array([[1, 2], [2, 4], [3, 6]], np.float32)])


def add_sequences_in_loops(suite):
    sequence = helper.make_tensor_sequence_value_info
    push = [PASS, make_node("SequenceInsert", ["q", "x"], ["q_out"])]
    body = make_graph(push, "body", [value("i", I, []), value("c", B, []), sequence("q", F, None)],
                      [value("go", B), sequence("q_out", F, None)])
    nodes = [make_node("SequenceEmpty", [], ["q0"], dtype=F),
             make_node("Loop", ["n", "", "q0"], ["q1"], body=body),
             make_node("ConcatFromSequence", ["q1"], ["y"], axis=0, new_axis=1),
             make_node("SequenceLength", ["q1"], ["k"])]
    graph = make_graph(nodes, "g", [value("n", I, []), value("x", F, [2])],
                       [value("y", F), value("k", I)])
    suite.add("loop_sequence", graph, [scalar(3), f32(1, 2)],
              [np.array([[1, 2]] * 3, np.float32), scalar(3)])

    # The body computes the condition, which is known in each iteration, and stacks the lengths.
    steps = [const("one", scalar(1)), make_node("Less", ["i", "one"], ["go"]), push[1],
             make_node("SequenceLength", ["q_out"], ["n"])]
    body = make_graph(steps, "body", [value("i", I, []), value("c", B, []), sequence("q", F, None)],
                      [value("go", B), sequence("q_out", F, None), value("n", I)])
    nodes = [make_node("SequenceConstruct", ["x"], ["q0"]),
             make_node("Loop", ["", "", "q0"], ["q1", "k"], body=body),
             make_node("ConcatFromSequence", ["q1"], ["y"], axis=0)]
    graph = make_graph(nodes, "g", [value("x", F, [2])], [value("y", F), value("k", I)])
    suite.add("loop_sequence_until", graph, [f32(1, 2)], [f32(1, 2, 1, 2, 1, 2), i64(2, 3)])


# -- Scan ----------------------------------------------------------------------


def add_scans(suite):
    def body(nodes, outputs):
        return make_graph(nodes, "body", [value("s", F), value("x", F)],
                          [value(name, F) for name in outputs])

    total = [make_node("Add", ["s", "x"], ["t"]), make_node("Identity", ["t"], ["o"])]
    node = make_node("Scan", ["s0", "xs"], ["y", "ys"], body=body(total, ["t", "o"]),
                     num_scan_inputs=1, scan_input_axes=[-1], scan_input_directions=[1],
                     scan_output_axes=[-1], scan_output_directions=[1])
    graph = make_graph([node], "g", [value("s0", F, [2]), value("xs", F, [2, 3])],
                       [value("y", F), value("ys", F)])
    xs = np.array([[1, 2, 3], [10, 20, 30]], np.float32)
    suite.add("scan_backwards", graph, [f32(0, 0), xs],
              [f32(6, 60), np.array([[6, 5, 3], [60, 50, 30]], np.float32)])

    node = make_node("Scan", ["", "s0", "xs"], ["y", "ys"], body=body(total, ["t", "o"]),
                     num_scan_inputs=1)
    graph = make_graph([node], "g", [value("s0", F, [2, 1]), value("xs", F, [2, 3, 1])],
                       [value("y", F), value("ys", F)])
    suite.add("scan8_batch", graph, [np.zeros((2, 1), np.float32), xs.reshape(2, 3, 1)],
              [np.array([[6], [60]], np.float32),
               np.array([[[1], [3], [6]], [[10], [30], [60]]], np.float32)], opset=8)

    # The body reads the outer value `w`; the scan carries no state.
    only = make_graph([make_node("Mul", ["x", "w"], ["o"])], "body", [value("x", F)],
                      [value("o", F)])
    node = make_node("Scan", ["xs"], ["ys"], body=only, num_scan_inputs=1)
    graph = make_graph([const("w", f32(2)), node], "g", [value("xs", F, [2, 3])],
                       [value("ys", F)])
    suite.add("scan_stateless", graph, [xs], [2 * xs])


# -- Functions -----------------------------------------------------------------


def with_default(model):
    """Adds a default for attribute `alpha` of the first function (field 11). The installed protobuf
    classes do not define this field."""
    default = AttributeProto(name="alpha", f=0.5, type=AttributeProto.FLOAT).SerializeToString()
    raw = model.functions[0].SerializeToString() + bytes([11 << 3 | 2, len(default)]) + default
    del model.functions[:]
    return model.SerializeToString() + bytes([25 << 3 & 0x7F | 0x80 | 2, 25 >> 4, len(raw)]) + raw


def add_functions(suite):
    x = value("x", F, [2])
    leaky = function("Leaky", ["a"], ["b"],
                     [refer(make_node("LeakyRelu", ["a"], ["b"]), "alpha", "alpha",
                            AttributeProto.FLOAT)], ["alpha"])
    given = make_graph([call("Leaky", ["x"], ["y"], alpha=0.25)], "g", [x], [value("y", F)])
    suite.add("function_attribute", given, [f32(-4, 4)], [f32(-1, 4)], [leaky])
    absent = make_graph([call("Leaky", ["x"], ["y"])], "g", [x], [value("y", F)])
    # LeakyRelu's own default is 0.01.
    suite.add("function_attribute_left_out", absent, [f32(-4, 4)], [f32(-0.04, 4)], [leaky])
    plain = function("Leaky", ["a"], ["b"], list(leaky.node))
    suite.add("function_default_attribute", absent, [f32(-4, 4)], [f32(-2, 4)], [plain],
              edit=with_default)
    suite.add("function_default_overridden", given, [f32(-4, 4)], [f32(-1, 4)], [plain],
              edit=with_default)

    # A function calls another function and passes its attribute on. Names inside the function equal
    # names outside.
    twice = function("Twice", ["x"], ["y"],
                     [refer(call("Leaky", ["x"], ["t"]), "alpha", "slope", AttributeProto.FLOAT),
                      refer(call("Leaky", ["t"], ["y"]), "alpha", "slope", AttributeProto.FLOAT)],
                     ["slope"])
    nodes = [call("Twice", ["x"], ["t"], slope=0.5), make_node("Add", ["t", "x"], ["y"])]
    suite.add("function_in_function", make_graph(nodes, "g", [x], [value("y", F)]), [f32(-4, 4)],
              [f32(-5, 8)], [leaky, twice])

    # An input that the call omits is absent inside the function too.
    clip = function("Bound", ["a", "low", "high"], ["b"],
                    [make_node("Clip", ["a", "low", "high"], ["b"])])
    nodes = [const("top", scalar(1, np.float32)), call("Bound", ["x", "", "top"], ["y"])]
    suite.add("function_input_left_out", make_graph(nodes, "g", [x], [value("y", F)]),
              [f32(-4, 4)], [f32(-4, 1)], [clip])

    # A subgraph in a function reads the function's values and attributes.
    inside = refer(make_node("LeakyRelu", ["a"], ["t"]), "alpha", "alpha", AttributeProto.FLOAT)
    choose = function("Choose", ["c", "a"], ["b"],
                      [make_node("If", ["c"], ["b"], then_branch=branch("t", [inside], "t"),
                                 else_branch=make_graph([], "e", [], [value("a", F)]))],
                      ["alpha"])
    nodes = [call("Choose", ["c", "x"], ["y"], alpha=0.25)]
    suite.add("function_with_subgraph",
              make_graph(nodes, "g", [value("c", B, []), x], [value("y", F)]),
              [scalar(True, bool), f32(-4, 4)], [f32(-1, 4)], [choose])


# -- Sequences -----------------------------------------------------------------


def add_sequences(suite):
    a, b = value("a", F, [2]), value("b", F, [2])
    build = make_node("SequenceConstruct", ["a", "b"], ["q"])

    def at(position, known):
        nodes = [build, make_node("SequenceAt", ["q", "p"], ["y"])]
        inputs = [a, b]
        if known:
            nodes.insert(0, const("p", scalar(position)))
        else:
            inputs.append(value("p", I, []))
        return make_graph(nodes, "g", inputs, [value("y", F)])

    for known in (True, False):
        data = [f32(1, 2), f32(3, 4)] + ([] if known else [scalar(-2)])
        suite.add(f"sequence_at_{'known' if known else 'unknown'}", at(-2, known), data,
                  [f32(1, 2)])

    nodes = [build, make_node("SequenceErase", ["q"], ["q1"]),
             make_node("SequenceInsert", ["q1", "b", "p"], ["q2"]),
             make_node("ConcatFromSequence", ["q2"], ["y"], axis=0)]
    suite.add("sequence_insert_before",
              make_graph(nodes, "g", [a, b, value("p", I, [])], [value("y", F)]),
              [f32(1, 2), f32(3, 4), scalar(-1)], [f32(3, 4, 1, 2)])

    nodes = [make_node("SplitToSequence", ["a", "n"], ["q"]),
             make_node("SequenceLength", ["q"], ["k"]), const("p", scalar(-1)),
             make_node("SequenceAt", ["q", "p"], ["y"])]
    for known in (True, False):
        inputs = [value("a", F, [5])] + ([] if known else [value("n", I, [])])
        before = [const("n", scalar(2))] if known else []
        suite.add(f"split_to_sequence_{'known' if known else 'unknown'}",
                  make_graph(before + nodes, "g", inputs, [value("k", I), value("y", F)]),
                  [f32(1, 2, 3, 4, 5)] + ([] if known else [scalar(2)]), [scalar(3), f32(5)])

    body = make_graph([make_node("Add", ["e", "b"], ["o"])], "body", [value("e", F)],
                      [value("o", F)])
    nodes = [build, make_node("SequenceMap", ["q"], ["m"], body=body),
             make_node("ConcatFromSequence", ["m"], ["y"], axis=0)]
    suite.add("sequence_map_outer_value", make_graph(nodes, "g", [a, b], [value("y", F)]),
              [f32(1, 2), f32(3, 4)], [f32(4, 6, 6, 8)])

    def order(name, *inputs):
        nodes = [make_node("SequenceConstruct", inputs, [name])]
        return make_graph(nodes, name, [], [helper.make_tensor_sequence_value_info(name, F, None)])

    node = make_node("If", ["c"], ["q"], then_branch=order("t", "a", "b"), else_branch=order("e", "b", "a"))
    join = make_node("ConcatFromSequence", ["q"], ["y"], axis=0)
    graph = make_graph([node, join], "g", [value("c", B, []), a, b], [value("y", F)])
    for taken, y in ((True, f32(1, 2, 3, 4)), (False, f32(3, 4, 1, 2))):
        suite.add(f"if_sequence_{str(taken).lower()}", graph,
                  [scalar(taken, bool), f32(1, 2), f32(3, 4)], [y])

    nodes = [make_node("Optional", ["a"], ["o"]), make_node("OptionalHasElement", ["o"], ["h"]),
             make_node("OptionalGetElement", ["o"], ["y"])]
    suite.add("optional_known", make_graph(nodes, "g", [a], [value("h", B), value("y", F)]),
              [f32(1, 2)], [scalar(True, bool), f32(1, 2)], opset=18)


def main():
    suite = Suite(sys.argv[1])
    for add in (add_ifs, add_loops, add_sequences_in_loops, add_scans, add_functions,
                add_sequences):
        add(suite)
    if len(sys.argv) > 2:
        sys.exit(subprocess.call([*sys.argv[2:], "--suite", sys.argv[1]]))


if __name__ == "__main__":
    main()
