#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sweeps a real MobileNetV1 over devices and checks the published orderings.

  sweep.py CONVOY MODEL WORK [short] [--page docs/targets/abstract.md] [--write]

Output-parallel is faster without tiling, and input-parallel is faster with channel tiling. 128 PEs
with 1 MiB are faster than 64 PEs with 256 MiB. A depthwise instruction is faster than mapping.
Tiles along rows and columns save at least a quarter of the cycles at 512 KiB. `short` omits devices
that only repeat a comparison. `--page` compares the table of a page with the sweep, or writes it
with `--write`.
"""

import json
import os
import subprocess
import sys

ALL = {"pes": ["64", "128"], "memory": ["512K", "1M", "256M"], "parallel": ["in", "out"],
       "depthwise": ["none", "mapped", "native"], "tiling": ["channels", "all"]}
SHORT = [{**ALL, "depthwise": ["native"], "tiling": ["channels"]},
         {**ALL, "memory": ["512K"], "parallel": ["out"], "depthwise": ["native"], "tiling": ["all"]},
         {**ALL, "pes": ["64"], "memory": ["512K"], "depthwise": ["mapped"], "tiling": ["channels"]}]


def sweep(convoy, model, page, axes):
    command = [convoy, "sweep", model, "--target=abstract", "--cpu=x86-64-v3", "--json", "--report", page]
    for flag, values in axes.items():
        command += [f"--{flag}", ",".join(values)]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)["points"]


class Orderings:
    def __init__(self, points):
        self.cycles = {}
        self.failures = []
        self.held = 0
        for point in points:
            if "problem" in point:
                raise SystemExit(f"the sweep gave no cycles for {point}")
            self.cycles[tuple(point[axis] for axis in ALL)] = point["cycles"]

    def at(self, pes, memory, parallel, depthwise, tiling="channels"):
        return self.cycles.get((pes, memory, parallel, depthwise, tiling))

    def expect_less(self, claim, less, more):
        """Compares the two devices if both were swept."""
        if less is None or more is None:
            return
        self.held += 1
        if not less < more:
            self.failures.append(f"{claim}: {less} is not below {more}")

    def check(self):
        for pes in ALL["pes"]:
            for kind in ALL["depthwise"]:
                self.expect_less(f"output-parallel wins without tiling, {pes} PEs, depthwise {kind}",
                                 self.at(pes, "256M", "out", kind), self.at(pes, "256M", "in", kind))
                self.expect_less(f"input-parallel wins under channel tiling, {pes} PEs, depthwise {kind}",
                                 self.at(pes, "512K", "in", kind), self.at(pes, "512K", "out", kind))
            for memory in ALL["memory"]:
                for parallel in ALL["parallel"]:
                    self.expect_less(f"native depthwise beats mapped, {pes} PEs, {memory}, {parallel}",
                                     self.at(pes, memory, parallel, "native"),
                                     self.at(pes, memory, parallel, "mapped"))
            channels = self.at(pes, "512K", "out", "native")
            rows = self.at(pes, "512K", "out", "native", "all")
            self.expect_less(f"rows and columns cut a quarter at 512 KiB, {pes} PEs", rows, 0.75 * channels)
            print(f"{pes} PEs, 512 KiB: {channels} cycles by channels, {rows} by rows and columns, "
                  f"{100 * (1 - rows / channels):.1f} % less")
        for parallel in ALL["parallel"]:
            self.expect_less(f"128 PEs + 1 MiB beat 64 PEs + 256 MiB, {parallel}",
                             self.at("128", "1M", parallel, "native"), self.at("64", "256M", parallel, "native"))


BEGIN, END = "<!-- sweep.py: begin -->\n", "<!-- sweep.py: end -->\n"


def page_table(points):
    """Returns the table of the page: millions of cycles with the depthwise instruction, and the Pareto front."""
    columns = [(parallel, tiling) for tiling in ("channels", "all") for parallel in ("in", "out")]
    names = [f"{'input' if parallel == 'in' else 'output'}-parallel, {tiling}" for parallel, tiling in columns]
    lines = ["| PEs | memory | " + " | ".join(names) + " |", "|" + "---|" * (2 + len(columns))]
    for pes in ALL["pes"]:
        for memory in ALL["memory"]:
            cells = [pes, memory.replace("K", " KiB").replace("M", " MiB")]
            for parallel, tiling in columns:
                point = next(one for one in points if one["depthwise"] == "native" and one["pes"] == pes and
                             (one["memory"], one["parallel"], one["tiling"]) == (memory, parallel, tiling))
                cells.append(f"{point['cycles'] / 1e6:.2f}" + (" *" if point["pareto"] else ""))
            lines.append("| " + " | ".join(cells) + " |")
    cpu = next(one for one in points if one["depthwise"] == "none")
    native = next(one for one in points if one["depthwise"] == "native")
    return "\n".join([*lines, "", f"The CPU runs {cpu['cpu_ops']} ops beside a device without depthwise convolutions and "
                      f"{native['cpu_ops']} ops beside a device with them.", ""])


def check_page(path, points, is_writing):
    """Returns the problem of a page whose table is stale, or writes the table."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    new = page_table(points)
    if is_writing:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)
    elif old != new:
        return [f"{path} is stale; expected:\n{new}"]
    return []


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    page_path = None
    if "--page" in words:
        place = words.index("--page")
        page_path = words[place + 1]
        del words[place:place + 2]
    convoy, model, work = words[:3]
    os.makedirs(work, exist_ok=True)
    page = os.path.join(work, "sweep.html")
    sweeps = SHORT if words[3:] == ["short"] else [ALL]
    points = [point for axes in sweeps for point in sweep(convoy, model, page, axes)]
    orderings = Orderings(points)
    orderings.check()
    failures = orderings.failures
    if page_path:
        failures += check_page(page_path, points, "--write" in sys.argv)
    if orderings.held < 10:
        failures.append(f"only {orderings.held} orderings were looked at")
    whole = {point["regions"] for point in points if point["depthwise"] != "none"}
    if whole != {1}:
        failures.append(f"the model is one region, got {sorted(whole)}")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for needle in ("<svg", "depthwise", "512K"):
        if needle not in text:
            failures.append(f"the page has no '{needle}'")
    if "<script" in text or "http-equiv" in text or "src=" in text:
        failures.append("the page needs more than itself")
    print("\n".join(failures) or f"{len(points)} devices: all {orderings.held} orderings hold")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
