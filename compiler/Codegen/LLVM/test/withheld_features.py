# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that compiled code uses only the features in the target's description, even if the CPU's
name implies more. A hypervisor or an operating system may disable AVX-512 or AVX on a CPU for which
LLVM assumes it.

  withheld_features.py CONVOY OBJDUMP SCRATCH_DIR MODEL
"""

import json
import pathlib
import re
import subprocess
import sys

CPU = "sapphirerapids"
AVX512 = re.compile(r"%zmm|%k[0-7]\b|%[xy]mm(1[6-9]|2\d|3[01])\b")
AVX = re.compile(r"%ymm|\tv\w+\s.*%xmm")
# A target, and the registers or encodings that need a feature the target lacks.
CASES = [("x86-64-v3", AVX512), ("x86-64-v2", AVX)]


def disassemble(convoy, objdump, scratch, model, target):
    description = scratch / f"{target['name']}.json"
    description.write_text(json.dumps(target))
    folder = scratch / target["name"]
    subprocess.run([convoy, "compile", model, "--target", str(description), "--name", "net", "-o", str(folder)],
                   check=True, stdout=subprocess.DEVNULL)
    return subprocess.run([objdump, "-d", "--no-show-raw-insn", str(folder / "net.so")], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def main():
    convoy, objdump, scratch, model = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run([convoy, "targets", "--json"], check=True, stdout=subprocess.PIPE).stdout
    targets = {target["name"]: target for target in json.loads(listed)}
    wide = disassemble(convoy, objdump, scratch, model, {**targets["x86-64-v4"], "cpu": CPU})
    if not AVX512.search(wide) or not AVX.search(wide):
        sys.exit("FAILED: code for x86-64-v4 shows no AVX-512: the test would find nothing")
    for name, pattern in CASES:
        code = disassemble(convoy, objdump, scratch, model, {**targets[name], "cpu": CPU})
        found = [line.strip() for line in code.splitlines() if pattern.search(line)]
        if found:
            sys.exit(f"FAILED: code for {CPU} with the features of {name} has {len(found)} instructions "
                     f"of others, first: {found[0]}")
        print(f"{CPU} with the features of {name}: no instruction of others")


main()
