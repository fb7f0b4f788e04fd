#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the JSON of `convoy bench --baseline` as a Markdown table with date, machine and
command. With --save it also writes the measurement to a file of docs/benchmarks/;
scripts/generate-docs.sh then updates the page and the charts.

  table.py RESULTS.json... [--command TEXT] [--join FILE] [--save docs/benchmarks/int8.json] [--note TEXT]

A measurement is an object with date, machine, cores, peer, command, numbers,
peak_gflops by number of threads, and rows: the fields of `convoy bench --json`
that the table shows. --note adds a sentence on the conditions of the run.
Several results make one table; --join also writes them to one file.
"""

import argparse
import datetime
import json
import math
import os
import sys

# A column: heading, the fields that it needs, its text.
COLUMNS = [
    ("model", ["model"], lambda row: row["model"]),
    ("threads", ["threads"], lambda row: str(row["threads"]) + remarks(row)),
    ("Convoy ms", ["convoy_ms"], lambda row: f"{row['convoy_ms']:.3g}"),
    ("ONNX Runtime ms", ["peer_ms"], lambda row: f"{row['peer_ms']:.3g}"),
    ("ratio (95 %)", ["ratio", "ratio_low", "ratio_high"],
     lambda row: f"{row['ratio']:.3f} ({row['ratio_low']:.3f} to {row['ratio_high']:.3f})"),
    ("GFLOP/s", ["gflops"], lambda row: f"{row['gflops']:.1f}"),
    ("limit ms (FMA / weights)", ["compute_limit_ms", "weights_limit_ms"],
     lambda row: f"{row['compute_limit_ms']:.3g} / {row['weights_limit_ms']:.3g}"),
    ("of peak", ["peak_share"], lambda row: f"{100 * row['peak_share']:.0f} %"),
    ("load ms", ["load_ms", "peer_load_ms"], lambda row: f"{row['load_ms']:.2f} / {row['peer_load_ms']:.0f}"),
    ("peak RSS MB", ["rss_mb", "peer_rss_mb"], lambda row: f"{row['rss_mb']:.0f} / {row['peer_rss_mb']:.0f}"),
]
KEPT = [field for _, fields, _ in COLUMNS for field in fields] + ["right", "convoy_threads"]


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def remarks(row):
    text = "" if row.get("right", True) else " WRONG RESULT"
    if row.get("convoy_threads", row["threads"]) < row["threads"]:
        text += f" (convoy on {row['convoy_threads']})"
    return text


def peaks(rows):
    """The median FMA peak of the rows of each number of threads."""
    found = {}
    for threads in sorted({row["threads"] for row in rows}):
        values = sorted(row["peak_gflops"] for row in rows if row["threads"] == threads)
        found[str(threads)] = round(values[len(values) // 2])
    return found


def kind(model):
    """How a network computes, by its name."""
    if "_dynint8" in model or model.endswith("_dynamic_int8"):
        return "int8 (dynamic)"
    return "int8 (QDQ)" if model.endswith("_int8") else "fp32"


def measurement(rows, command):
    kinds = {kind(row["model"]) for row in rows}
    return {"date": datetime.date.today().isoformat(), "machine": cpu_name(), "cores": os.cpu_count(),
            "peer": "ONNX Runtime 1.30", "command": command, "numbers": " and ".join(sorted(kinds)),
            "peak_gflops": peaks(rows), "rows": [{key: row[key] for key in KEPT if key in row} for row in rows]}


def is_outlier(row, rows):
    """Whether the peer is slower than on fewer threads, which makes the ratio too good."""
    return any(other["model"] == row["model"] and other["threads"] < row["threads"] and other["peer_ms"] < row["peer_ms"]
               for other in rows)


def outliers(measured):
    """Names the rows that are not in the mean, as a sentence, or returns ""."""
    rows = [row for row in measured["rows"] if is_outlier(row, measured["rows"])]
    names = " and ".join(f"{row['model']} on {row['threads']} threads" for row in rows)
    return f" The mean leaves out {names}, where {measured['peer']} was slower than on fewer threads." if rows else ""


def geometric_means(measured):
    """Mean ratio of the right rows, by number of threads."""
    means = {}
    for threads in sorted({row["threads"] for row in measured["rows"]}):
        ratios = [row["ratio"] for row in measured["rows"]
                  if row["threads"] == threads and row.get("right", True) and not is_outlier(row, measured["rows"])]
        if ratios:
            means[threads] = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
    return means


def page(measured):
    """The heading lines and the table, in Markdown."""
    rows = measured["rows"]
    peak = ", ".join(f"{value} GFLOP/s on {threads}" for threads, value in measured.get("peak_gflops", {}).items())
    peak = f" FMA peak in the same runs, by threads: {peak}." if peak else ""
    columns = [column for column in COLUMNS if all(field in row for row in rows for field in column[1])]
    lines = [
        f"Measured {measured['date']} on {measured['machine']}, {measured['cores']} cores, with `{measured['command']}`. "
        f"{measured['numbers']}, batch 1. The baseline is {measured['peer']}. Times are medians of alternating runs.{peak}{outliers(measured)}"
        + (f" {measured['note']}" if "note" in measured else ""), "",
        "| " + " | ".join(column[0] for column in columns) + " |", "|" + "---|" * len(columns),
    ]
    lines += ["| " + " | ".join(column[2](row) for column in columns) + " |" for row in rows]
    for threads, mean in geometric_means(measured).items():
        lines.append(f"| geometric mean | {threads} | | | {mean:.3f} |" + " |" * (len(columns) - 5))
    return "\n".join(lines) + "\n"


def to_json(measured):
    """One line for each row, so that a new measurement is a readable change."""
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in measured.items() if key != "rows")
    return "{\n" + head + ' "rows": [\n' + ",\n".join("  " + json.dumps(row) for row in measured["rows"]) + "\n ]\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+")
    parser.add_argument("--command", default="bench/run.sh")
    parser.add_argument("--join")
    parser.add_argument("--save")
    parser.add_argument("--note")
    args = parser.parse_args()
    rows = []
    for path in args.results:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)
        if not rows or any(row["peer_ms"] is None for row in rows):
            sys.exit(f"table: '{path}' is not from `convoy bench --baseline onnxruntime`")
    if args.join:
        with open(args.join, "w", encoding="utf-8") as file:
            file.write(json.dumps(rows, indent=2) + "\n")
    measured = measurement(rows, args.command)
    if args.note:
        measured["note"] = args.note
    print(page(measured), end="")
    if args.save:
        with open(args.save, "w", encoding="utf-8") as file:
            file.write(to_json(measured))


if __name__ == "__main__":
    main()
