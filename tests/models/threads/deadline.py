#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks plans for deadlines on the command line. Each plan meets its deadline, a longer deadline
never costs more energy, and the emitted C requests the power states of the plan. A library for this
machine calls the program's function for them, and also runs in a program without the function.

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


STATES = [{"name": "FULL", "megahertz": 1800, "activeMilliwatts": 1000, "idleMilliwatts": 100},
          {"name": "MID", "megahertz": 1200, "activeMilliwatts": 420, "idleMilliwatts": 60},
          {"name": "LOW", "megahertz": 600, "activeMilliwatts": 140, "idleMilliwatts": 30}]
PROGRAM = """
#include "residual.h"
#include <string.h>
#ifdef WITH_POWER
#include "convoy/power.h"
#include <stdatomic.h>
static _Atomic int calls[2];
static _Atomic int wrong;
void convoy_set_power_state(int32_t core, const char *state) {
  int isKnown = strcmp(state, "FULL") == 0 || strcmp(state, "MID") == 0 || strcmp(state, "LOW") == 0;
  wrong += !isKnown || core < 0 || core > 1;
  if (core == 0 || core == 1) {
    ++calls[core];
  }
}
#endif
#include <stdio.h>
int main(void) {
  static float x[RESIDUAL_INPUT_0_ELEMENTS], y[RESIDUAL_OUTPUT_0_ELEMENTS];
  static _Alignas(64) char workspace[RESIDUAL_WORKSPACE_BYTES];
  residual_inputs inputs = {x};
  residual_outputs outputs = {y};
  int code = residual_run(&inputs, &outputs, workspace);
#ifdef WITH_POWER
  printf("%d %d %d\\n", calls[0], calls[1], wrong);
#endif
  return code;
}
"""


def check_library(convoy, model, scratch):
    """Compiles for this machine with power states, and counts the calls of the program's function."""
    facts = subprocess.run([convoy, "targets", "host", "--json"], capture_output=True, text=True, check=True)
    description = json.loads(facts.stdout)["description"]
    description.update(name="powered", powerStates=STATES)
    target = scratch / "powered.json"
    target.write_text(json.dumps(description), encoding="utf-8")
    flags = [f"--target={target}", "--threads=2", "-o", str(scratch), "--json"]
    full = subprocess.run([convoy, "compile", model, *flags, "--deadline=1000"], capture_output=True, text=True, check=False)
    if full.returncode != 0:
        sys.exit(f"FAILED: a library with power states: {full.stderr}")
    deadline = json.loads(full.stdout)["power_plan"]["full_ns"] * 1.02 / 1e6
    plan = subprocess.run([convoy, "compile", model, *flags, f"--deadline={deadline}"], capture_output=True, text=True, check=True)
    cores = json.loads(plan.stdout)["power_plan"]["cores"]
    source = scratch / "power.c"
    source.write_text(PROGRAM, encoding="utf-8")
    include = pathlib.Path(__file__).resolve().parents[3] / "runtime/include"
    for defines in (["-DWITH_POWER"], []):
        program = scratch / f"power{len(defines)}"
        subprocess.run(["cc", "-std=c11", *defines, "-I", str(include), "-I", str(scratch), str(source),
                        str(scratch / "residual.so"), f"-Wl,-rpath,{scratch}", "-o", str(program)], check=True)
        done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
        print(f"a program {'with' if defines else 'without'} convoy_set_power_state: calls of cores 0 and 1, wrong calls: {done.stdout.strip() or '-'}")
        if defines:
            first, second, wrong = (int(number) for number in done.stdout.split())
            if first == 0 or (second == 0) != (cores == 1) or wrong != 0:
                sys.exit("FAILED: the library does not request the power states of its plan on each core")


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
    expect_error(compile_model(convoy, model, scratch, "--threads=4", "--deadline=5ms"),
                 "chooses among power states and target 'host' has none")
    expect_error(compile_model(convoy, model, scratch, f"--target={TARGET}", "--deadline=5ms"),
                 "chooses how many cores to use, got one; add --threads=N")
    check_library(convoy, model, scratch)


if __name__ == "__main__":
    main()
