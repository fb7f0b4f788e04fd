# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes suites whose expected outputs the peer computes, and runs convoy-conformance on them."""

import pathlib
import subprocess
import tempfile

from onnx import numpy_helper

import peer

SKIPPED = 77  # the exit code of a skipped test


def is_missing():
    """Prints why the test is skipped if the peer is not installed."""
    try:
        peer.library()
    except SystemExit as missing:
        print(f"skipped: {missing}")
        return True
    return False


def write_data(data, inputs, outputs):
    """Writes a data set of ONNX's backend tests."""
    data.mkdir(parents=True, exist_ok=True)
    for prefix, arrays in (("input", inputs), ("output", outputs)):
        for k, array in enumerate(arrays):
            (data / f"{prefix}_{k}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def run_group(arguments, folder, tolerance, *flags):
    """Runs the tests of a folder. Returns how many passed, and how many failed or were skipped."""
    tolerance = [str(number) for number in tolerance]
    print(f"{folder.name}: relative {tolerance[0]}, absolute {tolerance[1]}, integers {tolerance[2]}", flush=True)
    command = [arguments.tool, "--suite", str(folder), "--target", arguments.target, "--tolerance", *tolerance, *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="", flush=True)
    passed, failed, skipped = (int(text.split()[0]) for text in done.stdout.splitlines()[-1].split(", "))
    return passed, failed + skipped


def run_cases(arguments, name, tolerances, cases, write):
    """Calls write(case, folder, scratch) for all cases and runs them, one group per kind of case. Returns the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch) / name
        for case in cases:
            write(case, folder, pathlib.Path(scratch))
        counts = [run_group(arguments, folder / kind, tolerances[kind])
                  for kind in tolerances if (folder / kind).exists()]
    passed, wrong = (sum(column) for column in zip(*counts))
    print(f"{passed} of {len(cases)} cases agree with ONNX Runtime on {arguments.target}")
    return 0 if wrong == 0 and passed == len(cases) else 1
