# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the cost of --trace and how much of an inference its events explain.

  overhead.py CONVOY SCRATCH MODEL...

`convoy bench --trace` measures the library with probes and the library without probes in turn. The
table has a row for each model on one and on two threads: the time without probes, the overhead with
its 95 % interval, and the smallest and the largest sum of the events of a core, relative to the
inference in the trace. The test fails if the overhead is certainly above 2 %, that is, the whole
interval is above, or if a sum differs from the inference by more than 3 %.
"""

import json
import os
import subprocess
import sys

import check_trace

MAX_OVERHEAD = 0.02
MAX_MISSING = 0.03


def trace_of(convoy, scratch, model, threads):
    path = os.path.join(scratch, "trace.json")
    subprocess.run([convoy, "bench", model, "--threads", threads, "--repetitions", "600", "--trace", path], check=True,
                   stdout=subprocess.PIPE)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    convoy, scratch, *models = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    threads = ["1", "2"] if len(os.sched_getaffinity(0)) > 1 else ["1"]
    print(f"{'inference':60} {'us':>10} {'overhead %':>10} {'95 % interval':>16} {'sums of cores':>15}")
    failed = []
    for model in models:
        for count in threads:
            trace = trace_of(convoy, scratch, model, count)
            failed += [f"{model}: {text}" for text in check_trace.problems_of(trace)]
            facts = next(event["args"] for event in trace["traceEvents"] if event.get("cat") == "inference")
            shares = [total / run for _, _, total, run in check_trace.core_sums(trace)]
            name = check_trace.names_of(trace)[1][1]
            print(f"{name:60} {facts['without_trace_us']:10.1f} {100 * facts['overhead']:10.2f} "
                  f"{100 * facts['overhead_low']:7.2f} .. {100 * facts['overhead_high']:5.2f} "
                  f"{min(shares):7.4f} {max(shares):7.4f}")
            if facts["overhead_low"] > MAX_OVERHEAD:
                failed.append(f"{name}: tracing costs {100 * facts['overhead']:.2f} %")
            if max(abs(share - 1) for share in shares) > MAX_MISSING:
                failed.append(f"{name}: the events of a core sum up to {min(shares):.4f} of the inference")
    sys.exit("\n".join(f"FAIL  {text}" for text in failed) if failed else 0)


if __name__ == "__main__":
    main()
