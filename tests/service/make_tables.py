#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts measured spaces (bench/tuning/tables/*.csv.gz) to the table of emulated devices.

usage: make_tables.py OUTPUT.json TABLE.csv.gz...

The output maps the key of each task and the text of each configuration to seconds. A candidate
that failed has no entry; an emulated device reports it as a build error.
"""

import csv
import gzip
import hashlib
import json
import sys


def read_table(path):
    """Returns the key of the table's task and the seconds of each configuration."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header = json.loads(file.readline().removeprefix("# "))
        key = hashlib.sha256(header["task"].encode()).hexdigest()
        rows = {}
        for row in csv.DictReader(file):
            if row["seconds"]:
                fields = ("template", "version", "configuration", "input", "output")
                rows["|".join(row[field] for field in fields)] = float(row["seconds"])
    return key, rows


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tasks = dict(read_table(path) for path in sys.argv[2:])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"format": 1, "tasks": tasks}, file, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    main()
