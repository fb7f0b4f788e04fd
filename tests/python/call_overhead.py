# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how much longer Model.run takes than the same call in C, in turns.

  call_overhead.py SCRATCH_DIR C_COMPILER [MODEL.onnx...]     (default: a network of the size of mnist)

A C function that Python calls once per sample runs the model in a loop. Both loops alternate, each first in every
second pair, and the result is the median of the differences with its 97 % interval. Fails if the median is above 5 us or, for
a run of more than 1 ms, above 1 % of the run.
"""

import ctypes
import os
import statistics
import subprocess
import sys
import time

import convoy
import numpy as np
import onnx_models

LIMIT_US = 5
SAMPLES = 41
INTERVAL = slice(13, 28)  # the 14th to the 28th of 41 differences enclose the median in 97 % of cases

LOOP = r"""
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>
typedef int32_t (*run_function)(const void *const *, void *const *, void *);
double loop(run_function run, const void *const *inputs, void *const *outputs, void *workspace, int64_t count) {
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int64_t i = 0; i < count; ++i) {
    if (run(inputs, outputs, workspace) != 0) { return -1; }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}
"""


def aligned(byte_count):
    memory = np.empty(byte_count + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start:start + max(byte_count, 1)]


def measure(name, model, path, loop):
    """Prints the times of a model; returns whether the difference is small enough."""
    rng = np.random.default_rng(0)
    feed = {tensor.name: rng.random(tensor.shape).astype(tensor.dtype) for tensor in model.inputs}
    results = [aligned(tensor.bytes) for tensor in model.outputs]
    inputs = (ctypes.c_void_p * len(feed))(*[feed[tensor.name].ctypes.data for tensor in model.inputs])
    outputs = (ctypes.c_void_p * len(results))(*[result.ctypes.data for result in results])
    workspace = aligned(model.workspace_bytes)
    function = getattr(ctypes.CDLL(path), model.name + "_run")

    def in_c(count):
        seconds = loop(function, inputs, outputs, workspace.ctypes.data, count)
        assert seconds > 0, "the run in C failed"
        return seconds / count * 1e6

    def in_python(count):
        run = model.run
        begin = time.perf_counter()
        for _ in range(count):
            run(feed)
        return (time.perf_counter() - begin) / count * 1e6

    in_python(1)
    count = max(3, int(20e3 / in_c(3)))
    pairs = []
    for sample in range(SAMPLES):
        first, second = (in_c, in_python) if sample % 2 == 0 else (in_python, in_c)
        times = {function: function(count) for function in (first, second)}
        pairs.append((times[in_c], times[in_python]))
    c_us = statistics.median(c for c, _ in pairs)
    differences = sorted(python - c for c, python in pairs)
    difference = statistics.median(differences)
    interval = differences[INTERVAL]
    print(f"{name}: C {c_us:.2f} us, Model.run {statistics.median(p for _, p in pairs):.2f} us, "
          f"difference {difference:.2f} us, interval {interval[0]:.2f} to {interval[-1]:.2f} us "
          f"({SAMPLES} pairs of {count} runs)")
    return difference <= max(LIMIT_US, c_us / 100 if c_us > 1000 else 0)


def main():
    folder, compiler, *paths = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    source, library = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(LOOP)
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    loop = ctypes.CDLL(library).loop
    loop.restype = ctypes.c_double
    loop.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_int64]
    is_small = True
    for model in paths or [onnx_models.convolution(channels=8, size=14, layers=2)]:
        compiled = convoy.compile(model, threads=1)
        name = os.path.basename(model) if isinstance(model, str) else "small network"
        saved = compiled.save(folder)
        is_small &= measure(name, convoy.load(saved), saved, loop)
    sys.exit(0 if is_small else f"FAILED: Model.run costs more than {LIMIT_US} us over the call in C")


main()
