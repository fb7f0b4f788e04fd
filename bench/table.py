#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the JSON of `convoy bench --against` as a Markdown table, with the details that
are needed to judge or repeat the measurement.

  table.py RESULTS.json
"""

import datetime
import json
import math
import os
import sys


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def peak(rows, threads):
    values = sorted(row["peak_gflops"] for row in rows if row["threads"] == threads)
    return values[len(values) // 2]


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def line(row):
    remarks = "" if row["right"] else " WRONG RESULT"
    if row["convoy_threads"] < row["threads"]:
        remarks += f" (convoy on {row['convoy_threads']})"
    return (f"| {row['model']} | {row['threads']}{remarks} | {row['convoy_ms']:.3g} | {row['peer_ms']:.3g} "
            f"| {row['ratio']:.3f} ({row['ratio_low']:.3f} to {row['ratio_high']:.3f}) | {row['gflops']:.1f} "
            f"| {100 * row['peak_share']:.0f} % | {row['load_ms']:.2f} / {row['peer_load_ms']:.0f} "
            f"| {row['rss_mb']:.0f} / {row['peer_rss_mb']:.0f} |")


def numbers(rows):
    kinds = {"int8 (QDQ)" if row["model"].endswith("_int8") else "fp32" for row in rows}
    return " and ".join(sorted(kinds))


def table(rows):
    counts = sorted({row["threads"] for row in rows})
    peaks = ", ".join(f"{peak(rows, threads):.0f} GFLOP/s on {threads}" for threads in counts)
    lines = [
        f"Measured {datetime.date.today().isoformat()} on {cpu_name()}, {os.cpu_count()} cores, with `bench/run.sh`. "
        f"{numbers(rows)}, batch 1; the peer is ONNX Runtime 1.30. Medians of alternating runs; FMA peak in the same runs: "
        f"{peaks}.", "",
        "| model | threads | Convoy ms | ONNX Runtime ms | ratio (95 %) | GFLOP/s | of peak | load ms | peak RSS MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [line(row) for row in rows]
    for threads in counts:
        ratios = [row["ratio"] for row in rows if row["threads"] == threads and row["right"]]
        if ratios:
            lines.append(f"| geometric mean | {threads} | | | {geometric_mean(ratios):.3f} | | | | |")
    return "\n".join(lines)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: table.py RESULTS.json")
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = json.load(file)
    if not rows or any(row["peer_ms"] is None for row in rows):
        sys.exit(f"table: '{sys.argv[1]}' is not from `convoy bench --against onnxruntime`")
    print(table(rows))


if __name__ == "__main__":
    main()
