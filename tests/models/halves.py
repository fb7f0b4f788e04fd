#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks conversions between f16 and f32 on a target without instructions for them, against NumPy: every
f16, and every f32 at which the rounding to f16 changes, with its neighbors. Without arithmetic for the
conversions, the compiler reports calls of functions that a library does not link.

  halves.py CONVOY SCRATCH
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import helper
from onnx.mapping import NP_TYPE_TO_TENSOR_TYPE

from model_table import aligned, expect_equal, load, pointers

TARGET = "x86-64-v2"


def all_halves():
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def rounding_points():
    """Halves as f32, the middle of each pair of adjacent halves, their neighbors, and special values."""
    finite = all_halves()[:0x7c01].astype(np.float32)
    finite[-1] = 65536  # The number after the largest half rounds to infinity.
    points = np.concatenate([finite, (finite[:-1] + finite[1:]) / 2]).view(np.uint32)
    near = np.concatenate([points, points + 1, np.maximum(points, 1) - 1])
    special = np.array([1, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff], np.uint32)
    random = np.random.default_rng(1).integers(0, 1 << 31, 1 << 18, np.uint32)
    bits = np.concatenate([near, special, random])
    return np.concatenate([bits, bits | np.uint32(1 << 31)]).view(np.float32)


def convert(convoy, scratch, name, values, element, result):
    """Compiles a Cast and returns its result."""
    types = [NP_TYPE_TO_TENSOR_TYPE[np.dtype(kind)] for kind in (element, result)]
    graph = helper.make_graph([helper.make_node("Cast", ["x"], ["y"], to=types[1])], name,
                              [helper.make_tensor_value_info("x", types[0], [len(values)])],
                              [helper.make_tensor_value_info("y", types[1], [len(values)])])
    path = scratch / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    subprocess.run([convoy, "compile", str(path), "--target", TARGET, "-o", str(scratch)], check=True,
                   stdout=subprocess.DEVNULL)
    table = load(scratch / f"{name}.so", name)
    x, y = aligned(values.nbytes), aligned(len(values) * np.dtype(result).itemsize)
    x[:] = values.view(np.uint8)
    workspace = aligned(max(table.workspace_bytes, 1))
    expect_equal(table.run(pointers([x]), pointers([y]), workspace.ctypes.data), 0, f"{name}: run")
    return y.view(result)


def check(name, values, got, expected):
    """Compares bits, except those of NaN."""
    same = (np.isnan(got) & np.isnan(expected)) | (got.view(f"u{got.itemsize}") == expected.view(f"u{got.itemsize}"))
    wrong = np.flatnonzero(~same)
    if wrong.size:
        at = wrong[0]
        sys.exit(f"FAILED: {name}: {wrong.size} values differ, first {values[at]!r}: got {got[at]!r}, "
                 f"expected {expected[at]!r}")
    print(f"{name}: {len(values)} values are equal")


def main():
    convoy, folder = sys.argv[1:]
    scratch = pathlib.Path(folder)
    scratch.mkdir(parents=True, exist_ok=True)
    np.seterr(all="ignore")
    for name, values, result in (("widen", all_halves(), np.float32), ("narrow", rounding_points(), np.float16)):
        got = convert(convoy, scratch, name, values, values.dtype, result)
        check(name, values, got, values.astype(result))


if __name__ == "__main__":
    main()
