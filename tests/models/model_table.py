#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the table of compiled models (convoy/table.h) against the ONNX file: names, types, shapes,
scales, hashes and functions. The models are a float model, quantized models, a model with several
inputs and names with any characters, each as a library, with weights in a file, for threads and as
emitted C; and a model with programs for a device.

  model_table.py CONVOY CC SCRATCH_DIR [RUNNER EMULATOR...]
"""

import ctypes
import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INT32_P, INT64_P, FLOAT_P = map(ctypes.POINTER, (ctypes.c_int32, ctypes.c_int64, ctypes.c_float))


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("element_type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", INT64_P), ("dims", INT32_P), ("bytes", ctypes.c_uint64), ("scales", FLOAT_P),
                ("zero_points", INT32_P), ("scale_count", ctypes.c_int32), ("scale_axis", ctypes.c_int32),
                ("alias", ctypes.c_int32), ("reserved", ctypes.c_uint32)]


RUN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
TEXT = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int32)
OPEN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p)
CLOSE = ctypes.CFUNCTYPE(None)
INIT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
STRINGS = ["name", "target", "features", "hash", "weights_hash", "records", "compiler"]


class Table(ctypes.Structure):
    _fields_ = ([("abi_version", ctypes.c_uint32), ("struct_bytes", ctypes.c_uint32)] +
                [(name, ctypes.c_char_p) for name in STRINGS] +
                [("inputs", ctypes.POINTER(Tensor)), ("outputs", ctypes.POINTER(Tensor)),
                 ("symbols", ctypes.c_void_p)] +
                [(name, ctypes.c_uint32) for name in
                 ("input_count", "output_count", "symbol_count", "extent_count")] +
                [(name, ctypes.c_uint64) for name in
                 ("workspace_bytes", "workspace_alignment", "weights_bytes")] +
                [("threads", ctypes.c_uint32), ("programs", ctypes.c_uint32), ("run", RUN),
                 ("error_text", TEXT), ("open", OPEN), ("close", CLOSE), ("init", INIT)])


def expect(is_true, text):
    if not is_true:
        sys.exit(f"FAILED: {text}")


def expect_equal(got, expected, what):
    expect(got == expected, f"{what}: expected {expected!r}, got {got!r}")


def value(name, element, shape):
    return helper.make_tensor_value_info(name, element, shape)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, constants):
    graph = helper.make_graph(nodes, "table", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def float_model():
    return model([helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])],
                 [value("x", TensorProto.FLOAT, [2, 8])], [value("y", TensorProto.FLOAT, [2, 4])],
                 [constant("w", np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4))])


def odd_model():
    """Several inputs, one of them a scalar, and names that are neither C nor ASCII."""
    names = ["\u00e9t\u00e9 \"q\" \\n", "*/ /* ??/ %s\n{0}"]
    return model([helper.make_node("Add", names, ["s"]), helper.make_node("Cast", ["s"], ["y*/"], to=TensorProto.INT64),
                  helper.make_node("Identity", [names[0]], ["class"])],
                 [value(names[0], TensorProto.FLOAT, [1, 3]), value(names[1], TensorProto.FLOAT, [])],
                 [value("y*/", TensorProto.INT64, [1, 3]), value("class", TensorProto.FLOAT, [1, 3])], [])


def quantized_model():
    """An int8 input with a scale per tensor, and a uint8 output of QuantizeLinear."""
    return model([helper.make_node("DequantizeLinear", ["x", "sx", "zx"], ["a"]),
                  helper.make_node("MatMul", ["a", "w"], ["b"]),
                  helper.make_node("QuantizeLinear", ["b", "sy", "zy"], ["y"])],
                 [value("x", TensorProto.INT8, [2, 8])], [value("y", TensorProto.UINT8, [2, 4])],
                 [constant("sx", np.float32(0.1)), constant("zx", np.int8(-3)),
                  constant("sy", np.float32(1 / 3)), constant("zy", np.uint8(200)),
                  constant("w", np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4))])


def per_axis_model():
    """One scale per channel, and a float output of DequantizeLinear, which has no scale."""
    return model([helper.make_node("DequantizeLinear", ["x", "sx", "zx"], ["y"], axis=-1)],
                 [value("x", TensorProto.UINT8, [2, 3])], [value("y", TensorProto.FLOAT, [2, 3])],
                 [constant("sx", np.array([0.5, 0.25, 0.125], np.float32)),
                  constant("zx", np.array([1, 2, 255], np.uint8))])


def qlinear_model():
    """QLinearConv, which Import expands: its scales are those of the interface."""
    return model([helper.make_node("QLinearConv", ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy"], ["y"])],
                 [value("x", TensorProto.UINT8, [1, 2, 4, 4])], [value("y", TensorProto.UINT8, [1, 3, 2, 2])],
                 [constant("sx", np.float32(0.02)), constant("zx", np.uint8(128)),
                  constant("w", np.ones((3, 2, 3, 3), np.int8)), constant("sw", np.float32(0.01)),
                  constant("zw", np.int8(0)), constant("sy", np.float32(0.07)), constant("zy", np.uint8(9))])


# The scales, zero points and axis of each quantized tensor.
MODELS = {
    "float": (float_model, {}),
    "odd": (odd_model, {}),
    "quantized": (quantized_model, {"x": ([0.1], [-3], -1), "y": ([1 / 3], [200], -1)}),
    "per_axis": (per_axis_model, {"x": ([0.5, 0.25, 0.125], [1, 2, 255], 1)}),
    "qlinear": (qlinear_model, {"x": ([0.02], [128], -1), "y": ([0.07], [9], -1)}),
}
DTYPES = {TensorProto.FLOAT: np.float32, TensorProto.UINT8: np.uint8, TensorProto.INT8: np.int8,
          TensorProto.INT64: np.int64}


def check_tensor(tensor, info, scales):
    name = info.name
    element = info.type.tensor_type.elem_type
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    expect_equal(tensor.name.decode(), name, "name")
    expect_equal(tensor.element_type, element, f"type of {name}")
    expect_equal(tensor.shape[:tensor.rank] if tensor.rank else [], shape, f"shape of {name}")
    expect_equal(tensor.bytes, int(np.prod(shape)) * np.dtype(DTYPES[element]).itemsize, f"bytes of {name}")
    expect_equal((bool(tensor.dims), tensor.alias, tensor.reserved), (False, -1, 0), f"room of {name}")
    values, zero_points, axis = scales.get(name, ([], [], -1))
    count = tensor.scale_count
    expect_equal([tensor.scales[i] for i in range(count)], [float(np.float32(v)) for v in values], f"scales of {name}")
    expect_equal([tensor.zero_points[i] for i in range(count)], zero_points, f"zero points of {name}")
    expect_equal(tensor.scale_axis, axis, f"axis of {name}")
    expect_equal((bool(tensor.scales), bool(tensor.zero_points)), (count > 0, count > 0), f"scales of {name}")


def check_table(table, name, proto, scales, target="host", weights_file=False, threads=1):
    expect_equal((table.abi_version, table.struct_bytes), (2, ctypes.sizeof(Table)), "interface")
    expect_equal((table.name.decode(), table.target.decode()), (name, target), "name and target")
    expect(re.fullmatch("convoy [0-9.]+", table.compiler.decode()), f"compiler: {table.compiler}")
    for text in (table.hash, table.weights_hash):
        expect(re.fullmatch(b"[0-9a-f]{32}", text), f"hash: {text}")
    expect_equal((table.records, table.threads, table.workspace_alignment), (b"", threads, 64), "sizes")
    expect_equal((table.symbol_count, table.extent_count, table.symbols), (0, 0, None), "symbols")
    expect_equal((bool(table.open), bool(table.close)), (weights_file, weights_file), "open and close")
    expect_equal(bool(table.init), table.programs > 0, "init")
    expect_equal(table.input_count, len(proto.graph.input), "inputs")
    expect_equal(table.output_count, len(proto.graph.output), "outputs")
    for i, info in enumerate(proto.graph.input):
        check_tensor(table.inputs[i], info, scales)
    for i, info in enumerate(proto.graph.output):
        check_tensor(table.outputs[i], info, scales)


def aligned(byte_count):
    raw = np.zeros(byte_count + 64, np.uint8)
    return raw[-raw.ctypes.data % 64:][:byte_count]


def pointers(buffers):
    return (ctypes.c_void_p * len(buffers))(*[buffer.ctypes.data for buffer in buffers])


def run_table(table):
    """Runs the model on bytes 0, 1, 2, ... and returns the bytes of the outputs."""
    inputs = [aligned(table.inputs[i].bytes) for i in range(table.input_count)]
    for buffer in inputs:
        buffer[:] = np.arange(len(buffer)) % 60
    outputs = [aligned(table.outputs[i].bytes) for i in range(table.output_count)]
    workspace = aligned(max(table.workspace_bytes, 1))
    code = table.run(pointers(inputs), pointers(outputs), workspace.ctypes.data)
    expect(code == 0, f"run returned {code}: {table.error_text(code)}")
    expect_equal(table.run(None, pointers(outputs), workspace.ctypes.data), 1, "run without inputs")
    return [buffer.tobytes() for buffer in outputs]


def load(path, name):
    library = ctypes.CDLL(str(path))
    tables = []
    for function in (f"{name}_model", "convoy_library_model"):
        call = getattr(library, function)
        call.restype = ctypes.POINTER(Table)
        tables.append(call().contents)
    expect_equal(ctypes.addressof(tables[0]), ctypes.addressof(tables[1]), "both functions")
    return tables[0]


def convoy_json(convoy, *arguments):
    return json.loads(subprocess.run([convoy, *map(str, arguments), "--json"], stdout=subprocess.PIPE, check=True).stdout)


def check_inspect(convoy, path, table):
    facts = convoy_json(convoy, "inspect", path)
    expect_equal((facts["interface"], facts["hash"]), (2, table.hash.decode()), "inspect")
    for side, count in (("inputs", table.input_count), ("outputs", table.output_count)):
        for i in range(count):
            tensor, entry = getattr(table, side)[i], facts[side][i]
            expect_equal(entry["name"], tensor.name.decode(), "inspect: name")
            expect_equal(entry["bytes"], tensor.bytes, "inspect: bytes")
            expect_equal(len(entry.get("scales", [])), tensor.scale_count, "inspect: scales")
    text = subprocess.run([convoy, "inspect", str(path)], stdout=subprocess.PIPE, check=True).stdout.decode()
    expect(", interface 2, by convoy " in text, text)


def check_library(convoy, name, proto, scales, path, folder):
    """Returns the outputs of the library, which all other forms must equal."""
    facts = convoy_json(convoy, "compile", path, "-o", folder / "library", "--name", name)
    table = load(facts["library"], name)
    check_table(table, name, proto, scales)
    expect_equal(table.hash.decode(), facts["hash"], "hash")
    expect_equal(table.workspace_bytes, facts["workspace_bytes"], "workspace")
    check_inspect(convoy, facts["library"], table)
    expected = run_table(table)
    facts = convoy_json(convoy, "compile", path, "-o", folder / "mapped", "--name", name, "--weights=file")
    table = load(facts["library"], name)
    check_table(table, name, proto, scales, weights_file=True)
    expect_equal(table.open(facts["weights"].encode()), 0, "open")
    expect_equal(run_table(table), expected, "outputs with weights in a file")
    check_inspect(convoy, facts["library"], table)
    table.close()
    facts = convoy_json(convoy, "compile", path, "-o", folder / "threads", "--name", name, "--threads=2")
    table = load(facts["library"], name)
    check_table(table, name, proto, scales, threads=2)
    expect_equal(run_table(table), expected, "outputs of two threads")
    return expected


def check_source(convoy, compiler, name, proto, scales, path, folder, expected):
    convoy_json(convoy, "compile", path, "-o", folder, "--name", name, "--emit=c")
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    strict = [compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion",
              "-Wshadow", "-Wundef", "-Werror", "-Wstrict-prototypes", "-Wmissing-prototypes", "-O1", "-fPIC",
              str(source)]
    subprocess.run(strict + ["-shared", "-DCONVOY_SHARED_LIBRARY", "-o", str(library), "-lm"], check=True)
    table = load(library, name)
    check_table(table, name, proto, scales)
    expect_equal(run_table(table), expected, "outputs of emitted C")
    check_inspect(convoy, library, table)
    for flags, has_table in (([], True), (["-DCONVOY_NO_MODEL_TABLE"], False)):
        object_file = folder / "plain.o"
        subprocess.run(strict + flags + ["-c", "-o", str(object_file)], check=True)
        symbols = subprocess.run(["nm", str(object_file)], stdout=subprocess.PIPE, check=True).stdout.decode()
        expect_equal(f"T {name}_model" in symbols, has_table, f"{name}_model with {flags}")
        expect("convoy_library_model" not in symbols, "emitted C defines the fixed name")
        expect(has_table or "_table" not in symbols, symbols)


def check_device(convoy, scratch):
    """A library with programs for the abstract device has `init`, and run fails without a device."""
    path = scratch / "device.onnx"
    onnx.save(qlinear_model(), path)
    facts = convoy_json(convoy, "compile", path, "-o", scratch / "device", "--target=abstract", "--emit=library")
    table = load(facts["library"], "device")
    expect(table.programs > 0 and table.init, "the library has no programs")
    expect_equal(table.init(None), 1, "init without a device")
    buffers = [aligned(table.inputs[0].bytes), aligned(table.outputs[0].bytes), aligned(table.workspace_bytes)]
    code = table.run(pointers(buffers[:1]), pointers(buffers[1:2]), buffers[2].ctypes.data)
    expect_equal(code, 8, "run without a device")


def check_runner(convoy, scratch, runner, emulator):
    """The runner of another architecture finds the tensors by name."""
    path = scratch / "float.onnx"
    facts = convoy_json(convoy, "compile", path, "-o", scratch / "foreign", "--target=aarch64", "--name=net")
    command = [*emulator, runner, facts["library"]]
    listed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    expect_equal(listed, "input x: type 1, shape [2, 8], 64 bytes\noutput y: type 1, shape [2, 4], 32 bytes\n", "runner")
    x = np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8)
    x.tofile(scratch / "x")
    weights = numpy_helper.to_array(float_model().graph.initializer[0])
    expected = np.maximum(x @ weights, 0)
    for words in ([f"y={scratch}/y", f"x={scratch}/x"], [f"{scratch}/x", f"{scratch}/y"]):
        subprocess.run(command + words, check=True)
        got = np.fromfile(scratch / "y", np.float32).reshape(2, 4)
        expect(np.allclose(got, expected, atol=1e-5), f"runner {words}: {got}")
    for words, text in ((["a=b"], "expected 2 files, got 1"), ([f"x={scratch}/x", "z=b"], "expected NAME=FILE"),
                        ([f"x={runner}", f"y={scratch}/y"], "input 'x' expects 64 bytes in")):
        done = subprocess.run(command + words, stderr=subprocess.PIPE, check=False)
        expect(done.returncode == 1 and text in done.stderr.decode(), f"{words}: {done.stderr}")


def main():
    convoy, compiler, scratch, *rest = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for name, (make, scales) in MODELS.items():
        proto = make()
        path = scratch / f"{name}.onnx"
        onnx.save(proto, path)
        c_name = f"net_{name}"
        expected = check_library(convoy, c_name, proto, scales, path, scratch / name)
        check_source(convoy, compiler, c_name, proto, scales, path, scratch / name / "c", expected)
    check_device(convoy, scratch)
    if rest:
        check_runner(convoy, scratch, rest[0], rest[1:])
    print(f"ok: the tables of {', '.join(MODELS)}")


if __name__ == "__main__":
    main()
