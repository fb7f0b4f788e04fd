# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles large models and checks that time and memory stay within bounds.

    run.py --tool build/release/bin/convoy growth 1000 10000   # time per node must not grow
    run.py --tool build/release/bin/convoy weights 2           # GiB of external weights

The limit is for anonymous memory, which the compiler allocates. Pages of the mapped model file and
of the result do not count, because the kernel can evict them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import make_models

GIB = 1 << 30
# A sort may cost n log n. More growth indicates a pass that compares all pairs.
MAX_GROWTH_PER_TENFOLD = 12
MAX_SECONDS_PER_NODE = 60 / 10000
MEMORY_FACTOR, MEMORY_SLACK = 1.5, GIB


def anonymous_bytes(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Measured:
    def __init__(self, tool, model, folder):
        begin = time.monotonic()
        before = os.times()
        process = subprocess.Popen([tool, "compile", model, "-o", folder],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.peak_bytes = 0
        while process.poll() is None:
            self.peak_bytes = max(self.peak_bytes, anonymous_bytes(process.pid))
            time.sleep(0.005)
        self.seconds = time.monotonic() - begin
        after = os.times()
        # Measures processor time of the child, which a busy machine does not increase.
        self.busy = (after.children_user - before.children_user +
                     after.children_system - before.children_system)
        if process.returncode != 0:
            print(process.stdout.read().decode())
            sys.exit(f"convoy compile ended with code {process.returncode}")

    def print(self, title):
        print(f"{title}: {self.seconds:.1f} s, {self.busy:.1f} s of processor time, "
              f"peak {self.peak_bytes / (1 << 20):.0f} MiB anonymous", flush=True)


def compile_nodes(tool, folder, count):
    model = os.path.join(folder, f"nodes{count}.onnx")
    make_models.make_nodes(model, count)
    measured = Measured(tool, model, os.path.join(folder, f"out{count}"))
    measured.print(f"{count} nodes")
    return measured, os.path.getsize(model)


def check(problems, condition, text):
    if not condition:
        problems.append(text)


def check_nodes(problems, measured, weight_bytes, count):
    bound = MAX_SECONDS_PER_NODE * count
    check(problems, measured.busy < bound,
          f"{count} nodes took {measured.busy:.1f} s of processor time, expected < {bound:.1f} s")
    check_memory(problems, measured, weight_bytes)


def check_memory(problems, measured, weight_bytes):
    bound = MEMORY_FACTOR * weight_bytes + MEMORY_SLACK
    check(problems, measured.peak_bytes < bound,
          f"peak anonymous memory {measured.peak_bytes / GIB:.2f} GiB, expected < "
          f"{bound / GIB:.2f} GiB for {weight_bytes / GIB:.2f} GiB of weights")


def run_growth(tool, folder, small, large, problems):
    first, first_bytes = compile_nodes(tool, folder, small)
    second, second_bytes = compile_nodes(tool, folder, large)
    check_nodes(problems, first, first_bytes, small)
    check_nodes(problems, second, second_bytes, large)
    growth, bound = second.busy / first.busy, MAX_GROWTH_PER_TENFOLD * large / small / 10
    print(f"growth: {growth:.1f}x")
    check(problems, growth <= bound, f"time grew {growth:.1f}x, expected at most {bound:.1f}x")


def run_weights(tool, folder, gibibytes, problems):
    model = os.path.join(folder, "weights.onnx")
    make_models.make_weights(model, gibibytes)
    weight_bytes = os.path.getsize(model + ".data")
    measured = Measured(tool, model, os.path.join(folder, "out"))
    measured.print(f"{weight_bytes / GIB:.2f} GiB of weights")
    check_memory(problems, measured, weight_bytes)
    written = sum(entry.stat().st_size for entry in os.scandir(os.path.join(folder, "out")))
    # Every weight has distinct bytes, so the result must contain all of them.
    check(problems, written >= weight_bytes,
          f"the result has {written} bytes, fewer than the weights")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("what", choices=["growth", "weights"])
    parser.add_argument("sizes", nargs="+", type=float)
    arguments = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        if arguments.what == "growth":
            small, large = (int(size) for size in arguments.sizes)
            run_growth(arguments.tool, folder, small, large, problems)
        else:
            run_weights(arguments.tool, folder, arguments.sizes[0], problems)
    for problem in problems:
        print("FAILED:", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
