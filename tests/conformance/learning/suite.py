#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the ops of ai.onnx.ml with ONNX Runtime, whose graph optimizations are off.

The script writes a suite of one-node models and pipelines with seeded inputs, computes the expected
outputs with the peer and runs convoy-conformance on the suite. If the peer is not installed, the test is skipped.

    suite.py --tool build/release/bin/convoy-conformance [--target reference] [--quick] [--pipelines]
"""

import argparse
import pathlib
import sys

import numpy as np
import onnx

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import features  # noqa: E402
import machines  # noqa: E402
import peer  # noqa: E402
import peer_suite  # noqa: E402
import pipelines  # noqa: E402
import trees  # noqa: E402
from case import LABELS, build  # noqa: E402

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
    results = peer.Model(path, [value.name for value in model.graph.input], names)(case.inputs)
    if case.words:
        numbers = next(case.attributes[key] for key in LABELS if key in case.attributes)
        results[0] = np.array([case.words[numbers.index(label)] for label in results[0]], object)
    return results


def write_case(case, folder, scratch):
    results = run_peer(case, scratch)
    model, _ = build(case, results)
    data = folder / case.kind / case.name / "test_data_set_0"
    data.mkdir(parents=True)
    onnx.save(model, str(data.parent / "model.onnx"))
    peer_suite.write_data(data, case.inputs, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="convoy-conformance")
    parser.add_argument("--target", default="reference")
    parser.add_argument("--quick", action="store_true", help="Run a part of the cases")
    parser.add_argument("--pipelines", action="store_true", help="Run the pipelines of scikit-learn alone")
    parser.add_argument("--keep", help="Write the suite here and leave it")
    arguments = parser.parse_args()
    if peer_suite.is_missing():
        return peer_suite.SKIPPED
    modules = (pipelines,) if arguments.pipelines else (features, machines, trees, pipelines)
    cases = [case for module in modules for case in module.cases()]
    cases = [case for case in cases if case.is_quick or not arguments.quick]
    return peer_suite.run_cases(arguments, "learning", TOLERANCES, cases, write_case)


if __name__ == "__main__":
    sys.exit(main())
