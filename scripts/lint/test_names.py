# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the names of test files against tests/README.md.

A C++ file with GoogleTest cases is `<thing>_test.cpp` in a `test/` folder. lit
tests, scripts and models are snake case.
"""

import os
import re

import tree

SNAKE = re.compile(r"^[a-z0-9][a-z0-9_.-]*$")
CASE = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST)\(", re.MULTILINE)


def check_name(root, path):
    name = os.path.basename(path)
    if path.endswith(".cpp") and CASE.search(tree.read(root, path)):
        if not name.endswith("_test.cpp") or not SNAKE.match(name):
            return f"a file with GoogleTest cases must be named <thing>_test.cpp in snake case, got {name}"
        if path.startswith("tests/"):
            return "a unit test belongs in the test/ folder beside the code that it tests, not in tests/"
    if path.endswith((".mlir", ".onnxtxt", ".py", ".sh")) and not SNAKE.match(name):
        return f"a test or script must be named in snake case, got {name}"
    return None


def check(root, files):
    findings = []
    for path in files:
        message = check_name(root, path) if tree.is_test(path) else None
        if message:
            findings.append(tree.Finding(path, 1, message))
    return findings


if __name__ == "__main__":
    tree.main(check)
