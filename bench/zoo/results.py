# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and summarizes the records of bench/zoo/measure. A record is an object with `model`, `family`,
`commit` and `compiler` (of the compile: the commit, and a hash of the sources of the compiler), `cpu` (the CPU
class), `file` (a hash), `failure` and `reason` (null if everything was measured),
`compile_cpu_s`, `kernels`, `predicted_ms`, `loops_share` (predicted), if the kernels were measured
`executed_predicted_ms` (of the kernels that ran), `measured_loops_share`, `loops` and `mispredicted`, and
`threads`: the rows of `convoy bench` by number of threads. page.py writes the page."""

import json
import math
import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import table  # noqa: E402

# What identifies a measurement. A network with an equal record is not measured again.
KEY = ("model", "file", "compiler", "cpu")
# Failures before the measurement: the network does not compile.
REFUSED = ("unsupported", "error", "bug", "out of memory", "compile timeout")
WRONG = "wrong result"
# A kernel below this share of the measured time is not listed.
LISTED_SHARE = 0.01
# Limits of predicted over measured time, beyond which a kernel is listed.
MOST_OVER, MOST_UNDER = 2, 0.5


def key_of(record):
    return tuple(record.get(name) for name in KEY)


def read(path):
    """Returns the records of a file with one JSON object per line. An interrupted run may leave the last
    line incomplete; this line is ignored."""
    records = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.endswith("\n"):
                    records.append(json.loads(line))
    return records


def rounded(value):
    """The value with five significant digits in each float, so that a stored measurement is readable."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def append(path, record):
    """Adds a line. If the file ends with an incomplete line, the record starts on a new line."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "a+b") as file:
        file.seek(0, os.SEEK_END)
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                drop_last_line(file)
        file.write((json.dumps(rounded(record)) + "\n").encode())


def drop_last_line(file):
    file.seek(0)
    kept = file.read().rpartition(b"\n")
    file.truncate(len(kept[0]) + len(kept[1]))


def newest(records, is_wanted):
    """Returns the last wanted record of each network, in the order of the families."""
    found = {record["model"]: record for record in records if is_wanted(record)}
    return sorted(found.values(), key=lambda record: (record["family"].lower(), record["model"]))


def is_compiled(record):
    return record["failure"] not in REFUSED


def rows(records):
    """The rows of all numbers of threads, in the form of table.py."""
    return [{"model": record["model"], "family": record["family"], "threads": int(threads), **row}
            for record in records for threads, row in record["threads"].items()]


def correct_rows(records):
    """The rows that count: the result agrees, and the peer is not slower than on fewer threads."""
    every = rows(records)
    return [row for row in every if row["right"] and not table.is_outlier(row, every)]


def mean(values):
    """The geometric mean."""
    return math.exp(sum(math.log(value) for value in values) / len(values))


def family_means(records):
    """Geometric mean of the ratios of each family, by number of threads."""
    ratios = {}
    for row in correct_rows(records):
        ratios.setdefault(row["threads"], {}).setdefault(row["family"], []).append(row["ratio"])
    return {threads: {family: mean(values) for family, values in families.items()}
            for threads, families in sorted(ratios.items())}


def overall_means(records):
    """Geometric mean over the families, by number of threads, so that a large family counts once."""
    return {threads: mean(list(families.values())) for threads, families in family_means(records).items()}


def slower(records, most=1.0):
    """The rows whose ratio is above `most`, slowest first."""
    return sorted((row for row in rows(records) if row["right"] and row["ratio"] > most),
                  key=lambda row: (row["threads"], -row["ratio"]))


def failures(records):
    """Number of networks by failure."""
    counts = {}
    for record in records:
        if record["failure"]:
            counts[record["failure"]] = counts.get(record["failure"], 0) + 1
    return dict(sorted(counts.items()))


def kernel_facts(kernels):
    """Returns the fields of a record that the rows of predictions.py determine."""
    listed = [row for row in kernels if row["share"] > LISTED_SHARE]
    return {
        "executed_predicted_ms": sum(row["us"] * row["ratio"] for row in kernels) / 1e3,
        "measured_loops_share": sum(row["share"] for row in kernels if row["template"] == "loops"),
        "loops": [{"kernel": row["kernel"], "share": row["share"], "nodes": row["nodes"][:120], "reason": row["reason"]}
                  for row in listed if row["template"] == "loops"],
        "mispredicted": [{"kernel": row["kernel"], "template": row["template"], "share": row["share"], "ratio": row["ratio"]}
                         for row in listed if not MOST_UNDER <= row["ratio"] <= MOST_OVER],
    }


def predicted_over_measured(record):
    """Predicted time of the kernels over the measured time of an inference on one thread, or None. Kernels of the other side
    of an If do not count if the kernels were measured."""
    row = record["threads"].get("1")
    predicted = record.get("executed_predicted_ms", record.get("predicted_ms"))
    return predicted / row["convoy_ms"] if row and predicted else None


def loops_share(record):
    """The share of generic loops: measured if the kernels were measured, else predicted."""
    return record.get("measured_loops_share", record.get("loops_share"))


def summary(records):
    """The lines that bench/zoo/measure prints at its end."""
    families = len({record["family"] for record in records})
    compiled = sum(is_compiled(record) for record in records)
    lines = [f"{len(records)} networks in {families} families; {compiled} compile without flags"]
    for failure, count in failures(records).items():
        lines.append(f"{failure}: {count}")
    for threads, value in overall_means(records).items():
        lines.append(f"geometric mean over families, {table_threads(threads)}: {value:.3f}")
    for row in slower(records):
        lines.append(f"above 1.0, {table_threads(row['threads'])}: {row['model']} {row['ratio']:.2f} "
                     f"({row['ratio_low']:.2f} to {row['ratio_high']:.2f})")
    loops = sum(len(record.get("loops", [])) for record in records)
    off = sum(len(record.get("mispredicted", [])) for record in records)
    measured = sum("loops" in record for record in records)
    lines.append(f"kernels above {100 * LISTED_SHARE:g} % of the time, in {measured} networks with measured kernels: {loops} "
                 f"generic loops; {off} predicted at less than {MOST_UNDER} or more than {MOST_OVER} times the measured time")
    return lines


def kernel_lines(records):
    """One line for each generic loop and each mispredicted kernel above LISTED_SHARE, largest share first."""
    lines = []
    for record in records:
        for row in sorted(record.get("loops", []), key=lambda row: -row["share"]):
            lines.append(f"{record['model']}: {100 * row['share']:.1f} % {row['kernel']}: generic loops: "
                         f"{row['nodes']}: {row['reason']}")
        for row in sorted(record.get("mispredicted", []), key=lambda row: -row["share"]):
            lines.append(f"{record['model']}: {100 * row['share']:.1f} % {row['kernel']} ({row['template']}): "
                         f"predicted {row['ratio']:.2f} of the measured time")
    return lines


def table_threads(threads):
    return f"{threads} thread" + ("s" if threads > 1 else "")
