#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the ops of ai.onnx.ml with ONNX Runtime, whose graph optimizations are off.

The script writes a suite of one-node models and pipelines with seeded inputs, computes the expected
outputs with the peer and runs convoy-conformance on the suite. If the peer is not installed, the test is skipped.

    suite.py --tool build/release/bin/convoy-conformance [--target reference] [--quick]
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import onnx
from onnx import numpy_helper

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import features  # noqa: E402
import machines  # noqa: E402
import peer  # noqa: E402
import pipelines  # noqa: E402
import trees  # noqa: E402
from case import build  # noqa: E402

SKIPPED = 77  # the exit code of a skipped test

# Relative and absolute error of floats, and difference of integers, for each kind of case. Labels
# are integers and must be equal.
TOLERANCES = {
    "f32": (1e-4, 1e-5, 0),
    "probit": (1e-3, 2e-4, 0),  # the formula of the peer cancels near 0
    "iterated": (1e-3, 1e-4, 0),  # the probabilities of pairs are coupled by an iteration in f32
}


def run_peer(case, folder):
    model, names = build(case, None)
    path = folder / "peer.onnx"
    onnx.save(model, str(path))
    return peer.Model(path, [value.name for value in model.graph.input], names)(case.inputs)


def write_case(case, folder, scratch):
    results = run_peer(case, scratch)
    model, _ = build(case, results)
    data = folder / case.kind / case.name / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, str(data.parent / "model.onnx"))
    for prefix, values in (("input", case.inputs), ("output", results)):
        for k, array in enumerate(values):
            (data / f"{prefix}_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def run_kind(folder, kind, arguments):
    tolerance = [str(number) for number in TOLERANCES[kind]]
    print(f"{kind}: relative {tolerance[0]}, absolute {tolerance[1]}, integers {tolerance[2]}", flush=True)
    command = [arguments.tool, "--suite", str(folder / kind), "--target", arguments.target, "--tolerance", *tolerance]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="", flush=True)
    passed, failed, skipped = (int(text.split()[0]) for text in done.stdout.splitlines()[-1].split(", "))
    return passed, failed + skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy-conformance")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--quick", action="store_true", help="Run a part of the cases")
    parser.add_argument("--keep", help="Write the suite here and leave it")
    arguments = parser.parse_args()
    try:
        peer.library()
    except SystemExit as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    cases = [case for module in (features, machines, trees, pipelines) for case in module.cases()]
    cases = [case for case in cases if case.is_quick or not arguments.quick]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch) / "learning"
        for case in cases:
            write_case(case, folder, pathlib.Path(scratch))
        counts = [run_kind(folder, kind, arguments) for kind in TOLERANCES if (folder / kind).exists()]
    passed, wrong = (sum(column) for column in zip(*counts))
    print(f"{passed} of {len(cases)} cases agree with ONNX Runtime on {arguments.target}")
    return 0 if wrong == 0 and passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
