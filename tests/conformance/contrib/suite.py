#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the ops of com.microsoft with ONNX Runtime, whose graph optimizations are off.

The script writes a suite of one-node models with seeded inputs, computes the expected outputs with
the peer and runs convoy-conformance on the suite. If the peer is not installed, the test is skipped.

    suite.py --tool build/release/bin/convoy-conformance [--target reference] [--quick] [--open]
"""

import argparse
import pathlib
import sys

import onnx

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import attention  # noqa: E402
import blocks  # noqa: E402
import layer  # noqa: E402
import normalization  # noqa: E402
import peer  # noqa: E402
import peer_suite  # noqa: E402
import quantized  # noqa: E402
from case import build, open_inputs  # noqa: E402

# Relative and absolute error of floats, and difference of integers, for each kind of case.
TOLERANCES = {
    "f32": (1e-4, 1e-5, 0),
    "sums": (1e-4, 1e-4, 0),  # the peer adds the products of long sums in another order
    "bytes": (0, 0, 1),  # the peer rounds in tables and in vector instructions
    "f16": (2e-3, 2e-3, 0),  # two units in the last place of values near 1
    "f16_sums": (4e-3, 8e-3, 0),
}


def run_peer(case, folder):
    model, arrays, outputs = build(case, None)
    path = folder / "peer.onnx"
    onnx.save(model, str(path))
    names = [value.name for value in model.graph.input]
    return peer.Model(path, names, outputs)(arrays)


def write_case(case, folder, scratch, is_open):
    run = lambda other: run_peer(other, scratch)  # noqa: E731
    results = case.peer(case, run) if case.peer else run(case)
    model, arrays, _ = build(case, results)
    arrays = open_inputs(model, arrays) if is_open else arrays
    data = folder / case.kind / case.name / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, str(data.parent / "model.onnx"))
    peer_suite.write_data(data, arrays, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy-conformance")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--quick", action="store_true", help="Run a part of the cases")
    parser.add_argument("--open", action="store_true", help="Let all dimensions but the last depend on data")
    parser.add_argument("--keep", help="Write the suite here and leave it")
    arguments = parser.parse_args()
    if peer_suite.is_missing():
        return peer_suite.SKIPPED
    modules = (layer, normalization, blocks, attention, quantized)
    cases = [case for module in modules for case in module.cases() if case.is_quick or not arguments.quick]
    cases = [case for case in cases if not (arguments.open and case.needs_shapes)]
    write = lambda case, *folders: write_case(case, *folders, arguments.open)  # noqa: E731
    return peer_suite.run_cases(arguments, "contrib", TOLERANCES, cases, write)


if __name__ == "__main__":
    sys.exit(main())
