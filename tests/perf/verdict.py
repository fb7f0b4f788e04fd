# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that `convoy bench --baseline onnxruntime` accepts outputs that differ only by rounding.

  verdict.py CONVOY MODEL SCRATCH

MODEL is Moonshine's encoder: rounding alone changes its outputs by a few per cent. The test is
skipped if the peer is not installed. tools/convoy/test/bench_test.cpp tests wrong outputs.
"""

import json
import os
import subprocess
import sys


def bench(convoy, scratch, *arguments):
    results = os.path.join(scratch, "results.json")
    done = subprocess.run([convoy, "bench", *arguments, "--baseline", "onnxruntime", "--repetitions", "2",
                           f"--json={results}"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "scripts/install-deps.sh --bench" in done.stderr:
        print("skipped: needs the peer: scripts/install-deps.sh --bench")
        sys.exit(77)
    print(done.stdout + done.stderr)
    with open(results, encoding="utf-8") as file:
        return done, json.load(file)[0]


def expect(holds, what, row):
    if not holds:
        sys.exit(f"{what}: {json.dumps(row)}")


def main():
    convoy, model, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    done, row = bench(convoy, scratch, model, "--input-shape", "input_values:1x64000")
    expect(done.returncode == 0 and row["right"], "bench rejects a correct result", row)
    expect(row["relative_error"] > 1e-3, "the outputs differ too little to test the tolerance", row)
    expect(row["plain_error"] <= 2 * row["peer_own_error"] < 0.2,
           "the tolerance does not follow the peer's own error", row)
    expect("onnxruntime from itself by" in done.stdout, "the table does not show the peer's own error", row)
    print("ok    bench accepts outputs that differ by rounding")


if __name__ == "__main__":
    main()
