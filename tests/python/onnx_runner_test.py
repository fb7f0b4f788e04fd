#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's own test runner, onnx.backend.test, on convoy.backend.

  onnx_runner_test.py [--min-passed N] [PATTERN]

The runner of Debian's package onnx 1.12 uses names that NumPy has removed; this script defines them.
Tests of real models download files and are left out.
"""

import argparse
import sys
import unittest
import warnings

import numpy

numpy.object = object  # ONNX 1.12 compares types with it
import onnx.backend.test  # noqa: E402

import convoy.backend  # noqa: E402


class Result(unittest.TestResult):
    """Counts the tests by ending, without the tests for devices that the backend does not support."""

    passed = 0

    def addSuccess(self, test):
        self.passed += 1

    def reasons(self):
        for test, text in self.failures + self.errors:
            yield f"not passed {test.id().split('.')[-1]}: {text.strip().splitlines()[-1][:200]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--min-passed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    runner = onnx.backend.test.BackendTest(convoy.backend, __name__)
    cases = runner.test_cases
    suite = unittest.TestSuite()
    for name in ("OnnxBackendNodeModelTest",):
        loaded = unittest.defaultTestLoader.loadTestsFromTestCase(cases[name])
        suite.addTests(test for test in loaded if test.id().endswith("_cpu") and args.pattern in test.id())
    count = suite.countTestCases()
    result = Result()
    suite.run(result)
    for line in sorted(result.reasons()):
        print(line)
    print(f"{result.passed} of {count} passed, {len(result.skipped)} not compatible")
    if result.passed < args.min_passed:
        print(f"error: only {result.passed} passed, expected at least {args.min_passed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
