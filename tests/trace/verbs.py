# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the traces of `convoy compile`, `convoy run` and `convoy bench`.

  verbs.py CONVOY MODEL MAKE_MODELS SCRATCH

Each trace must pass check_trace.py. The events of each core must account for the time of the
inference. The compile must have an event for each stage.
"""

import json
import os
import subprocess
import sys

import check_trace

# Gaps between kernels that are too short to see are no events.
MAX_MISSING = 0.03


def expect(holds, what):
    if not holds:
        sys.exit(f"FAIL  {what}")


def traced(convoy, scratch, *arguments):
    """Runs a verb with --trace and returns the checked trace."""
    path = os.path.join(scratch, f"{arguments[0]}.json")
    subprocess.run([convoy, *arguments, "--trace", path], check=True, stdout=subprocess.PIPE)
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    problems = check_trace.problems_of(trace)
    expect(not problems, f"{arguments[0]}: " + "; ".join(problems))
    return trace


def events_of(trace, category):
    return [event for event in trace["traceEvents"] if event.get("cat") == category]


def check_compile(convoy, model, scratch):
    trace = traced(convoy, scratch, "compile", model, "-o", os.path.join(scratch, "out"))
    listed = subprocess.run([convoy, "--help-stages"], check=True, stdout=subprocess.PIPE, text=True).stdout
    stages = [line.split()[0] for line in listed.splitlines() if line.strip()]
    names = [event["name"] for event in events_of(trace, "stage")]
    expect(stages and all(stage in names for stage in stages), f"a stage of {stages} is missing in {names}")
    expect({"read", "import", "library"} <= set(names), f"a step is missing in {names}")
    passes = [event["name"] for event in events_of(trace, "pass")]
    expect("convoy-codegen-lower-to-llvm" in passes and "" not in passes, f"a pass is missing in {passes}")


def check_inferences(trace, what, count):
    inferences = events_of(trace, "inference")
    expect(len(inferences) == count, f"{what}: expected {count} inferences, found {len(inferences)}")
    for event in inferences:
        expect(event["name"].startswith("inference, median of "), f"{what}: {event['name']}")
    kernels = events_of(trace, "kernel")
    expect(kernels and all(event["args"]["predicted_us"] > 0 for event in kernels), f"{what}: no predictions")
    expect(any("(Conv)" in event["name"] for event in kernels), f"{what}: no kernel names its node")
    for process, core, total, run in check_trace.core_sums(trace):
        expect(abs(total / run - 1) <= MAX_MISSING,
               f"{what}: {process}, {core}: events take {total} us of an inference of {run} us")


def main():
    convoy, model, make_models, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    # The schedule of a smaller model may use one core only.
    subprocess.run([sys.executable, "-B", make_models, scratch, "squeezenet"], check=True, stdout=subprocess.PIPE)
    large = os.path.join(scratch, "squeezenet.onnx")
    check_compile(convoy, model, scratch)
    check_inferences(traced(convoy, scratch, "run", model, "--input=random", "--threads=1"), "run", 1)
    threads = ["1", "2"] if len(os.sched_getaffinity(0)) > 1 else ["1"]
    trace = traced(convoy, scratch, "bench", large, "--repetitions=5", "--threads", ",".join(threads))
    check_inferences(trace, "bench", len(threads))
    expect(all("overhead" in event["args"] for event in events_of(trace, "inference")), "bench: no overhead")
    if len(threads) == 2:
        cores = [name for name in check_trace.names_of(trace)[0].values() if name.startswith("core ")]
        expect(len(cores) == 3, f"bench: expected the tracks of 1 + 2 cores, found {cores}")
    print("ok    the traces of compile, run and bench")


if __name__ == "__main__":
    main()
