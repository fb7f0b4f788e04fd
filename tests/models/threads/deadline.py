#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks plans for deadlines on the command line. Each plan meets its deadline, a longer deadline
never costs more energy, and the emitted C requests the power states of the plan.

  deadline.py CONVOY MODELS SCRATCH_DIR
"""

import json
import pathlib
import shutil
import subprocess
import sys

TARGET = "aarch64"
THREADS = 4


def compile_model(convoy, model, scratch, *flags):
    return subprocess.run([convoy, "compile", model, "--emit=c", "-o", scratch, "--json", *flags],
                          capture_output=True, text=True, check=False)


def plan(convoy, model, scratch, deadline_ms):
    result = compile_model(convoy, model, scratch, f"--target={TARGET}", f"--threads={THREADS}",
                           f"--deadline={deadline_ms}")
    if result.returncode != 0:
        sys.exit(f"FAILED: deadline {deadline_ms} ms: {result.stderr}")
    return json.loads(result.stdout)


def expect_error(result, words):
    if result.returncode != 1 or words not in result.stderr:
        sys.exit(f"FAILED: expected '{words}', got {result.returncode}: {result.stderr}")


def main():
    convoy, models, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    model = models / "residual.onnx"
    full_ms = plan(convoy, model, scratch, 1000)["power_plan"]["full_ns"] / 1e6
    before = float("inf")
    states = set()
    for factor in (1.02, 1.3, 1.8, 3, 6):
        facts = plan(convoy, model, scratch, factor * full_ms)
        power = facts["power_plan"]
        print(f"{factor * full_ms:.4f} ms: {power['cores']:.0f} cores, {power['ns'] / 1e6:.4f} ms, "
              f"{power['microjoules']:.3f} uJ; at full speed {power['full_microjoules']:.3f} uJ")
        if power["ns"] > factor * full_ms * 1e6 or power["microjoules"] > before:
            sys.exit("FAILED: the plan misses its deadline, or needs more energy than a plan for a shorter one")
        before = power["microjoules"]
        text = pathlib.Path(facts["source"]).read_text(encoding="utf-8")
        states |= {state for state in ("FULL", "MID", "LOW") if f", {state});" in text}
    if states != {"FULL", "MID", "LOW"} or before >= 0.5 * power["full_microjoules"]:
        sys.exit(f"FAILED: the emitted C requests the states {states}; the plan for the longest deadline needs {before} uJ")
    expect_error(compile_model(convoy, model, scratch, f"--target={TARGET}", "--threads=4",
                               f"--deadline={0.5 * full_ms}"),
                 "4 cores at full speed are predicted to take")
    expect_error(compile_model(convoy, model, scratch, "--threads=4", "--deadline=5"),
                 "chooses among power states and target 'host' has none")
    expect_error(compile_model(convoy, model, scratch, f"--target={TARGET}", "--deadline=5"),
                 "chooses how many cores to use, got one; add --threads=N")


if __name__ == "__main__":
    main()
