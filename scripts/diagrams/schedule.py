# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the schedule of models.py's `branches` on two threads.

The order of calls, posts and waits comes from the IR after the schedule stage.
The predicted times come from the report page.
"""

import html
import os
import re
from collections import namedtuple

import compiler_output as ir
import svg

Span = namedtuple("Span", "kernel nodes task worker begin end")
LEFT, SCALE_WIDTH, TOP, LANE = 90, 780, 104, 74
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
FLAGS = ["--target", "x86-64-v3", "--threads", "2"]


def spans(page):
    """The spans of the report: kernel, nodes, `task 1 on core 0`, `0.0 us to 4.9 us`."""
    found = []
    for title in TITLE.findall(page):
        lines = html.unescape(title).splitlines()
        where = re.search(r"task (\d+) on (?:core|worker|thread) (\d+)", title)
        times = re.search(r"([\d.]+) us to ([\d.]+) us", title)
        if where and times and not lines[0].startswith("memref."):
            nodes = lines[1] if not lines[1].startswith("task") else ""
            found.append(Span(lines[0], nodes, int(where.group(1)), int(where.group(2)),
                              float(times.group(1)), float(times.group(2))))
    return found


def worker_steps(text, worker):
    """('call', kernel), ('post', flag, count) and ('wait', flag, count) of a worker, in order."""
    body = text.split(f"func.func private @worker_{worker}(")[1].split("\n  }")[0]
    steps = []
    for line in body.splitlines():
        call = re.search(r"call @(\w+)\(", line)
        flag = re.search(r"task\.(post|wait) %\w+\[(\d+)\] (\d+)", line)
        if call:
            steps.append(("call", call.group(1)))
        elif flag:
            steps.append((flag.group(1), int(flag.group(2)), int(flag.group(3))))
    return steps


def waits(text, workers):
    """(poster, kernel before the post, waiter, kernel after the wait) of each wait."""
    posted, found = {}, []
    for worker in range(workers):
        last = None
        for step in worker_steps(text, worker):
            if step[0] == "call":
                last = step[1]
            elif step[0] == "post":
                posted[step[1:]] = (worker, last)
    for worker in range(workers):
        pending = []
        for step in worker_steps(text, worker):
            if step[0] == "wait":
                pending.append(step[1:])
            elif step[0] == "call":
                found += [(*posted[flag], worker, step[1]) for flag in pending if posted.get(flag, (0, None))[1]]
                pending = []
    return found


def report(compiler):
    page = os.path.join(compiler.models, "schedule.html")
    command = ["compile", compiler.model("branches"), *FLAGS, "-o", compiler.models]
    flag = "--report" if " --report " in compiler.run("compile", "--help-all") else "--schedule-report"
    result = compiler.json(*command, flag, page)
    with open(page, encoding="utf-8") as file:
        return file.read(), result["schedule"]


def draw_lanes(d, found, scale):
    fills = [svg.BLUE, svg.GREEN]
    for worker in range(2):
        y = TOP + LANE * worker
        d.text(20, y + 28, f"worker {worker}", bold=True)
        for span in (one for one in found if one.worker == worker):
            width = max((span.end - span.begin) * scale, 3)
            shared = sum(1 for one in found if one.task == span.task) > 1
            d.rect(LEFT + span.begin * scale, y, width, 44, svg.ORANGE if shared else fills[worker])
            if width > 16:
                d.text(LEFT + span.begin * scale + width / 2, y + 27, str(span.task), bold=True, anchor="middle")
            else:
                d.text(LEFT + span.begin * scale + width / 2, y - 5, str(span.task), size=11, bold=True, anchor="middle")


def draw_waits(d, found, edges, scale):
    at = {(span.worker, span.kernel): span for span in found}
    for poster, before, waiter, after in edges:
        down = waiter > poster
        d.line(LEFT + at[poster, before].end * scale, TOP + LANE * poster + (44 if down else 0),
               LEFT + at[waiter, after].begin * scale, TOP + LANE * waiter + (-1 if down else 45), dashed=True)


def draw_axis(d, found, scale):
    y = TOP + 2 * LANE - 14
    end = max(span.end for span in found)
    d.line(LEFT, y, LEFT + end * scale, y, arrow=False)
    for step in range(0, int(end) + 1, 2):
        d.line(LEFT + step * scale, y, LEFT + step * scale, y + 5, arrow=False)
        d.text(LEFT + step * scale, y + 19, f"{step} us", size=12, anchor="middle")


def draw_table(d, found):
    y = TOP + 2 * LANE + 40
    for x, words in zip((20, 80, 210, 480, 600, 740), ("task", "kernel", "nodes", "workers", "time of a worker", "begins at")):
        d.text(x, y, words, bold=True, size=12)
    for task in sorted({span.task for span in found}):
        y += svg.ROW
        parts = [span for span in found if span.task == task]
        first = parts[0]
        cells = (str(task), first.kernel, first.nodes, ", ".join(str(span.worker) for span in parts),
                 f"{first.end - first.begin:.1f} us", f"{first.begin:.1f} us")
        for x, words in zip((20, 80, 210, 480, 600, 740), cells):
            d.text(x, y, words, size=12)


def draw(compiler):
    page, schedule = report(compiler)
    found = spans(page)
    if not found:
        raise SystemExit("diagrams: the schedule report has no spans that schedule.py can read")
    edges = waits(compiler.ir("branches", "schedule", *FLAGS), 2)
    scale = SCALE_WIDTH / max(span.end for span in found)
    d = svg.Drawing("A schedule of macro tasks on two threads", 900)
    speed = schedule["serial_ms"] / schedule["predicted_ms"]
    d.text(20, 56, f"Scheduler {schedule['scheduler']}: {schedule['predicted_ms'] * 1000:.1f} us predicted, "
           f"{schedule['serial_ms'] * 1000:.1f} us on one thread ({speed:.2f}x).", size=12)
    d.text(20, 74, "Orange: both workers share the task. Dashed arrow: a worker waits for the flag of the other.", size=12)
    draw_lanes(d, found, scale)
    draw_waits(d, found, edges, scale)
    draw_axis(d, found, scale)
    draw_table(d, found)
    d.commands(["convoy compile build/diagrams/branches.onnx --target x86-64-v3 --threads 2 --report schedule.html",
                "convoy compile build/diagrams/branches.onnx --target x86-64-v3 --threads 2 --stop-after=schedule"])
    return d.svg()
