# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every C and C++ file against .clang-format; `--fix` formats them."""

import os
import subprocess
import sys

import tree


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    files = [path for path in tree.list_files(root) if tree.is_cpp(path)]
    if not files:
        return 0
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "-Werror", "--ferror-limit=1"]
    done = subprocess.run(["clang-format-19", *mode, *files], cwd=root, stderr=subprocess.PIPE)
    # One line per file is sufficient; --fix formats all files.
    names = {line.split(":")[0] for line in done.stderr.decode().splitlines() if ": error:" in line}
    for name in sorted(names):
        print(f"{name}:1: not formatted; run scripts/lint/run.sh --fix")
    if done.returncode != 0 and not names:
        print(done.stderr.decode())
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
