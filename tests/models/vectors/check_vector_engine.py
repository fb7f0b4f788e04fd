#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a model as C for NEC's vector engine and checks the disassembly. Every convolution must
use vfmad with a vector length of 256 and have no scalar multiplication in its loops. No linker, C
library or emulator for that machine is available here, so the script also runs the same C with its
test bench on this machine, where count_lanes.h counts the multiplied vectors.

Usage: check_vector_engine.py CONVOY MODEL
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../source"))
from host_flags import host_flags

TOOLS = ["clang-19", "llvm-objdump-19"]
LENGTH = 256
VFMAD = re.compile(r"p?vfmad\.(up|s)\b")
SCALAR_FLOAT = re.compile(r"\b(fmul|fadd|fsub|fmad)\.[sd]\b|\bbsic\b.*fmaf")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def functions(disassembly):
    """Maps function names to instructions, as (address, text)."""
    result, current = {}, None
    for line in disassembly.splitlines():
        begin = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if begin:
            current = result.setdefault(begin.group(1), [])
        instruction = re.match(r"^\s*([0-9a-f]+):\s*(?:[0-9a-f]{2} )*\s*(.*)$", line)
        if instruction and current is not None:
            current.append((int(instruction.group(1), 16), instruction.group(2).strip()))
    return result


def loops(instructions):
    """Returns the instructions between a backward branch and its target."""
    spans = []
    for at, text in instructions:
        back = re.match(r"^br\S*\s+.*?(-\d+|0x[0-9a-f]+)(?:\s|$)", text)
        if back and back.group(1).startswith("-"):
            spans.append((at + int(back.group(1)), at))
    return [[text for at, text in instructions if low <= at <= high] for low, high in spans]


def lengths_at_vfmad(code):
    """Returns the vector lengths that are set at each vfmad; -1 for an unknown length. The length
    comes from a register, which the code sets to a constant earlier in the text."""
    constants, length, found = {}, -1, set()
    for text in code:
        constant = re.match(r"^lea (%s\d+), (\d+)$", text)
        written = re.match(r"^(?!st|br|lvl)\S+ (%s\d+),", text)
        if constant:
            constants[constant.group(1)] = int(constant.group(2))
        elif written:
            constants.pop(written.group(1), None)
        if text.startswith("lvl"):
            length = constants.get(text.split()[1], -1)
        if VFMAD.match(text):
            found.add(length)
    return found


def problem_of(instructions):
    """Returns the problems in the code of a convolution, or nothing."""
    lengths = lengths_at_vfmad([text for _, text in instructions])
    if not lengths:
        return "has no vfmad"
    if lengths != {LENGTH}:
        return f"has vfmad with vector lengths {sorted(lengths)}, expected {LENGTH}"
    for loop in loops(instructions):
        scalar = [text for text in loop if SCALAR_FLOAT.search(text)]
        if any(VFMAD.match(text) for text in loop) and scalar:
            return f"has scalar arithmetic in a loop with vfmad: {scalar[0]}"
    return None


def run_here(convoy, summary, folder):
    """Runs the model's test bench on this machine; returns the mean length of multiplied
    vectors."""
    program = os.path.join(folder, "program")
    sources = [summary["source"], summary["test"]]
    if summary["weights_assembly"]:
        sources.append(summary["weights_assembly"])
    run(["clang-19", "-std=c11", "-O1", *host_flags(convoy), "-include",
         os.path.join(HERE, "count_lanes.h"), "-I", folder, *sources, "-lm", "-o", program])
    counted = re.search(r"multiply-adds (\d+) lanes (\d+)", run([program]))
    if not counted:
        sys.exit("FAILED: the program executed no vector multiply-add")
    vectors, lanes = map(int, counted.groups())
    print(f"on this machine: outputs as expected, {vectors:,} multiply-adds of {lanes / vectors:.1f} lanes")
    return lanes / vectors


def main():
    convoy, model = sys.argv[1:]
    for tool in TOOLS:
        if not shutil.which(tool):
            print(f"skipped: '{tool}' is not installed; scripts/install-deps.sh installs it")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        summary = json.loads(run([convoy, "compile", model, "--emit=c", "--with-test", "--target=ve",
                                  "--threads=1", "--math=strict", "-o", folder, "--json"]))
        with open(os.path.join(HERE, "../../../compiler/Targets/ve.json"), encoding="utf-8") as file:
            compiler = json.load(file)["sourceCompiler"]
        built = os.path.join(folder, "model.o")
        run([*compiler, "-std=c11", "-ffreestanding", "-fbuiltin",
             "-DCONVOY_KERNEL=static __attribute__((noinline))", "-isystem",
             os.path.join(HERE, "include"), "-c", summary["source"], "-o", built])
        found = functions(run(["llvm-objdump-19", "-d", "--no-show-raw-insn", built]))
        length = run_here(convoy, summary, folder)
    convolutions = {name: code for name, code in found.items() if re.search(r"_conv_\d+$", name)}
    if not convolutions:
        sys.exit("FAILED: the object file contains no convolution")
    problems = [f"{name} {problem}" for name, code in sorted(convolutions.items())
                if (problem := problem_of(code))]
    if length < LENGTH:
        problems.append(f"vectors multiplied here have {length:.1f} lanes, expected {LENGTH}")
    count = sum(bool(VFMAD.match(text)) for code in convolutions.values() for _, text in code)
    print(f"{len(convolutions)} convolutions, {count} vfmad")
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
