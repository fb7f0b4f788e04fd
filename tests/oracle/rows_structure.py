# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of control flow, sequences, optionals and texts. They are small graphs with tensors as inputs and outputs."""

import numpy as np
from onnx import TensorProto, helper
from op_rows import f32, i64, row
from oracle_case import Case, model_of


def graph_case(make, text, nodes, inputs, outputs, is_odd=False):
    """Adds a case of several nodes; a number in `nodes` is not allowed, a tuple is (op, inputs, outputs, attributes)."""
    made = [helper.make_node(op, ins, outs, f"node{k}", **attributes) for k, (op, ins, outs, attributes) in enumerate(nodes)]
    model = model_of(made, inputs, [], outputs, make.opset)
    name = f"op/{make.op}_{make.opset}_{text}"
    make.cases.append(Case(name, make.op, model, dict(inputs), is_odd))


def body(name, nodes, inputs, outputs):
    made = [helper.make_node(op, ins, outs, f"{name}_{k}", **attributes) for k, (op, ins, outs, attributes) in enumerate(nodes)]
    info = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)  # noqa: E731
    return helper.make_graph(made, name, [info(*value) for value in inputs], [info(*value) for value in outputs])


FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64


@row("If")
def branches(make):
    then = body("then", [("Add", ["x", "y"], ["t"], {})], [], [("t", FLOAT, [2, 3])])
    other = body("else", [("Sub", ["x", "y"], ["e"], {})], [], [("e", FLOAT, [2, 3])])
    nodes = [("If", ["c"], ["o"], {"then_branch": then, "else_branch": other})]
    if make.opset >= 7:
        for value in (True, False):
            graph_case(make, str(value), nodes, {"c": np.array(value), "x": make.strange(2, 3), "y": make.x(2, 3)}, ["o"], is_odd=True)


@row("Loop")
def loop(make):
    nodes = [("Add", ["v", "x"], ["w"], {}), ("Identity", ["cond"], ["again"], {}), ("Mul", ["w", "x"], ["scan"], {})]
    inputs = [("i", INT64, []), ("cond", BOOL, []), ("v", FLOAT, [3])]
    outputs = [("again", BOOL, []), ("w", FLOAT, [3]), ("scan", FLOAT, [3])]
    inner = body("body", nodes, inputs, outputs)
    if make.opset >= 7:
        for trips in (0, 1, 4):
            given = {"n": np.array(trips, np.int64), "c": np.array(True), "v0": make.x(3), "x": make.x(3)}
            graph_case(make, f"trips{trips}", [("Loop", ["n", "c", "v0"], ["last", "all"], {"body": inner})], given, ["last", "all"])
        number = ("Constant", [], ["n"], {"value": helper.make_tensor("", INT64, [], [3])})
        nodes = [number, ("Loop", ["n", "", "v0"], ["last", "all"], {"body": inner})]
        graph_case(make, "constant", nodes, {"v0": make.x(3), "x": make.x(3)}, ["last", "all"])
        given = {"n": np.array(4, np.int64), "c": np.array(False), "v0": make.x(3), "x": make.x(3)}
        graph_case(make, "false", [("Loop", ["n", "c", "v0"], ["last", "all"], {"body": inner})], given, ["last", "all"])


@row("Scan")
def scan(make):
    inner = body("body", [("Add", ["s", "e"], ["t"], {}), ("Mul", ["t", "e"], ["p"], {})],
                 [("s", FLOAT, [3]), ("e", FLOAT, [3])], [("t", FLOAT, [3]), ("p", FLOAT, [3])])  # fmt: skip
    if make.opset < 9:
        given = {"s0": make.x(2, 3), "xs": make.x(2, 4, 3)}
        graph_case(make, "batch", [("Scan", ["", "s0", "xs"], ["last", "all"], {"body": inner, "num_scan_inputs": 1})], given, ["last", "all"])
        return
    for text, options, shape in (("plain", {}, (4, 3)), ("reverse", {"scan_input_directions": [1], "scan_output_directions": [1]}, (4, 3)),
                                 ("axis", {"scan_input_axes": [1], "scan_output_axes": [1]}, (3, 4))):  # fmt: skip
        attributes = {"body": inner, "num_scan_inputs": 1, **options}
        graph_case(make, text, [("Scan", ["s0", "xs"], ["last", "all"], attributes)], {"s0": make.x(3), "xs": make.x(*shape)}, ["last", "all"])


def sequence(*names):
    return ("SequenceConstruct", list(names), ["s"], {})


@row("SequenceConstruct", "SequenceAt", "SequenceLength", "SequenceErase", "SequenceInsert", "ConcatFromSequence", "SequenceEmpty")
def sequences(make):
    given = {"a": make.x(2, 3), "b": make.x(2, 3), "c": make.x(2, 3)}

    def case(text, nodes, outputs, **more):
        graph_case(make, text, nodes, {**given, **more}, outputs)

    at = lambda index: [("Constant", [], ["k"], {"value": helper.make_tensor("", INT64, [], [index])})]  # noqa: E731
    build = [sequence("a", "b", "c")]
    for index in (0, 2, -1, -3):
        case(f"at{index}", [*build, *at(index), ("SequenceAt", ["s", "k"], ["o"], {})], ["o"])
    case("length", [*build, ("SequenceLength", ["s"], ["o"], {})], ["o"])
    case("erase", [*build, *at(1), ("SequenceErase", ["s", "k"], ["t"], {}), ("ConcatFromSequence", ["t"], ["o"], {"axis": 0})], ["o"])
    case("erase_last", [*build, ("SequenceErase", ["s"], ["t"], {}), ("ConcatFromSequence", ["t"], ["o"], {"axis": -1})], ["o"])
    case("insert", [sequence("a", "b"), *at(-1), ("SequenceInsert", ["s", "c", "k"], ["t"], {}), ("ConcatFromSequence", ["t"], ["o"], {"axis": 1})], ["o"])
    case("stack", [*build, ("ConcatFromSequence", ["s"], ["o"], {"axis": 1, "new_axis": 1})], ["o"])
    case("stack_end", [*build, ("ConcatFromSequence", ["s"], ["o"], {"axis": -1, "new_axis": 1})], ["o"])
    case("empty", [("SequenceEmpty", [], ["e"], {"dtype": FLOAT}), ("SequenceInsert", ["e", "a"], ["t"], {}),
                   ("SequenceInsert", ["t", "b"], ["u"], {}), ("ConcatFromSequence", ["u"], ["o"], {"axis": 0})], ["o"])


@row("SplitToSequence")
def split_to_sequence(make):
    joined = ("ConcatFromSequence", ["s"], ["o"], {"axis": 1})
    graph_case(make, "ones", [("SplitToSequence", ["x"], ["s"], {"axis": 0}), joined], {"x": make.x(3, 4)}, ["o"])
    graph_case(make, "keepdims", [("SplitToSequence", ["x"], ["s"], {"axis": 0, "keepdims": 0}),
                                  ("ConcatFromSequence", ["s"], ["o"], {"axis": 0})], {"x": make.x(3, 4)}, ["o"])
    size = ("Constant", [], ["k"], {"value": helper.make_tensor("", INT64, [], [2])})
    graph_case(make, "size", [size, ("SplitToSequence", ["x", "k"], ["s"], {"axis": 1}), joined], {"x": make.x(3, 4)}, ["o"])


@row("SequenceMap")
def sequence_map(make):
    inner = body("body", [("Mul", ["e", "e"], ["f"], {})], [("e", FLOAT, [2, 3])], [("f", FLOAT, [2, 3])])
    nodes = [sequence("a", "b"), ("SequenceMap", ["s"], ["t"], {"body": inner}), ("ConcatFromSequence", ["t"], ["o"], {"axis": 0})]
    graph_case(make, "square", nodes, {"a": make.x(2, 3), "b": make.x(2, 3)}, ["o"])


@row("Optional", "OptionalGetElement", "OptionalHasElement")
def optionals(make):
    nodes = [("Optional", ["a"], ["s"], {}), ("OptionalGetElement", ["s"], ["o"], {}), ("OptionalHasElement", ["s"], ["h"], {})]
    graph_case(make, "tensor", nodes, {"a": make.x(2, 3)}, ["o", "h"])


WORDS = np.array(["Hello world", "", "b c  d", "\u00dcn\u00ef", "a"], object)


@row("StringConcat")
def string_concat(make):
    make([WORDS, WORDS[::-1].copy()])
    make([WORDS.reshape(5, 1), WORDS[:2]], text="broadcast")


@row("StringSplit")
def string_split(make):
    make([WORDS], outputs=2)
    make([WORDS], {"delimiter": " "}, outputs=2)
    make([WORDS], {"delimiter": " ", "maxsplit": 1}, outputs=2)
    make([WORDS], {"maxsplit": 1}, outputs=2, text="blanks")


@row("StringNormalizer")
def string_normalizer(make):
    words = np.array(["Monday", "tuesday", "wednesday", "THURSDAY"], object)
    for attributes in ({}, {"case_change_action": "UPPER"}, {"case_change_action": "LOWER", "is_case_sensitive": 1, "stopwords": ["Monday"]},
                       {"case_change_action": "LOWER", "is_case_sensitive": 0, "stopwords": ["monday", "thursday"]},
                       {"stopwords": words.tolist(), "is_case_sensitive": 1}):  # fmt: skip
        make([words], {**attributes, "locale": "C"})


@row("RegexFullMatch")
def regex(make):
    for pattern in ("a*", r"\w+ \w+", "[A-Z].*", ""):
        make([WORDS], {"pattern": pattern})


@row("LabelEncoder", domain="ai.onnx.ml")
def label_encoder(make):
    if make.opset >= 2:
        make([f32(1, 2, 7, np.nan, -0.0)], {"keys_floats": [1.0, 2.0, float("nan"), 0.0], "values_floats": [5.0, 6.0, 8.0, 9.0], "default_float": -3.0},
             is_odd=True)  # fmt: skip
        make([i64(1, 2, 7)], {"keys_int64s": [1, 2], "values_int64s": [5, 6]}, text="default")
        make([np.array(["a", "b", "z"], object)], {"keys_strings": ["a", "b"], "values_int64s": [5, 6]}, text="strings")


@row("Binarizer", domain="ai.onnx.ml")
def binarizer(make):
    for threshold in (0.0, 0.5, -1.0):
        make.odd([make.strange(4, 5)], {"threshold": threshold})


@row("Imputer", domain="ai.onnx.ml")
def imputer(make):
    make.odd([make.strange(6, 3)], {"imputed_value_floats": [1.0, 2.0, 3.0], "replaced_value_float": float("nan")})
    make.odd([make.strange(6, 3)], {"imputed_value_floats": [5.0], "replaced_value_float": 0.0}, text="zero")


@row("Scaler", domain="ai.onnx.ml")
def scaler(make):
    make.odd([make.strange(4, 3)], {"offset": [1.0, -2.0, 0.5], "scale": [2.0, 0.25, -1.0]})
    make([make.ints(-9, 9, 4, 3)], {"offset": [1.0], "scale": [0.5]}, text="int64")


@row("Normalizer", domain="ai.onnx.ml")
def normalizer(make):
    for norm in ("MAX", "L1", "L2"):
        make([make.x(4, 3)], {"norm": norm})
        make([np.zeros((2, 3), np.float32)], {"norm": norm}, text="zeros")
        make.odd([make.strange(12, 3)], {"norm": norm})


@row("TreeEnsemble", domain="ai.onnx.ml")
def tree_ensemble(make):
    def tensor(kind, values):
        return helper.make_tensor("", kind, [len(values)], values)

    # A root and two inner nodes, then four leaves with one target each or two.
    for modes, targets in (((0, 0, 0), (0, 0, 0, 0)), ((1, 2, 3), (0, 1, 0, 1)), ((4, 5, 0), (1, 1, 0, 0))):
        attributes = {
            "n_targets": 2, "aggregate_function": 1, "post_transform": 0, "tree_roots": [0],
            "nodes_featureids": [0, 1, 2], "nodes_modes": helper.make_tensor("", TensorProto.UINT8, [3], bytes(modes), raw=True),
            "nodes_splits": tensor(FLOAT, [0.25, -0.5, 1.0]),
            "nodes_truenodeids": [1, 0, 2], "nodes_trueleafs": [0, 1, 1],
            "nodes_falsenodeids": [2, 1, 3], "nodes_falseleafs": [0, 1, 1],
            "leaf_targetids": list(targets), "leaf_weights": tensor(FLOAT, [1.5, -2.0, 0.25, 4.0])}  # fmt: skip
        make([make.x(12, 3)], attributes)


@row("SimplifiedLayerNormalization", domain="com.microsoft")
def simplified(make):
    make([make.x(3, 8), make.x(8)], {"axis": -1, "epsilon": 0.01})


@row("QuantizeLinear", domain="com.microsoft")
def microsoft_quantize(make):
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        make([make.x(40), np.array(0.01, np.float32), np.array(7, dtype)], text=np.dtype(dtype).name)
    make([make.x(3, 4), f32(0.1, 0.2, 0.3, 0.4), np.array([0, 1, 2, 3], np.uint8)], {"axis": 1}, text="axis")


@row("DequantizeLinear", domain="com.microsoft")
def microsoft_dequantize(make):
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        make([make.ints(0, 100, 40, dtype=dtype), np.array(0.01, np.float32), np.array(7, dtype)], text=np.dtype(dtype).name)


@row("QGemm", domain="com.microsoft")
def quantized_gemm(make):
    for a, b in ((0, 0), (1, 0), (0, 1)):
        x, w = make.ints(0, 256, *((4, 3) if a else (3, 4)), dtype=np.uint8), make.ints(-127, 128, *((5, 4) if b else (4, 5)), dtype=np.int8)
        values = [x, np.array(0.02, np.float32), np.array(3, np.uint8), w, np.array(0.03, np.float32), np.array(0, np.int8),
                  make.ints(-99, 99, 5, dtype=np.int32)]  # fmt: skip
        make(values, {"transA": a, "transB": b, "alpha": 0.5}, constants=(1, 2, 3, 4, 5, 6), text="float")
        make([*values, np.array(0.1, np.float32), np.array(9, np.uint8)], {"transA": a, "transB": b}, constants=(1, 2, 3, 4, 5, 6, 7, 8))
