#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds generator and simulator for a Cortex-M55 with a network of the same shape as person
detection. Runs the program under QEMU and compares bytes, cycles and stream length with the host.

  run.py DATA_PROGRAM RUNTIME WORK

DATA_PROGRAM writes data.h and prints the host's cycles and words.
"""

import os
import shutil
import subprocess
import sys


def main():
    data_program, runtime, work = sys.argv[1:4]
    here = os.path.dirname(os.path.abspath(__file__))
    for tool in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(tool) is None:
            print(f"skipped: needs {tool}")
            sys.exit(77)
    os.makedirs(work, exist_ok=True)
    host = subprocess.run([data_program, os.path.join(work, "data.h")], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    sources = sorted(os.path.join(runtime, "abstract", name)
                     for name in os.listdir(os.path.join(runtime, "abstract"))
                     if name.endswith(".c") and name != "table.c")
    image = os.path.join(work, "person.elf")
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m55", "-mfloat-abi=hard", "-std=c11", "-O2",
                    "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-Wl,--gc-sections",
                    "-nostartfiles", "--specs=nosys.specs",
                    "-I", work, "-I", runtime, "-I", os.path.join(runtime, "include"),
                    "-T", os.path.join(here, "an547.ld"), os.path.join(here, "start.c"),
                    os.path.join(here, "main.c"), *sources, "-o", image], check=True)
    result = subprocess.run(["qemu-system-arm", "-M", "mps3-an547", "-nographic", "-monitor", "none",
                             "-serial", "none", "-semihosting-config", "enable=on,target=native",
                             "-kernel", image], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, timeout=300)
    print(result.stdout.strip())
    if result.returncode != 0:
        sys.exit(f"the program ended with {result.returncode}")
    if host not in result.stdout:
        sys.exit(f"FAILED: the host printed '{host}'")


if __name__ == "__main__":
    main()
