# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes hostile ONNX files for generated_inputs.py: wrong bytes, wrong fields of a valid model, and wrong references to
external data."""

import os
import random

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

LARGE = 2**62
LEAST = -(2**63)
# What Convoy does with a model. The cases take the verbs in turn.
VERBS = (("compile", "-o", "out"), ("inspect",), ("explain",), ("run", "--target=reference", "--input=random", "-o", "out"), ("check",))


def base_model():
    """Returns a valid model whose nodes have attributes of all kinds."""
    rng = np.random.default_rng(1)
    weights = {"w": rng.normal(size=(4, 1, 3, 3)), "b": rng.normal(size=4), "s": np.ones(4), "m": np.zeros(4), "v": np.ones(4),
               "g": rng.normal(size=(64, 3)), "c": rng.normal(size=3)}  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a0"], "conv", pads=[1, 1, 1, 1], strides=[1, 1], dilations=[1, 1], group=1),
        helper.make_node("BatchNormalization", ["a0", "s", "b", "m", "v"], ["a1"], "norm", epsilon=1e-5),
        helper.make_node("LeakyRelu", ["a1"], ["a2"], "relu", alpha=0.1),
        helper.make_node("MaxPool", ["a2"], ["a3"], "pool", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=0),
        helper.make_node("Transpose", ["a3"], ["a4"], "transpose", perm=[0, 2, 3, 1]),
        helper.make_node("Flatten", ["a4"], ["a5"], "flatten", axis=1),
        helper.make_node("Gemm", ["a5", "g", "c"], ["a6"], "gemm", alpha=1.0, transB=0),
        helper.make_node("Softmax", ["a6"], ["y"], "softmax", axis=-1),
    ]
    held = [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (("x", [1, 1, 8, 8]), ("y", [1, 3]))]
    graph = helper.make_graph(nodes, "hostile", ends[:1], ends[1:], held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def changed_bytes():
    """Yields (name, bytes): truncated files, changed bytes, and parts of the file at wrong places."""
    data = base_model().SerializeToString()
    for k in range(12):
        yield f"truncated at {k}/12", data[: len(data) * k // 12]
    for seed in range(28):
        rng, copy = random.Random(seed), bytearray(data)
        for _ in range(rng.randint(1, 6)):
            copy[rng.randrange(len(copy))] = rng.randrange(256)
        yield f"changed bytes {seed}", bytes(copy)
    for seed in range(8):
        rng = random.Random(seed)
        at, size = rng.randrange(len(data)), rng.randint(1, 200)
        yield f"moved bytes {seed}", data[:at] + data[at : at + size] * 3 + data[at:]
    yield "the file twice", data + data
    yield "a length beyond the file", b"\x3a\xff\xff\xff\xff\x0f" + data
    yield "a number of 11 bytes", b"\x08" + b"\xff" * 11 + data
    yield "an open group", b"\x0b" + data


def wrong_attributes():
    """Yields (name, model): each attribute of the base model with values that no node accepts."""
    for at, node in enumerate(base_model().graph.node):
        for k, attribute in enumerate(node.attribute):
            if attribute.ints:
                count = len(attribute.ints)
                values = [[], [-1] * count, [LARGE] * count, [0] * 40]
            elif attribute.type == 1:
                values = [float("nan"), float("-inf")]
            else:
                values = [LARGE, LEAST, "text"]
            for value in values:
                model = base_model()
                other = helper.make_attribute(attribute.name, value)
                other.type = other.type or 7  # an empty list has no type
                model.graph.node[at].attribute[k].CopyFrom(other)
                yield f"{node.name} {attribute.name} {str(value)[:20]}", model


def set_dims(tensor, dims):
    del tensor.dims[:]
    tensor.dims.extend(dims)


def nested_ifs(model, levels):
    inner = helper.make_graph([helper.make_node("Relu", ["x"], ["z"])], "leaf", [], [helper.make_empty_tensor_value_info("z")])
    for k in range(levels):
        node = helper.make_node("If", ["k"], ["z"], then_branch=inner, else_branch=inner if k == 0 else GraphProto(name="e"))
        inner = helper.make_graph([node], f"level{k}", [], [helper.make_empty_tensor_value_info("z")])
    model.graph.node.extend(inner.node)
    model.graph.initializer.append(numpy_helper.from_array(np.array(True), "k"))


def recursive_function(model):
    function = model.functions.add(name="Self", domain="own")
    function.input.append("p")
    function.output.append("q")
    function.node.append(helper.make_node("Self", ["p"], ["q"], domain="own"))
    function.opset_import.extend([helper.make_opsetid("own", 1), helper.make_opsetid("", 15)])
    model.opset_import.append(helper.make_opsetid("own", 1))
    model.graph.node.insert(0, helper.make_node("Self", ["x"], ["unused"], domain="own"))


def endless_loop(model):
    ends = [helper.make_empty_tensor_value_info(name) for name in ("i", "go", "go2")]
    body = helper.make_graph([helper.make_node("Identity", ["go"], ["go2"])], "body", ends[:2], ends[2:])
    model.graph.initializer.extend([numpy_helper.from_array(np.array(2**63 - 1), "n"), numpy_helper.from_array(np.array(True), "t")])
    model.graph.node.append(helper.make_node("Loop", ["n", "t"], [], "loop", body=body))


# A change of the base model by name.
CHANGES = {
    "negative dimension": lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", -1),
    "huge dimension": lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[2], "dim_value", LARGE),
    "empty dimension": lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[3], "dim_value", 0),
    "dimension with control characters": lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_param", "a\x1b[2J"),
    "input without a type": lambda m: m.graph.input[0].ClearField("type"),
    "input of an unknown type": lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 99),
    "input of a sequence": lambda m: m.graph.input[0].type.sequence_type.elem_type.tensor_type.SetInParent(),
    "weights of 2^64 elements": lambda m: set_dims(m.graph.initializer[0], [2**32, 2**32]),
    "weights of negative size": lambda m: set_dims(m.graph.initializer[0], [-4, -1, 3, 3]),
    "weights of 65 dimensions": lambda m: set_dims(m.graph.initializer[0], [1] * 65),
    "weights with too few bytes": lambda m: setattr(m.graph.initializer[0], "raw_data", b"abc"),
    "weights with too many bytes": lambda m: setattr(m.graph.initializer[0], "raw_data", bytes(4096)),
    "weights twice": lambda m: m.graph.initializer[0].float_data.extend([1.0] * 36),
    "weights of type 0": lambda m: setattr(m.graph.initializer[0], "data_type", 0),
    "weights of type 99": lambda m: setattr(m.graph.initializer[0], "data_type", 99),
    "weights of strings": lambda m: setattr(m.graph.initializer[0], "data_type", 8),
    "weights without a name": lambda m: setattr(m.graph.initializer[0], "name", ""),
    "two weights of one name": lambda m: setattr(m.graph.initializer[1], "name", "w"),
    "weights with the name of a result": lambda m: setattr(m.graph.initializer[1], "name", "a3"),
    "segment": lambda m: setattr(m.graph.initializer[0].segment, "end", LARGE),
    "sparse weights": lambda m: m.graph.sparse_initializer.add().dims.extend([LARGE]),
    "a node that reads itself": lambda m: m.graph.node[2].input.__setitem__(0, "a2"),
    "a cycle": lambda m: m.graph.node[0].input.__setitem__(0, "a3"),
    "a node without outputs": lambda m: m.graph.node[3].output.__delitem__(0),
    "a result twice": lambda m: m.graph.node[3].output.__setitem__(0, "a2"),
    "a result without a name": lambda m: m.graph.node[3].output.__setitem__(0, ""),
    "an input that does not exist": lambda m: m.graph.node[3].input.__setitem__(0, "nowhere"),
    "40000 inputs of a node": lambda m: m.graph.node[3].input.extend(["a2"] * 40_000),
    "nodes in reverse": lambda m: m.graph.node.sort(key=lambda node: node.name),
    "no nodes": lambda m: m.graph.ClearField("node"),
    "no graph": lambda m: m.ClearField("graph"),
    "no outputs": lambda m: m.graph.ClearField("output"),
    "an output twice": lambda m: m.graph.output.append(m.graph.output[0]),
    "an output that is no result": lambda m: setattr(m.graph.output[0], "name", "nowhere"),
    "no opset": lambda m: m.ClearField("opset_import"),
    "opset 0": lambda m: setattr(m.opset_import[0], "version", 0),
    "opset of 2^62": lambda m: setattr(m.opset_import[0], "version", LARGE),
    "opset of -5": lambda m: setattr(m.opset_import[0], "version", -5),
    "two opsets of one domain": lambda m: m.opset_import.append(helper.make_opsetid("", 9)),
    "ir version of 2^62": lambda m: setattr(m, "ir_version", LARGE),
    "ir version of -1": lambda m: setattr(m, "ir_version", -1),
    "a name of 1 MB": lambda m: setattr(m.graph.node[3], "name", "n" * (1 << 20)),
    "a graph name of 1 MB": lambda m: setattr(m.graph, "name", "n" * (1 << 20)),
    "a name with a null character": lambda m: setattr(m.graph.node[3], "name", "a\0b"),
    "an op of 100 KB": lambda m: setattr(m.graph.node[3], "op_type", "Op" * 50_000),
    "a domain with control characters": lambda m: setattr(m.graph.node[3], "domain", "d\x1b]0;x\x07"),
    "a name that is a path": lambda m: setattr(m.graph, "name", "../../escaped"),
    "an attribute that is a graph": lambda m: m.graph.node[3].attribute[0].g.SetInParent(),
    "an attribute that refers to a function": lambda m: setattr(m.graph.node[3].attribute[0], "ref_attr_name", "nowhere"),
    "an attribute twice": lambda m: m.graph.node[3].attribute.append(m.graph.node[3].attribute[0]),
    "5000 attributes": lambda m: m.graph.node[3].attribute.extend(helper.make_attribute(f"a{k}", k) for k in range(5000)),
    "300 nested branches": lambda m: nested_ifs(m, 300),
    "30 nested branches": lambda m: nested_ifs(m, 30),
    "a function that calls itself": recursive_function,
    "a loop of 2^63 - 1 iterations": endless_loop,
}  # fmt: skip


def wrong_fields():
    """Yields (name, model)."""
    for name, change in CHANGES.items():
        model = base_model()
        change(model)
        yield name, model


def external(location, **fields):
    """Returns the base model with its first weights in a file."""
    model = base_model()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **fields}.items():
        tensor.external_data.add(key=key, value=value)
    return model


def external_models(folder):
    """Yields (name, model) and writes the files that the models name to the folder."""
    (folder / "w.bin").write_bytes(bytes(144))
    (folder / "sub").mkdir(exist_ok=True)
    for name in ("link", "fifo"):
        (folder / name).unlink(missing_ok=True)
    (folder / "link").symlink_to("/etc/hostname")
    os.mkfifo(folder / "fifo")
    for location in ("../w.bin", "/etc/hostname", "", ".", "sub", "sub/../../w.bin", "link", "fifo", "/dev/zero", "nowhere", "w\0.bin",
                     "w" * 5000, "\x1b[31m", "w.bin/x"):  # fmt: skip
        yield f"external data in {location[:20]!r}", external(location)
    for key, value in (("offset", "-1"), ("offset", str(LARGE)), ("offset", "144"), ("length", "-1"), ("length", str(2**64)), ("length", "7"),
                       ("length", "ten"), ("offset", "1e3"), ("checksum", "0"), ("location", "nowhere")):  # fmt: skip
        yield f"external data with {key} {value}", external("w.bin", **({key: value} if key != "location" else {"offset": "0"}))


def run_models(runner):
    """Runs all files of this module."""
    folder = runner.scratch / "models"
    folder.mkdir()
    kinds = [*changed_bytes(), *wrong_attributes(), *wrong_fields(), *external_models(folder)]
    for k, (name, content) in enumerate(kinds):
        path = folder / f"m{k}.onnx"
        path.write_bytes(content.SerializeToString() if isinstance(content, ModelProto) else content)
        verb, *flags = VERBS[k % len(VERBS)]
        runner.run(f"model, {name}, {verb}", verb, path, *flags)
        path.unlink()
