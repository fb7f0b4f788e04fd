#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the picture of README.md, docs/images/front-light.svg and front-dark.svg, from the
measurements docs/benchmarks/*.json and the table of docs/benchmarks/micro.md.

Four panels compare Convoy with a baseline: time of an inference, time to load a model, peak memory
and instructions on microcontrollers. Each pair of bars has its own scale, so that the bar of the
baseline has the full length. scripts/generate-docs.sh calls this module.

  front.py light|dark     prints the picture
"""

import os
import sys
from xml.sax.saxutils import escape

import svg

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import benchmarks  # noqa: E402  (scripts/diagrams)
import doc_facts  # noqa: E402  (scripts)
import table  # noqa: E402  (bench, whose path benchmarks adds)

PATHS = {theme: f"docs/images/front-{theme}.svg" for theme in ("light", "dark")}
# Text, remarks, bar of Convoy, bar of the baseline, frame.
COLORS = {"light": ("#1f2328", "#59636e", "#0969da", "#c8d1da", "#d1d9e0"),
          "dark": ("#f0f6fc", "#9198a1", "#4493f8", "#4d5560", "#3d444d")}
# Networks of the second and the third panel: a small, a middle and a large one, with their suites.
NETWORKS = [("MobileNetV2", "mobilenet_v2", "fp32.json"), ("ResNet-50", "resnet50_v15", "fp32.json"),
            ("BERT-base", "bert_base_s128", "transformers.json")]
# Rows of the fourth panel: network and target of docs/benchmarks/micro.md.
MICRO = [("KWS (DS-CNN)", "M55 clang", "Keywords, M55"), ("person detection", "M55 clang", "Persons, M55"),
         ("ResNet-8", "M4 gcc", "ResNet-8, M4")]
SUITES = {"fp32.json": "fp32", "int8.json": "int8", "transformers.json": "transformers"}

WIDTH, PANEL, GAP, LABELS, SCALE, BAR, PAIR = 860, 418, 24, 128, 182, 11, 36


def row_of(measured, model):
    return next(row for row in measured["rows"] if row["model"] == model and row["threads"] == 1)


def milliseconds(value):
    return f"{value:.2f} ms" if value < 1 else f"{value:.0f} ms"


def panels(root):
    """(title, remark, rows) of each panel; a row is (label, Convoy, text, baseline, text)."""
    measured = {name: benchmarks.load(root, name) for name in SUITES}
    peer = measured["fp32.json"]["peer"]
    times = []
    for name, label in SUITES.items():
        networks = len({row["model"] for row in measured[name]["rows"]})
        mean = table.geometric_means(measured[name])[1]
        times.append((f"{label} ({networks})", mean, f"{mean:.2f}", 1, "1.00"))
    networks = [(label, row_of(measured[suite], model)) for label, model, suite in NETWORKS]
    loads = [(label, row["load_ms"], milliseconds(row["load_ms"]), row["peer_load_ms"], milliseconds(row["peer_load_ms"]))
             for label, row in networks]
    memory = [(label, row["rss_mb"], f"{row['rss_mb']:.0f} MB", row["peer_rss_mb"], f"{row['peer_rss_mb']:.0f} MB")
              for label, row in networks]
    return [("Time of an inference", f"relative to {peer}, geometric mean (networks)", times),
            ("Time to load a model", f"compared with {peer}", loads),
            ("Peak memory of the process", f"compared with {peer}", memory),
            ("Instructions on Cortex-M", "millions, compared with TFLite Micro and CMSIS-NN", micro(root))]


def micro(root):
    found = {(row[0], row[1]): row for row in
             doc_facts.rows(root, "docs/benchmarks/micro.md", "| network | target | million instructions |")}
    rows = []
    for network, target, label in MICRO:
        ours, peer = found[network, target][2:4]
        rows.append((label, float(ours), ours, float(peer), peer))
    return rows


def text(x, y, words, size, fill, bold=False):
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{svg.number(x)}" y="{svg.number(y)}" font-size="{size}" fill="{fill}"{weight}>{escape(words)}</text>'


def panel(x, y, title, remark, rows, colors):
    ink, gray, ours, base, _ = colors
    shapes = [text(x, y + 14, title, 15, ink, True), text(x, y + 32, remark, 12, gray)]
    left, y = x + LABELS, y + 46
    for label, value, words, peer, peer_words in rows:
        longest = max(value, peer)
        shapes += [text(x, y + BAR + 5, label, 13, ink)]
        for i, (length, color, caption, fill) in enumerate(((value, ours, words, ink), (peer, base, peer_words, gray))):
            width = max(2, SCALE * length / longest)
            top = y + i * (BAR + 3)
            shapes += [svg.rect(left, top, width, BAR, color, radius=2),
                       text(left + width + 6, top + BAR - 1, caption, 12, fill, i == 0)]
        y += PAIR
    return shapes


def draw(root, theme):
    colors = ink, gray, ours, base, frame = COLORS[theme]
    height = 2 * (46 + 3 * PAIR) + 108
    shapes = [svg.rect(0.5, 0.5, WIDTH - 1, height - 1, "none", frame, radius=8)]
    left, top = (WIDTH - 2 * PANEL + GAP) / 2 + 8, 56
    shapes += [svg.rect(left, 22, 12, 12, ours, radius=2), text(left + 18, 33, "Convoy", 13, ink, True),
               svg.rect(left + 88, 22, 12, 12, base, radius=2), text(left + 106, 33, "baseline", 13, ink),
               text(left + 178, 33, "shorter is better", 13, gray)]
    for i, (title, remark, rows) in enumerate(panels(root)):
        shapes += panel(left + i % 2 * PANEL, top + i // 2 * (62 + 3 * PAIR), title, remark, rows, colors)
    shapes.append(text(left, height - 18, conditions(root), 12, gray))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="{svg.FONT}" role="img">', "<!-- Generated by scripts/diagrams/front.py; do not edit. -->",
        "<title>Convoy against ONNX Runtime and TFLite Micro</title>", *shapes, "</svg>"]) + "\n"


def conditions(root):
    """Where and when the first three panels were measured."""
    measured = [benchmarks.load(root, name) for name in SUITES]
    dates = sorted({one["date"] for one in measured})
    return (f"One thread, batch 1, {measured[0]['machine'].split(' (')[0].replace('(R)', '')}, {measured[0]['cores']} cores, {dates[0]} to {dates[-1]}; "
            "instructions in QEMU. Data: docs/benchmarks")


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.stdout.write(draw(root, sys.argv[1]))


if __name__ == "__main__":
    main()
