#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the kernels that are generic loops and take more than 1 % of the time of their network,
from the JSON of `convoy bench --layers --json=FILE`.

  generic_loops.py FILE... [--share PERCENT] [--bandwidth PERCENT] [--of size|memory]

The column `of bandwidth` is the bytes of the kernel, each tensor once, divided by its time and by
the read bandwidth that the same run measured for a buffer of this size. `of memory` divides by the
bandwidth of the largest buffer. The exit code is 1 if a listed kernel reaches less than --bandwidth
(default: 60 %) of the bandwidth that --of selects (default: size).
"""

import argparse
import json
import sys


def rate(row):
    """GB/s of a kernel."""
    return row["mb"] / row["ms"] if row["ms"] > 0 else 0


def listed(rows, share):
    """Yields each kernel that is a generic loop and takes more than `share` of its network's time."""
    totals = {}
    for row in rows:
        key = row["model"], row["threads"]
        totals[key] = totals.get(key, 0) + row["ms"]
    for row in rows:
        part = row["ms"] / totals[row["model"], row["threads"]]
        if row["template"] == "loops" and part > share:
            yield {"model": row["model"], "threads": row["threads"], "kernel": row["kernel"], "nodes": row["nodes"],
                   "share": part, "gbs": rate(row), "of_bandwidth": rate(row) / row["read_gbs"],
                   "of_memory": rate(row) / row["memory_gbs"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--bandwidth", type=float, default=60)
    parser.add_argument("--of", choices=["size", "memory"], default="size")
    args = parser.parse_args()
    rows = []
    for path in args.files:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)
    if not rows or "template" not in rows[0] or "read_gbs" not in rows[0]:
        sys.exit(f"generic_loops: '{args.files[0]}' is not from `convoy bench --layers --json=FILE`")
    slow = 0
    print("| model | threads | kernel | share | GB/s | of bandwidth | of memory | nodes |\n|---|---|---|---|---|---|---|---|")
    for row in listed(rows, args.share / 100):
        reached = row["of_bandwidth"] if args.of == "size" else row["of_memory"]
        is_slow = 100 * reached < args.bandwidth
        slow += is_slow
        print(f"| {row['model']} | {row['threads']} | {row['kernel']}{' SLOW' if is_slow else ''} "
              f"| {100 * row['share']:.1f} % | {row['gbs']:.1f} | {100 * row['of_bandwidth']:.0f} % "
              f"| {100 * row['of_memory']:.0f} % | {row['nodes'][:80]} |")
    print(f"{slow} generic loops with more than {args.share:g} % of the time reach less than "
          f"{args.bandwidth:g} % of the bandwidth")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
