#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks outputs whose sizes depend on data, in a library and in emitted C, against NumPy.

  model_extents.py CONVOY SCRATCH C_COMPILER...
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

from model_table import aligned, convoy_json, expect, expect_equal, load, pointers

ROWS, COLUMNS = 6, 5
# The flags of the test of emitted C (tests/models/source).
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Werror"]
DTYPES = {TensorProto.FLOAT: np.float32, TensorProto.INT64: np.int64}


def make_model():
    """An output of the model has the name of the field for the extents."""
    nodes = [helper.make_node("NonZero", ["x"], ["extents"]),
             helper.make_node("Compress", ["x", "keep"], ["rows"], axis=0),
             helper.make_node("Unique", ["x"], ["values", "first", "inverse", "counts"], sorted=1),
             helper.make_node("Neg", ["x"], ["negated"])]
    integer, real = TensorProto.INT64, TensorProto.FLOAT
    outputs = [("extents", integer), ("rows", real), ("values", real), ("first", integer),
               ("inverse", integer), ("counts", integer), ("negated", real)]
    graph = helper.make_graph(
        nodes, "extents",
        [helper.make_tensor_value_info("x", real, [ROWS, COLUMNS]),
         helper.make_tensor_value_info("keep", TensorProto.BOOL, [ROWS])],
        [helper.make_tensor_value_info(name, element, None) for name, element in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def expected(x, keep):
    return [np.array(np.nonzero(x), np.int64), x[keep], *np.unique(x, True, True, True), -x]


def run(table, arrays):
    """Returns the outputs with the sizes that the run wrote."""
    inputs = []
    for array in arrays:
        inputs.append(aligned(array.nbytes))
        inputs[-1][:] = array.reshape(-1).view(np.uint8)
    tensors = [table.outputs[i] for i in range(table.output_count)]
    outputs = [aligned(tensor.bytes) for tensor in tensors]
    extents = np.full(table.extent_count, -1, np.int64)
    workspace = aligned(max(table.workspace_bytes, 1))
    without = pointers(outputs + [extents])
    without[len(outputs)] = None
    expect_equal(table.run(pointers(inputs), without, workspace.ctypes.data), 1, "run without extents")
    code = table.run(pointers(inputs), pointers(outputs + [extents]), workspace.ctypes.data)
    expect(code == 0, f"run returned {code}: {table.error_text(code)}")
    results = []
    for tensor, buffer in zip(tensors, outputs):
        shape = list(tensor.shape[:tensor.rank])
        if tensor.dims:
            shape = [size if tensor.dims[i] < 0 else int(extents[tensor.dims[i]])
                     for i, size in enumerate(shape)]
        flat = buffer.view(DTYPES[tensor.element_type])[:int(np.prod(shape))]
        results.append(flat.reshape(shape))
    return results


def check_table(table, where):
    expect_equal(table.extent_count, 3, f"{where}: extents")
    expect_equal([bool(table.outputs[i].dims) for i in range(table.output_count)],
                 [True, True, True, True, False, True, False], f"{where}: dims")
    random = np.random.default_rng(1)
    for density in (0.0, 1.0, 0.5):
        x = (random.integers(1, 4, (ROWS, COLUMNS)) * (random.random((ROWS, COLUMNS)) < density)).astype(np.float32)
        keep = random.random(ROWS) < density
        for i, (got, want) in enumerate(zip(run(table, (x, keep)), expected(x, keep))):
            expect(got.shape == want.shape and (got == want).all(),
                   f"{where}: output {i} is {got}, expected {want}")


def main():
    convoy, folder, *compilers = sys.argv[1:]
    scratch = pathlib.Path(folder)
    scratch.mkdir(parents=True, exist_ok=True)
    path = scratch / "sizes.onnx"
    onnx.save(make_model(), str(path))
    subprocess.run([convoy, "compile", str(path), "-o", str(scratch)], check=True, stdout=subprocess.DEVNULL)
    check_table(load(scratch / "sizes.so", "sizes"), "library")
    facts = convoy_json(convoy, "inspect", scratch / "sizes.so")
    expect_equal((facts["extents"], facts["outputs"][0]["dims"]), (3, [-1, 0]), "inspect")
    source = scratch / "c"
    subprocess.run([convoy, "compile", str(path), "--emit=c", "-o", str(source)], check=True,
                   stdout=subprocess.DEVNULL)
    for compiler in compilers:
        library = source / f"{pathlib.Path(compiler).name}.so"
        subprocess.run([compiler, *STRICT, "-O2", "-march=native", "-fPIC", "-shared",
                        "-DCONVOY_SHARED_LIBRARY", str(source / "sizes.c"), "-lm", "-o", str(library)],
                       check=True)
        check_table(load(library.resolve(), "sizes"), compiler)
    print("ok: sizes that depend on data in a library and in C")


if __name__ == "__main__":
    main()
