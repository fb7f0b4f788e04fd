#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the predicted with the measured time of each kernel of networks of the zoo, on one thread. Prints each
kernel, then the kernels whose prediction is outside of 0.5 to 2 times the measured time, the generic loops above
1 % of the measured time with the reason why no template computes them, and the prediction by class of kernel.
Needs a build of the preset `release`; run it on an idle machine.

  predictions.py [--folder DIR] [--least SHARE] [NAME...]     (default: all networks of build/zoo)
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from zoo import results  # noqa: E402


# A kernel is named after its convolution, product, reduction or pool, otherwise after its last op, for example one of these.
LAST_OPS = {"activation", "binary", "cast", "concat", "expand", "gather", "gather_elements", "gather_nd", "pad", "reverse",
            "select", "slice", "split", "tile", "transpose", "unary"}
NO_LOOP = "it has no convolution, product, reduction or pool: element-wise ops and moves of elements have no template"


def reason_of(kernel, counts):
    """Returns why no template computes a kernel: of the reasons of the templates, the one that the fewest kernels of
    the network have says the most."""
    if kernel["kernel"].rpartition("_")[0] in LAST_OPS:
        return NO_LOOP
    reasons = [refusal["reason"] for refusal in kernel.get("refusals", [])]
    rare = sorted(reasons, key=lambda reason: (not reason.startswith("estimated"), counts[reason]))
    return rare[0] if rare else "no reason is known"


def ops_of(nodes):
    """Returns the operators of a kernel: "'c1' (Conv) + 'r1' (Relu)" has Conv and Relu."""
    return sorted({part.split(")")[0] for part in nodes.split(" (")[1:]})


def class_of(row):
    """Returns the class of a kernel: its template, for generic loops also the operators."""
    return row["template"] if row["template"] != "loops" else "loops " + "+".join(ops_of(row["nodes"]))


def compared(layers, kernels):
    """Joins the rows of `convoy bench --layers` with the kernels of `convoy explain`: one row for all calls of a
    kernel, longest time first."""
    total = sum(row["ms"] for row in layers)
    counts = collections.Counter(refusal["reason"] for kernel in kernels for refusal in kernel.get("refusals", []))
    calls = {}
    for row in layers:
        if row["ms"] > 0:  # the other side of an If does not run
            calls.setdefault(row["kernel"], []).append(row)
    rows = []
    for kernel in {kernel["kernel"]: kernel for kernel in kernels}.values():
        own = calls.get(kernel["kernel"], [])
        ms = sum(row["ms"] for row in own)
        if own:
            rows.append({"kernel": kernel["kernel"], "nodes": own[0]["nodes"], "template": own[0]["template"], "calls": len(own),
                         "us": 1e3 * ms, "share": ms / total, "ratio": len(own) * kernel["predicted_ns"] / (1e6 * ms),
                         "reason": reason_of(kernel, counts)})
    return sorted(rows, key=lambda row: -row["us"])


def is_outside(row):
    return not results.MOST_UNDER <= row["ratio"] <= results.MOST_OVER


def line(row):
    return (f"{100 * row['share']:5.1f} % {row['us']:10.2f} us in {row['calls']:2}  predicted {row['ratio']:6.2f}  "
            f"{row['template']:14}{row['kernel']}: {row['nodes'][:100]}")


def network_lines(name, rows, least):
    """Returns the lines of one network: its kernels above `least` of the measured time, and its conclusions."""
    measured = sum(row["us"] for row in rows)
    predicted = sum(row["us"] * row["ratio"] for row in rows)
    lines = [f"{name}: {len(rows)} kernels, {measured / 1e3:.3f} ms, predicted {predicted / max(measured, 1e-9):.2f}"]
    lines += ["  " + line(row) for row in rows if row["share"] >= least]
    for row in rows:
        if row["share"] > results.LISTED_SHARE and is_outside(row):
            lines.append(f"  outside: {row['kernel']} ({class_of(row)}), predicted {row['ratio']:.2f} of the measured time")
        if row["share"] > results.LISTED_SHARE and row["template"] == "loops":
            lines.append(f"  generic loops: {100 * row['share']:.1f} % {row['kernel']}: {row['reason']}")
    return lines


def class_lines(rows):
    """Returns one line for each class of kernel, longest time first."""
    classes = {}
    for row in rows:
        classes.setdefault(class_of(row), []).append(row)
    lines = []
    for name, members in sorted(classes.items(), key=lambda item: -sum(row["us"] for row in item[1])):
        measured = sum(row["us"] for row in members)
        predicted = sum(row["us"] * row["ratio"] for row in members)
        outside = sum(is_outside(row) for row in members)
        mean = results.mean([max(row["ratio"], 1e-9) for row in members])
        lines.append(f"{measured:12.1f} us {len(members):4} kernels, predicted {predicted / measured:6.2f}, geometric mean "
                     f"{mean:6.2f}, {outside} outside: {name}")
    return lines


def measured_rows(convoy, path, threads="1"):
    """Runs convoy on a network; returns the joined rows."""
    with tempfile.TemporaryDirectory() as folder:
        rows_path = os.path.join(folder, "rows.json")
        subprocess.run([convoy, "bench", path, "--layers", "--threads", threads, "--quiet", f"--json={rows_path}"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(rows_path, encoding="utf-8") as file:
            layers = json.load(file)
    explained = subprocess.run([convoy, "explain", path, "--threads", threads, "--quiet", "--json"], check=True,
                               stdout=subprocess.PIPE, text=True)
    return compared(layers, json.loads(explained.stdout)["kernels"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "zoo"), help="networks (default: build/zoo)")
    parser.add_argument("--convoy", default=os.path.join(ROOT, "build", "release", "bin", "convoy"))
    parser.add_argument("--least", type=float, default=0.0, help="least share of a kernel that is printed (default: 0)")
    options = parser.parse_args()
    names = options.names or sorted(name[:-5] for name in os.listdir(options.folder) if name.endswith(".onnx"))
    every = []
    for name in names:
        try:
            rows = measured_rows(options.convoy, os.path.join(options.folder, name + ".onnx"))
        except (subprocess.CalledProcessError, OSError, ValueError) as failure:
            print(f"{name}: not measured: {failure}", flush=True)
            continue
        print("\n".join(network_lines(name, rows, options.least)), flush=True)
        every += rows
    print("\n".join(["classes:", *class_lines(every)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
