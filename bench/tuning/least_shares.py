#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derives how much faster than N measured configurations the fastest one of a space can be.

usage: least_shares.py [--write] service/jobs/LeastShares.inc TABLE.csv.gz...

Draws N configurations of each measured space at random, many times, and takes the share `time of the
fastest of the space / time of the fastest drawn` that 95 % of the draws reach. The tuning service
warns with these shares of a latency that stored records make improbable. Without --write, the
program draws again with another seed and fails if a share of the file does not hold.
"""

import csv
import gzip
import pathlib
import random
import re
import sys

COUNTS = (1, 2, 4, 8, 16, 32, 64, 100, 200)
DRAWS = 1000  # of each table
RARE = 0.05  # the share of the draws that may be below
TOLERANCE = 0.01  # of the share of the draws, in the test
LOOSENESS = 0.03  # the most that a share of the file may be below the drawn one, in the test
HEADER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by bench/tuning/least_shares.py: measured configurations, share. The sources are the measured
// spaces with at least twice as many configurations.

"""


def read_times(path):
    """Returns the seconds of the configurations of a table that ran."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [float(row["seconds"]) for row in rows if row["seconds"]]


def draw(tables, count, seed):
    """Returns the shares of all draws of `count` configurations, sorted."""
    rng = random.Random(seed)
    shares = []
    for times in tables:
        if len(times) >= 2 * count:
            best = min(times)
            shares += [best / min(rng.sample(times, count)) for _ in range(DRAWS)]
    return sorted(shares)


def check(path, tables):
    """Returns the problems of a file."""
    rows = re.findall(r"^\{(\d+), ([\d.]+)\},$", path.read_text(encoding="utf-8"), re.M)
    problems = [] if [int(row[0]) for row in rows] == list(COUNTS) else [f"expected rows of {COUNTS}"]
    for count, share in ((int(row[0]), float(row[1])) for row in rows):
        shares = draw(tables, count, seed=2)
        below = sum(1 for one in shares if one < share) / len(shares)
        usual = shares[int(RARE * len(shares))]
        print(f"{count:4} configurations: the file has {share:.2f}, {below:.1%} of {len(shares)} draws are below")
        if below > RARE + TOLERANCE or usual - share > LOOSENESS:
            problems.append(f"{count} configurations: expected {usual:.2f}, found {share:.2f}")
    return problems


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    if len(words) < 2:
        sys.exit(__doc__)
    path, tables = pathlib.Path(words[0]), [read_times(word) for word in words[1:]]
    if "--write" in sys.argv:
        lines = []
        for count in COUNTS:
            shares = draw(tables, count, seed=1)
            lines.append(f"{{{count}, {int(100 * shares[int(RARE * len(shares))]) / 100:.2f}}},\n")
        path.write_text(HEADER + "".join(lines), encoding="utf-8")
        return
    problems = check(path, tables)
    if problems:
        sys.exit("\n".join(problems) + f"\nto derive the shares again: least_shares.py --write {path} TABLES")


if __name__ == "__main__":
    main()
