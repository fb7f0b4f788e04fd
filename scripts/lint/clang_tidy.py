# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy on changed files, within a time budget.

With MLIR's headers, a file takes 5 to 20 s, so the lint checks only changed files. When
the budget ends, it lists the files that were not checked. `--all` checks all files
without a budget. The lint needs a configured build with its
precompiled headers (build/release, or the folder after `--build`).
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import time

import changed_files
import tree


def compiled_files(build, root):
    """Returns the relative path of every file that has a compile command."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        paths = {os.path.realpath(entry["file"]) for entry in json.load(file)}
    return {os.path.relpath(path, root) for path in paths if path.startswith(root + os.sep)}


def select(root, build, everything):
    names = tree.list_files(root) if everything else changed_files.changed_files(root)
    ours = [name for name in names if name.endswith((".cpp", ".c"))]
    selected = sorted(set(ours) & compiled_files(build, root))
    # If the budget is too small for all files, each commit checks different files.
    salt = changed_files.git(root, "rev-parse", "HEAD") or ""
    return sorted(selected, key=lambda name: hashlib.sha1((salt + name).encode()).hexdigest())


def tidy(root, build, name):
    done = subprocess.run(["clang-tidy-19", "-p", build, "--quiet", name], cwd=root,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.decode(errors="replace").splitlines()
             if not line.endswith(("warnings generated.", "warning generated."))]
    return done.returncode, "\n".join(lines)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.realpath(os.path.dirname(os.path.dirname(here)))
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(root, "build", "release"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--budget", type=float, default=240, help="seconds after which no further file is checked")
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.build, "compile_commands.json")):
        print(f"clang_tidy: {args.build} contains no build; run: cmake --preset release && cmake --build --preset release")
        return 1

    names = select(root, args.build, args.all)
    start, failed, skipped = time.monotonic(), 0, []

    def run(name):
        if not args.all and time.monotonic() - start > args.budget:
            return name, None, ""
        return (name, *tidy(root, args.build, name))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, output in pool.map(run, names):
            if code is None:
                skipped.append(name)
            elif code != 0:
                failed += 1
                print(output)
    print(f"clang_tidy: {len(names) - len(skipped)} of {len(names)} files checked, {failed} with findings,"
          f" {time.monotonic() - start:.0f} s")
    if skipped:
        print(f"clang_tidy: not checked, because the budget of {args.budget:.0f} s ended: {' '.join(skipped)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
