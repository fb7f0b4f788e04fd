# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`convoy bench --against onnxruntime` calls outputs right that only rounding moved.

  verdict.py CONVOY MODEL SCRATCH

MODEL is Moonshine's encoder: rounding alone moves its outputs by a few per cent. Skipped when the
peer is not there. tools/convoy/test/bench_test.cpp has wrong outputs.
"""

import json
import os
import subprocess
import sys


def bench(convoy, scratch, *arguments):
    results = os.path.join(scratch, "results.json")
    done = subprocess.run([convoy, "bench", *arguments, "--against", "onnxruntime", "--samples", "2",
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
    expect(done.returncode == 0 and row["right"], "a right result is called wrong", row)
    expect(row["relative_error"] > 1e-3, "the model is no example of rounding any more", row)
    expect(row["plain_error"] <= 2 * row["peer_own_error"] < 0.2, "the verdict is not by the rule", row)
    expect("onnxruntime from itself by" in done.stdout, "the table does not say why", row)
    print("the verdict is right")


if __name__ == "__main__":
    main()
