#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/images/benchmarks.svg and writes the measured tables into pages, from
the measurements docs/benchmarks/*.json that the flag --save of bench/run.sh,
bench/zoo/measure and bench/source/measure writes.

scripts/generate-docs.sh calls this module; CI fails if a page or the chart differs.
A page has the table of FILE between `<!-- table: FILE -->` and `<!-- end of table -->`,
and the README has one sentence for each measurement of bench/run.sh between `<!-- benchmark summary -->`
and `<!-- end of benchmark summary -->`.

  benchmarks.py        prints the chart
"""

import json
import os
import re
import sys

import svg

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import table
from source import page as source_page
from zoo import page as zoo_page

FOLDER = "docs/benchmarks"
CHART = "docs/images/benchmarks.svg"
MEASUREMENTS = ["fp32.json", "int8.json", "transformers.json"]
# The writers of tables that have another form than those of bench/run.sh.
PAGES = {zoo_page.FILE: zoo_page.text, source_page.FILE: source_page.text}
COLORS = {1: "#4c8fcc", 2: "#1d5a94"}
LABELS, SCALE, BAR, MARGIN = 230, 460, 11, 20


def measured_names(root):
    """The measurements that exist. A suite without a stored measurement has only its page."""
    return [name for name in MEASUREMENTS if os.path.exists(os.path.join(root, FOLDER, name))]


def table_text(root, name):
    """The table of a measurement, or that there is none."""
    if name in [*MEASUREMENTS, *PAGES] and not os.path.exists(os.path.join(root, FOLDER, name)):
        return "No measurement is stored.\n"
    return PAGES.get(name, table.page)(load(root, name))


def load(root, name):
    with open(os.path.join(root, FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


def suite(name):
    """The name of a measurement's suite, which is also the name of its page."""
    return name[:-len(".json")]


def conditions(measured):
    """Where and when a suite was measured."""
    return f"{measured['machine']}, {measured['cores']} cores, {measured['date']}"


def bar(row, y):
    """One bar with its 95 % interval, both cut off at 1.08, and its ratio in the last column."""
    x, width = MARGIN + LABELS, SCALE * min(row["ratio"], 1.08)
    low, high = (x + SCALE * min(row[key], 1.08) for key in ("ratio_low", "ratio_high"))
    middle = y + BAR / 2
    return [svg.rect(x, y, width, BAR, COLORS.get(row["threads"], svg.GRAY)), svg.line(low, middle, high, middle, svg.INK, 1.2),
            svg.line(low, middle - 3, low, middle + 3, svg.INK, 1.2),
            svg.line(high, middle - 3, high, middle + 3, svg.INK, 1.2),
            svg.text(x + SCALE * 1.15 + 4, y + BAR - 1.5, f"{row['ratio']:.2f}", 11, svg.GRAY, "end")]


def group(measured, y):
    """The bars of one measurement, model by model; returns the shapes and where they end."""
    shapes = []
    for model in dict.fromkeys(row["model"] for row in measured["rows"]):
        rows = [row for row in measured["rows"] if row["model"] == model]
        shapes.append(svg.text(MARGIN + LABELS - 10, y + len(rows) * (BAR + 2) / 2 + 4, model, 12, anchor="end"))
        for row in rows:
            shapes += bar(row, y)
            y += BAR + 2
        y += 8
    return shapes, y


def chart(root):
    measured = {name: load(root, name) for name in measured_names(root)}
    shapes, y = [], 74
    for name, one in measured.items():
        shapes += [svg.text(MARGIN, y + 2, suite(name), 13, bold=True), svg.text(MARGIN + LABELS, y + 2, conditions(one), 11, svg.GRAY)]
        more, y = group(one, y + 12)
        shapes += more
        y += 8
    x = MARGIN + LABELS
    axis = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        axis += [svg.line(x + SCALE * tick, 66, x + SCALE * tick, y, svg.INK if tick == 1 else "#d9dee3",
                          dashes="4 3" if tick == 1 else None),
                 svg.text(x + SCALE * tick, y + 16, f"{tick:g}", 11, svg.GRAY, "middle")]
    peer = next(iter(measured.values()))["peer"]
    head = [svg.text(MARGIN, 28, f"Time of an inference, as a share of {peer}'s time (shorter is faster)", 15, bold=True)]
    for i, (threads, color) in enumerate(COLORS.items()):
        head += [svg.rect(MARGIN + 100 * i, 42, 12, 12, color),
                 svg.text(MARGIN + 18 + 100 * i, 52, f"{threads} thread{'s' if threads > 1 else ''}", 12, svg.GRAY)]
    head.append(svg.text(MARGIN + 210, 52, "lines: 95 % intervals; dashed: equal time", 12, svg.GRAY))
    foot = [svg.text(MARGIN, y + 40, f"Batch 1. Data: {FOLDER}/*.json", 11, svg.GRAY)]
    return svg.drawing(2 * MARGIN + LABELS + SCALE * 1.15, y + 56, "Convoy against ONNX Runtime", head + axis + shapes + foot,
                       "scripts/diagrams/benchmarks.py")


def summary(root):
    """What the means are, then one item for each measurement."""
    first = load(root, MEASUREMENTS[0])
    lines = [f"Convoy's time divided by {first['peer']}'s time, geometric mean over networks, batch 1; below 1, Convoy is faster:", ""]
    for name in measured_names(root):
        measured = load(root, name)
        models = len({row["model"] for row in measured["rows"]})
        means = " and ".join(f"{mean:.2f} on {threads} thread{'s' if threads > 1 else ''}"
                             for threads, mean in table.geometric_means(measured).items())
        kind = measured["numbers"] if measured["numbers"].startswith(suite(name)) else f"{suite(name)}, {measured['numbers']}"
        lines.append(f"- [{kind}]({FOLDER}/{suite(name)}.md), {models} networks: {means}, measured on "
                     f"{conditions(measured)}.{table.outliers(measured)}"
                     + (f" {measured['note']}" if "note" in measured else ""))
    return "\n".join(lines) + "\n"


def fill(root, text):
    """Returns the text of a page with tables and summary as the measurements have them."""
    text = re.sub(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)",
                  lambda found: found[1] + table_text(root, found[2]) + found[3], text, flags=re.DOTALL)
    return re.sub(r"(<!-- benchmark summary -->\n).*?(<!-- end of benchmark summary -->)",
                  lambda found: found[1] + summary(root) + found[2], text, flags=re.DOTALL)


def main():
    sys.stdout.write(chart(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))


if __name__ == "__main__":
    main()
