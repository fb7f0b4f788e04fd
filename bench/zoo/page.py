# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/benchmarks/zoo.md from docs/benchmarks/zoo.json, which bench/zoo/measure --save
writes. scripts/diagrams/benchmarks.py calls `text` for scripts/generate-docs.sh."""

from zoo import results

FILE = "zoo.json"


def text(measured):
    """The conditions, the summary and one row for each network, in Markdown."""
    records = measured["rows"]
    return "\n".join([conditions(measured), "", *bullets(records), "", *rows_of(records), *failed(records)]) + "\n"


def conditions(measured):
    low, high = (pick(record["load"] for record in measured["rows"]) for pick in (min, max))
    note = f" {measured['note']}" if "note" in measured else ""
    return (f"Measured {measured['date']} at commit {measured['commit']} on {measured['machine']} ({measured['cpu']}), "
            f"{measured['cores']} cores, with `{measured['command']}`. The peer is {measured['peer']}. The load of the machine "
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
    return lines


def ratio_text(record, threads):
    row = record["threads"].get(threads)
    if row is None:
        return ""
    return f"{row['ratio']:.2f} ({row['ratio_low']:.2f} to {row['ratio_high']:.2f})"


def percent(share):
    return "" if share is None else f"{100 * share:.0f} %"


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
        predicted = record.get("predicted_over_measured")
        cells = [record["family"], record["model"], f"{record['compile_cpu_s']:.1f}", agreement(record),
                 *[ratio_text(record, count) for count in threads], percent(record.get("loops_share")),
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
