# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`convoy bench --against onnxruntime` with the real peer: both compute the same,
and the figures are such as a machine can give.

  against_peer.py CONVOY MAKE_MODELS SCRATCH

Says what to install and is skipped when the peer is not there.
"""

import json
import os
import subprocess
import sys

MODELS = ["mnist_cnn", "squeezenet"]
SAMPLES = "10"


def problems(row, cores):
    """What cannot be, in one row."""
    found = []

    def expect(holds, what):
        if not holds:
            found.append(f"{row['model']} on {row['threads']} threads: {what}: {json.dumps(row)}")

    expect(row["right"] and row["relative_error"] < 1e-3, "the programs differ")
    expect(row["ratio_low"] <= row["ratio"] <= row["ratio_high"], "the ratio is outside of its interval")
    expect(abs(row["ratio"] - row["convoy_ms"] / row["peer_ms"]) < 1e-6 * row["ratio"], "the ratio is another")
    expect(0 < row["peak_share"] < 2, "the share of peak is odd")
    # The slowest and fastest cores of this decade, with room for a busy machine.
    expect(1 < row["peak_gflops"] / row["threads"] < 1000, "the peak is odd")
    expect(0 < row["load_ms"] < row["peer_load_ms"], "opening a library takes longer than making a session")
    expect(1 < row["rss_mb"] < row["peer_rss_mb"], "we need more memory than the peer")
    expect(row["threads"] <= cores, "more threads than cores")
    return found


def main():
    convoy, make_models, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    subprocess.run([sys.executable, make_models, scratch, *MODELS], check=True)
    results = os.path.join(scratch, "results.json")
    cores = len(os.sched_getaffinity(0))
    counts = ["1", "2"] if cores > 1 else ["1"]
    done = subprocess.run([convoy, "bench", *[os.path.join(scratch, name + ".onnx") for name in MODELS], "--against",
                           "onnxruntime", "--threads", ",".join(counts), "--samples", SAMPLES,
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
        found.append("rows are missing or in another order")
    print("\n".join(found) or "all figures are plausible")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
