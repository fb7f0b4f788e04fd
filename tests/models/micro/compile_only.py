#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model for microcontrollers without an emulator: emits C and compiles it with the
command of the target. Checks that the C has 32-bit objects for the target's architecture.

  compile_only.py CONVOY MODEL WORK TARGET...
"""

import json
import os
import shutil
import subprocess
import sys

# Words of `readelf -h` for the targets.
MACHINES = {"cortex": "ARM", "rv32": "RISC-V"}


def main():
    convoy, model, work = sys.argv[1:4]
    if shutil.which("readelf") is None:
        print("skipped: needs readelf of the package binutils")
        sys.exit(77)
    for target in sys.argv[4:]:
        folder = os.path.join(work, target)
        result = subprocess.run([convoy, "compile", model, f"--target={target}", "-o", folder, "--json"],
                                check=True, stdout=subprocess.PIPE, text=True)
        facts = json.loads(result.stdout)
        if shutil.which(facts["source_compiler"][0]) is None:
            print(f"skipped: needs {facts['source_compiler'][0]}, which scripts/install-deps.sh installs")
            sys.exit(77)
        output = os.path.join(folder, "model.o")
        subprocess.run([*facts["source_compiler"], "-std=c11", "-Wall", "-Werror", "-c",
                        os.path.join(folder, "small.c"), "-o", output], check=True)
        header = subprocess.run(["readelf", "-h", output], check=True, stdout=subprocess.PIPE, text=True).stdout
        machine = next(word for prefix, word in MACHINES.items() if target.startswith(prefix))
        if "ELF32" not in header or machine not in header:
            sys.exit(f"FAILED: {target}: expected a 32-bit object for {machine}, got\n{header}")
        print(f"{target}: {os.path.getsize(output)} bytes")


if __name__ == "__main__":
    main()
