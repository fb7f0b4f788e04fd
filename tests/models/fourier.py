#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks Fourier transforms of constant length and Einsum nodes, which the compiler lowers to products
of matrices. The test compares each node with the reference, on this machine and as C, and checks that no
kernel contains the op itself. The equations in UNLOWERED keep their op.

  fourier.py CONVOY DIR fast      one case per mechanism, all in one model
  fourier.py CONVOY DIR nightly   the other cases, each in its own model
"""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(cases):
    """A model of one node per case. An operand is the shape of an input, a constant, or None."""
    nodes, inputs, outputs, constants = [], [], [], []
    for case, (kind, operands, result, attributes) in cases.items():
        names = [f"{case}_{i}" if operand is not None else "" for i, operand in enumerate(operands)]
        for name, operand in zip(names, operands):
            if isinstance(operand, list):
                inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, operand))
            elif operand is not None:
                constants.append(numpy_helper.from_array(np.asarray(operand), name))
        outputs.append(helper.make_tensor_value_info(f"{case}_y", TensorProto.FLOAT, result))
        nodes.append(helper.make_node(kind, names, [f"{case}_y"], case, **attributes))
    graph = helper.make_graph(nodes, "test", inputs, outputs, constants)
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    built.ir_version = 8
    return built


def dft(operands, result, **attributes):
    return "DFT", operands, result, attributes


def half(length):
    return length // 2 + 1


def transforms():
    """DFT nodes: short and long lengths, powers, primes, other axes, all kinds of input and result."""
    for length in (1, 5, 16, 97, 400, 512, 1021, 2042, 4096):
        yield f"real_{length}", dft([[2, length, 1]], [2, half(length), 2], onesided=1)
    for length in (16, 360, 1021, 1024):
        yield f"complex_{length}", dft([[3, length, 2]], [3, length, 2])
        yield f"inverse_{length}", dft([[3, length, 2]], [3, length, 2], inverse=1)
        yield f"lines_{length}", dft([[40, length, 1]], [40, half(length), 2], onesided=1)
    for length in (16, 360, 1024, 2042):
        yield f"real_inverse_{length}", dft([[3, half(length), 2]], [3, length, 1], inverse=1, onesided=1)
    for length in (1, 2, 5):
        yield f"one_bin_{length}", dft([[3, 1, 2], np.int64(length)], [3, length, 1], inverse=1, onesided=1)
    yield "one_bin", dft([[3, 1, 2]], [3, 0, 1], inverse=1, onesided=1)
    for given, length in ((300, 512), (700, 512), (900, 1021)):
        size = np.int64(length)
        yield f"resized_{given}_{length}", dft([[2, given, 2], size], [2, length, 2])
        yield f"resized_real_{given}_{length}", dft([[2, given, 1], size], [2, length, 2])
    yield "axis_1", dft([[2, 256, 3, 5, 2]], [2, 256, 3, 5, 2], axis=1)
    yield "axis_2", dft([[2, 3, 600, 5, 1]], [2, 3, 301, 5, 2], axis=2, onesided=1)
    yield "prime", dft([[1, 5003, 1]], [1, 2502, 2], onesided=1)


def frames():
    """STFT nodes: real signals of two and three dimensions, complex signals."""
    step, length = np.int64(160), np.int64(400)
    window = np.hanning(400).astype(np.float32)
    yield "stft_2d", ("STFT", [[2, 2000], step, window], [2, 11, 201, 2], {})
    yield "stft_3d", ("STFT", [[2, 2000, 1], step, None, length], [2, 11, 201, 2], {})
    yield "stft_complex", ("STFT", [[1, 2000, 2], step, window], [1, 11, 400, 2], {"onesided": 0})


EQUATIONS = {
    "bnd,dhk->bhnk": ([2, 5, 32], [32, 4, 16]),
    "bhik,bhjk->bhij": ([2, 4, 5, 16], [2, 4, 7, 16]),
    "bhik,hkd->bid": ([2, 4, 5, 16], [4, 16, 32]),
    "ijk,klm->mi": ([3, 6, 16], [16, 5, 4]),
    "ij,jk,kl->li": ([9, 16], [16, 20], [20, 8]),
    "bi,ib->b": ([5, 9], [9, 5]),
    "ij,jk->ik": ([5, 1], [9, 16]),
    "bij,bj->bi": ([3, 5, 16], [3, 16]),
    "i,j->ji": ([5], [16]),
    "ijk->ki": ([4, 5, 16],),
}

# The pass keeps an einsum that sums over a label of one factor (j and l): a sum before the product
# gives another result if an element is infinite.
UNLOWERED = {"ijk,klm->mi"}


def einsums():
    for i, (equation, shapes) in enumerate(EQUATIONS.items()):
        inputs, labels = equation.split("->")
        sizes = {}
        for term, shape in zip(inputs.split(","), shapes):
            for label, size in zip(term, shape):
                sizes[label] = max(sizes.get(label, 0), size)
        result = [sizes[label] for label in labels]
        name = f"einsum_unlowered_{i}" if equation in UNLOWERED else f"einsum_{i}"
        yield name, ("Einsum", [list(s) for s in shapes], result, {"equation": equation})


# One product, factors, Bluestein's method, half a spectrum, no elements, a resized signal, an axis; an
# Einsum of each form.
FAST = ("real_5", "real_512", "inverse_360", "inverse_1021", "real_inverse_360", "one_bin", "one_bin_2",
        "resized_300_512", "axis_2", "stft_2d", "einsum_0", "einsum_2", "einsum_4", "einsum_7")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def kernels(convoy, path, folder):
    command = [convoy, "compile", path, "-o", folder, "--target", "x86-64-v4", "--json"]
    summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return [layer["kernel"] for layer in summary["layers"]]


def has_passed(convoy, folder, name, cases):
    path = os.path.join(folder, name + ".onnx")
    onnx.save(model(cases), path)
    kept = [kernel for kernel in kernels(convoy, path, folder) if kernel.startswith(("dft", "einsum"))]
    expected = sum("unlowered" in case for case in cases)
    check = run(convoy, "check", path, "--target", "host,c")
    print(f"{name}: exit code {check.returncode}, kernels of the op itself: {len(kept)}, expected {expected}")
    if check.returncode:
        print(check.stdout)
    return len(kept) == expected and check.returncode == 0


def main():
    convoy, folder, part = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    cases = dict(itertools.chain(transforms(), frames(), einsums()))
    fast = {name: cases.pop(name) for name in FAST}
    groups = {"fast": fast} if part == "fast" else {name: {name: case} for name, case in cases.items()}
    return 0 if all([has_passed(convoy, folder, name, group) for name, group in groups.items()]) else 1


if __name__ == "__main__":
    sys.exit(main())
