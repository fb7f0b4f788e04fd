# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes while busy loops occupy all cores. The tuner must wait at most as long as --wait
allows, must not count the wait as search time, and must name the remedy. Before that, tunes
a model without a second configuration: the tuner must say that nothing was faster.

  waiting.py CONVOY MAKE_MODELS SCRATCH_DIR
"""

import json
import multiprocessing
import os
import sys
import time

import onnx
from busy_loop import occupy
from onnx import helper
from tuner import Tuner, expect

SEARCH_SECONDS, WAIT_SECONDS = 4, 3


def check_no_gain(test):
    path, records = str(test.scratch / "exp.onnx"), str(test.scratch / "new" / "exp.db")
    tensors = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [64]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Exp", ["x"], ["y"], "exp")], "exp", tensors[:1], tensors[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    out = test.run("tune", path, "--records", records, "--trials", "1", "--wait", "1")
    expect("No measured configuration was faster than the compiler's default.\n" in out, f"says:\n{out}")


def main():
    test = Tuner(*sys.argv[1:])
    check_no_gain(test)
    loops = [multiprocessing.Process(target=occupy, args=(cpu, 100), daemon=True)
             for cpu in sorted(os.sched_getaffinity(0)) for _ in range(2)]
    for loop in loops:
        loop.start()
    begin = time.monotonic()
    tuner = test.start("--time", f"{SEARCH_SECONDS}s")
    out, words = tuner.communicate()
    seconds = time.monotonic() - begin
    for loop in loops:
        loop.kill()
    expect(tuner.returncode == 0, f"ends with {tuner.returncode}: {words}")
    state = json.loads(out)
    waited = state["waited_seconds"]
    expect(0 < waited <= WAIT_SECONDS, f"waited {waited} s of {WAIT_SECONDS} s")
    expect("waiting for an idle machine, at most 3 s (not counted as search time)" in words,
           f"the wait is not announced:\n{words}")
    expect("the limit of --wait: measuring continues and is less precise; stop other programs or raise --wait" in words,
           f"no remedy is named:\n{words}")
    expect(seconds >= waited + 0.6 * SEARCH_SECONDS, f"{waited:.1f} s of {seconds:.1f} s were waited: the search was cut")
    print(f"ok    waited {waited:.1f} s, {state['trials']} trials in {state['seconds']:.1f} s")


if __name__ == "__main__":
    main()
