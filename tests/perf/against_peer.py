# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `convoy bench --baseline onnxruntime` with the real peer and checks that both programs give
the same result and that the figures are plausible.

  against_peer.py CONVOY MAKE_MODELS SCRATCH

If the peer is not installed, the test prints how to install it and is skipped.
"""

import json
import os
import subprocess
import sys

MODELS = ["mnist_cnn", "squeezenet"]
SAMPLES = "10"


def problems(row, cores):
    """Returns the implausible figures of one row."""
    found = []

    def expect(holds, what):
        if not holds:
            found.append(f"{row['model']} on {row['threads']} threads: {what}: {json.dumps(row)}")

    expect(row["right"] and row["relative_error"] < 1e-3, "the outputs of convoy and the peer differ")
    expect(row["ratio_low"] <= row["ratio"] <= row["ratio_high"], "the ratio is outside of its interval")
    expect(abs(row["ratio"] - row["convoy_ms"] / row["peer_ms"]) < 1e-6 * row["ratio"],
           "the ratio is not convoy_ms / peer_ms")
    expect(0 < row["peak_share"] < 2, "the share of the peak is implausible")
    # Bounds for the slowest and fastest current cores, with a margin for a busy machine.
    expect(1 < row["peak_gflops"] / row["threads"] < 1000, "the peak is implausible")
    expect(0 < row["load_ms"] < row["peer_load_ms"],
           "convoy loads a library more slowly than the peer creates a session")
    expect(1 < row["rss_mb"] < row["peer_rss_mb"], "convoy needs more memory than the peer")
    expect(row["threads"] <= cores, "more threads than cores")
    return found


def main():
    convoy, make_models, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    subprocess.run([sys.executable, make_models, scratch, *MODELS], check=True)
    results = os.path.join(scratch, "results.json")
    cores = len(os.sched_getaffinity(0))
    counts = ["1", "2"] if cores > 1 else ["1"]
    done = subprocess.run([convoy, "bench", *[os.path.join(scratch, name + ".onnx") for name in MODELS], "--baseline",
                           "onnxruntime", "--threads", ",".join(counts), "--repetitions", SAMPLES,
                           f"--json={results}"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "scripts/install-deps.sh --bench" in done.stderr:
        print("skipped: needs the peer: scripts/install-deps.sh --bench")
        return 77
    print(done.stdout + done.stderr)
    if done.returncode != 0:
        return 1
    with open(results, encoding="utf-8") as file:
        rows = json.load(file)
    found = [problem for row in rows for problem in problems(row, cores)]
    if [(row["model"], row["threads"]) for row in rows] != [(name, int(count)) for name in MODELS for count in counts]:
        found.append("rows are missing or in a different order")
    print("\n".join(found) or "all figures are plausible")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
