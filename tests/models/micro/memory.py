#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the memory that Convoy reports for a microcontroller with the memory that the emulated
program uses, for inputs and outputs in buffers of the caller and in the arena, and for inputs that the run
fetches row by row:

- The run writes the last byte of the workspace and no byte outside of the workspace, the outputs and
  the stack. The emulator's plug-in sees each write, and `convoy bench` fails at a wrong one.
- The run does not exceed the bound of the stack. The bound is at most 1.25 times the used stack or
  128 bytes larger.
- The flash is the one of `size`.

  memory.py CONVOY MODEL WORK TARGET...
"""

import json
import os
import shutil
import subprocess
import sys


def bench(convoy, model, target, io, work):
    shutil.rmtree(work, ignore_errors=True)
    command = [convoy, "bench", model, f"--target={target}", f"--io={io}", "-o", work, "--json"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)[0]


def size_of(program, target):
    tool = "arm-none-eabi-size" if target.startswith("cortex") else "riscv64-unknown-elf-size"
    if shutil.which(tool) is None:
        print(f"skipped: needs {tool}, which scripts/install-deps.sh installs")
        sys.exit(77)
    lines = subprocess.run([tool, program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    text, data = lines[1].split()[:2]
    return int(text) + int(data)


def problems_of(row, flash):
    if row["used_workspace_bytes"] != row["workspace_bytes"]:
        yield f"the run uses {row['used_workspace_bytes']} of {row['workspace_bytes']} bytes of the workspace"
    bound, used = row["stack_bytes"], row["used_stack_bytes"]
    if bound is None:
        yield "the stack has no bound"
    elif used > bound:
        yield f"the run uses {used} bytes of stack, more than the bound of {bound}"
    elif bound > max(1.25 * used, used + 128):
        yield f"the bound of the stack is {bound} bytes for {used} used bytes"
    if row["flash_bytes"] != flash:
        yield f"the flash is {row['flash_bytes']} bytes, {flash} by `size`"


def main():
    convoy, model, work = sys.argv[1:4]
    failed = False
    for target in sys.argv[4:]:
        for io in ("caller", "arena", "rows"):
            folder = os.path.join(work, target.replace(":", "_") + "_" + io)
            row = bench(convoy, model, target, io, folder)
            programs = [name for name in os.listdir(folder) if name.endswith(".elf")]
            flash = size_of(os.path.join(folder, programs[0]), target)
            print(f"{target} --io={io}: workspace {row['workspace_bytes']}, stack {row['stack_bytes']} (used "
                  f"{row['used_stack_bytes']}), RAM {row['ram_bytes']}, flash {row['flash_bytes']}")
            for problem in problems_of(row, flash):
                print(f"FAILED: {target} --io={io}: {problem}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
