# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the files that a lint checks, and reports its findings.

A lint is a module with `check(root, files) -> list of Finding`, where `files`
are paths relative to `root`. `main` runs it on the files of the git repository, or on a
folder that is not a repository (the tests of the lints).
"""

import os
import subprocess
import sys
from collections import namedtuple

Finding = namedtuple("Finding", "path line message")

CODE_FOLDERS = ("compiler/", "reference/", "runtime/", "io/", "report/", "check/", "reduce/", "timing/", "quantizer/", "tuning/", "service/", "tools/", "python/", "tests/", "examples/")
CPP_SUFFIXES = (".cpp", ".h", ".c", ".cc")


def list_files(root):
    """Returns the tracked files and the new files that are not ignored, sorted."""
    if os.path.exists(os.path.join(root, ".git")):
        out = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, stdout=subprocess.PIPE)
        names = out.stdout.decode("utf-8", "replace").split("\0")
    else:
        names = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, inside in os.walk(root) for name in inside]
        names = [name for name in names if not name.startswith("build/")]
    return sorted(name for name in names if name and os.path.isfile(os.path.join(root, name)))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def is_test(path):
    """True for tests, which no library contains."""
    return path.startswith("tests/") or "/test/" in path


def is_cpp(path):
    return path.endswith(CPP_SUFFIXES)


def main(check):
    """Runs `check`, prints `path:line: message` and exits 1 on a finding."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    findings = check(root, list_files(root))
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.message}")
    sys.exit(1 if findings else 0)
