# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/benchmarks/zoo.md from docs/benchmarks/zoo.json, which bench/zoo/measure --save
writes. scripts/diagrams/benchmarks.py calls `text` for scripts/generate-docs.sh."""

from zoo import results

FILE = "zoo.json"


def text(measured):
    """The conditions, the summary and one row for each network, in Markdown."""
    records = measured["rows"]
    return "\n".join([conditions(measured), "", *bullets(records), "", *rows_of(records), *failed(records), *loops_of(records)]) + "\n"


def conditions(measured):
    low, high = (pick(record["load"] for record in measured["rows"]) for pick in (min, max))
    note = f" {measured['note']}" if "note" in measured else ""
    if any(row.get("clock") == "cpu" for record in measured["rows"] for row in record["threads"].values()):
        note = " Other programs used the machine: the ratios on one thread are ratios of CPU times of the thread." + note
    others = sorted({record["commit"] for record in measured["rows"]} - {measured["commit"]})
    if others:
        note = f" The libraries were compiled at commit {' and '.join(others)}." + note
    return (f"Measured {measured['date']} at commit {measured['commit']} on {measured['machine']} ({measured['cpu']}), "
            f"{measured['cores']} cores, with `{measured['command']}`. The baseline is {measured['peer']}. The load of the machine "
            f"before a network was {low:.1f} to {high:.1f}.{note}")


def bullets(records):
    families = len({record["family"] for record in records})
    compiled = sum(results.is_compiled(record) for record in records)
    failures = ", ".join(f"{name}: {count}" for name, count in results.failures(records).items()) or "none"
    lines = [f"- {len(records)} networks in {families} families; {compiled} compile without flags. Failures: {failures}."]
    for threads, mean in results.overall_means(records).items():
        slow = [row for row in results.slower(records) if row["threads"] == threads]
        names = ", ".join(f"{row['model']} ({row['ratio']:.2f})" for row in slow) or "none"
        lines.append(f"- {results.table_threads(threads)}: geometric mean over families {mean:.3f}; above 1: {names}.")
    kernels = [row for record in records for row in record.get("loops", [])]
    measured = sum("loops" in record for record in records)
    if measured:
        lines.append(f"- {len(kernels)} kernels in generic loops take more than {100 * results.LISTED_SHARE:g} % of the measured time "
                     f"of their network, in {measured} networks with measured kernels.")
    return lines


def ratio_text(record, threads):
    row = record["threads"].get(threads)
    if row is None:
        return ""
    return f"{row['ratio']:.2f} ({row['ratio_low']:.2f} to {row['ratio_high']:.2f})"


def loops_text(record):
    """The share of generic loops, and whether it is only predicted."""
    share = results.loops_share(record)
    if share is None:
        return ""
    return f"{100 * share:.0f} %" + ("" if "measured_loops_share" in record else " predicted")


def agreement(record):
    errors = [row["relative_error"] for row in record["threads"].values()]
    if not errors:
        return record["failure"] or ""
    is_right = all(row["right"] for row in record["threads"].values())
    return ("agrees" if is_right else "WRONG RESULT") + f", {max(errors):.1g}"


def rows_of(records):
    """The table of the networks that compile."""
    threads = sorted({threads for record in records for threads in record["threads"]}, key=int)
    ratios = " | ".join(f"ratio, {results.table_threads(int(count))} (95 %)" for count in threads)
    lines = [f"| family | network | compile, CPU s | result, relative L2 |{' ' + ratios + ' |' if threads else ''} "
             "generic loops | predicted / measured |", "|" + "---|" * (6 + len(threads))]
    for record in filter(results.is_compiled, records):
        predicted = results.predicted_over_measured(record)
        cells = [record["family"], record["model"], f"{record['compile_cpu_s']:.1f}", agreement(record),
                 *[ratio_text(record, count) for count in threads], loops_text(record),
                 "" if predicted is None else f"{predicted:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def failed(records):
    """The table of the failures, with the text of the error."""
    if not any(record["failure"] for record in records):
        return []
    lines = ["", "| family | network | failure | text |", "|---|---|---|---|"]
    for record in records:
        if record["failure"]:
            reason = (record["reason"] or "").replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| {record['family']} | {record['model']} | {record['failure']} | {reason} |")
    return lines


def loops_of(records):
    """The table of the generic loops that take a measurable share of the time of their network, with the reason why no
    template computes them."""
    rows = [(record["model"], row) for record in records for row in sorted(record.get("loops", []), key=lambda row: -row["share"])]
    if not rows:
        return []
    lines = ["", f"Generic loops above {100 * results.LISTED_SHARE:g} % of the measured time of their network:", "",
             "| network | share | nodes | reason |", "|---|---|---|---|"]
    for name, row in rows:
        nodes, reason = (text.replace("|", "\\|").replace("<", "&lt;") for text in (row["nodes"], row["reason"]))
        lines.append(f"| {name} | {100 * row['share']:.1f} % | {nodes} | {reason} |")
    return lines
