#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model for a Cortex-M4 with two memories for data: a fast one that is too small for all
tensors, and a slow one. Checks that the program on the emulated board and the test bench on this
machine give the right outputs, that the model has two workspaces, and that some weights are copied.

  two_memories.py CONVOY MODEL CORTEX_M4_JSON WORK
"""

import json
import os
import shutil
import subprocess
import sys


def describe(source, path):
    """Writes a description with little fast and 64 KiB of slow memory, and slow flash."""
    with open(source, encoding="utf-8") as file:
        target = json.load(file)
    flash, data = target["memories"]
    flash["accessCycles"] = 5
    fast = dict(data, name="tcm", bytes=1792 + 1024, holds=["data", "stack", "weights"], accessCycles=1)
    slow = dict(data, name="sram", address="0x20010000", bytes=65536, holds=["data"], accessCycles=3)
    target["memories"] = [flash, slow, fast]  # the order does not matter
    target["toolchain"]["stackBytes"] = 1024
    with open(path, "w", encoding="utf-8") as file:
        json.dump(target, file)


def run_test_bench(folder):
    compiler = shutil.which("gcc") or shutil.which("clang-19")
    program = os.path.join(folder, "bench")
    sources = [os.path.join(folder, name) for name in ("small.c", "small_test.c")]
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *sources, "-lm", "-o", program], check=True)
    subprocess.run([program], check=True)


def main():
    convoy, model, source, work = sys.argv[1:5]
    os.makedirs(work, exist_ok=True)
    target = os.path.join(work, "board.json")
    describe(source, target)
    for io in ("caller", "arena"):
        subprocess.run([convoy, "check", model, "--exact", f"--io={io}", f"--target={target}", "--allow-toolchain"], check=True)
        folder = os.path.join(work, io)
        subprocess.run([convoy, "compile", model, f"--target={target}", f"--io={io}", "--with-test", "-o", folder],
                       check=True)
        with open(os.path.join(folder, "small.h"), encoding="utf-8") as file:
            header = file.read()
        for words in ("#define SMALL_WORKSPACE_COUNT 2", '#define SMALL_WORKSPACE_MEMORY "tcm"',
                      '#define SMALL_WORKSPACE_1_MEMORY "sram"', "void *workspace, void *workspace_1);"):
            if words not in header:
                sys.exit(f"FAILED: --io={io}: small.h lacks '{words}'")
        with open(os.path.join(folder, "small.c"), encoding="utf-8") as file:
            copied = file.read().count("static const CONVOY_FAST_WEIGHTS")
        if copied == 0:
            sys.exit(f"FAILED: --io={io}: no weights are copied to the fast memory")
        run_test_bench(folder)
        rows = subprocess.run([convoy, "bench", model, f"--target={target}", f"--io={io}", "--allow-toolchain", "--json"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        row = json.loads(rows)[0]
        if row["used_workspace_bytes"] != row["workspace_bytes"]:
            sys.exit(f"FAILED: --io={io}: the run uses {row['used_workspace_bytes']} of {row['workspace_bytes']} "
                     "bytes of the workspaces")
        print(f"--io={io}: workspaces {row['workspace_bytes']} bytes, {copied} copied constants")


if __name__ == "__main__":
    main()
