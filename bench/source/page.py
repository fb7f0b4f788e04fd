# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/benchmarks/source.md from docs/benchmarks/source.json, which
bench/source/measure --save writes. scripts/diagrams/benchmarks.py calls `text`."""

FILE = "source.json"
# The largest ratio of emitted C to the library that is not a miss, by the start of the compiler's name.
LIMITS = {"clang": 1.5, "gcc": 2.0}
# Results at a larger relative L2 distance differ. Sums in another order differ by about 1e-6.
AGREES = 1e-4


def limit_of(compiler):
    return next((limit for name, limit in LIMITS.items() if compiler.startswith(name)), 2.0)


def text(measured):
    """The conditions and the table, in Markdown."""
    note = f" {measured['note']}" if "note" in measured else ""
    versions = " and ".join(measured["versions"].values())
    flags = sorted({record["compiler_flags"] for record in measured["rows"] if "compiler_flags" in record})
    head = (f"Measured {measured['date']} at commit {measured['commit']} on {measured['machine']} ({measured['cpu']}), one thread, "
            f"with `{measured['command']}`. Compilers: {versions}. Flags: {', '.join(f'`{one}`' for one in flags)}.{note}")
    return "\n".join([head, "", *rows_of(measured["rows"]), *misses(measured["rows"])]) + "\n"


def compilers_of(records):
    return list(dict.fromkeys(name for record in records for name in record["compilers"]))


def cell(record, compiler):
    row = record["compilers"].get(compiler)
    if row is None:
        return ""
    wrong = "" if row["distance"] <= AGREES else ", DIFFERS"
    return f"{row['ms']:.3g} ms, {row['ratio']:.2f} ({row['ratio_low']:.2f} to {row['ratio_high']:.2f}){wrong}"


def rows_of(records):
    names = compilers_of(records)
    heads = "".join(f" {name} | compile, CPU s |" for name in names)
    lines = [f"| class | network | library |{heads}", "|" + "---|" * (3 + 2 * len(names))]
    for record in records:
        if record["reason"]:
            lines.append(f"| {record['class']} | {record['model']} | {record['reason'].replace('|', '/')} |" + " |" * 2 * len(names))
            continue
        cells = "".join(f" {cell(record, name)} | {record['compilers'][name]['compile_cpu_s']:.1f} |" if name in record["compilers"]
                        else " | |" for name in names)
        lines.append(f"| {record['class']} | {record['model']} | {record['library_ms']:.3g} ms |{cells}")
    return lines


def misses(records):
    """One item per compiler: the networks above its limit."""
    lines = [""]
    for compiler in compilers_of(records):
        rows = [(record["model"], record["compilers"][compiler]["ratio"]) for record in records if compiler in record["compilers"]]
        slow = sorted((row for row in rows if row[1] > limit_of(compiler)), key=lambda row: -row[1])
        names = ", ".join(f"{name} ({ratio:.2f})" for name, ratio in slow) or "no network"
        lines.append(f"- {compiler}: {len(rows) - len(slow)} of {len(rows)} networks take at most {limit_of(compiler):g} times the time "
                     f"of the library. Above the limit: {names}.")
    return lines
