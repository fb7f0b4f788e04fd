# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the HTML page of a schedule: well-formed, self-contained and consistent.

  schedule_report.py CONVOY MODEL FOLDER
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
THREADS = 3


def compile_model(tool, model, folder, *flags):
    return subprocess.run([tool, "compile", model, "-o", folder, *flags],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def table(page, name):
    rows = page.find(f".//{XHTML}table[@id='{name}']").findall(f"{XHTML}tr")
    return [[cell.text or "" for cell in row] for row in rows[1:]]


def microseconds(text):
    return float(re.fullmatch(r"([\d.]+) us", text).group(1))


def check_page(text, problems):
    def expect(condition, what):
        if not condition:
            problems.append(what)

    for word in ("<script", "href=", "src=", "url(", "@import"):
        expect(word not in text, f"the page has {word}, so the page may load another file")
    page = ElementTree.fromstring(text)
    facts = {row[0].text: row[1].text for row in page.find(f".//{XHTML}table")}
    end, serial = microseconds(facts["predicted"]), microseconds(facts["one core"])
    expect(end <= microseconds(facts["predicted in program order"]), "the schedule is longer than program order")
    speedup = float(facts["predicted speed-up"].rstrip("x"))
    expect(abs(speedup - serial / end) < 0.02 * speedup, f"speed-up {speedup} is not {serial} / {end}")

    bars = page.find(f".//{SVG}svg[@id='gantt']").findall(f"{SVG}rect")
    titles = [bar.find(f"{SVG}title").text for bar in bars]
    shown = {int(re.search(r"task (\d+) on core", title).group(1)) for title in titles}
    cores = {int(re.search(r"on core (\d+)", title).group(1)) for title in titles}
    expect(shown == set(range(int(facts["tasks"]))), "the chart does not show every task")
    expect(cores == set(range(THREADS)), f"the chart shows tasks on cores {cores} only")
    expect(any("'three' (Conv)" in title for title in titles), "no title names node 'three'")

    idle = table(page, "idle")
    expect(len(idle) == THREADS, f"{len(idle)} rows of idle time, expected {THREADS}")
    for row in idle:
        busy, rest = microseconds(row[2]), microseconds(row[3])
        expect(abs(busy + rest - end) < 0.2, f"core {row[0]}: {busy} + {rest} is not {end}")
        expect(int(row[1]) == sum(f"on core {row[0]}\n" in title for title in titles),
               f"core {row[0]} has not as many bars as pieces")
    chain = table(page, "critical")
    expect(chain and abs(microseconds(chain[-1][4]) + microseconds(chain[-1][5]) - end) < 0.2,
           "the critical path does not end with the schedule")
    graph = page.find(f".//{SVG}svg[@id='graph']")
    expect(len(graph.findall(f"{SVG}rect")) == int(facts["tasks"]), "the graph does not show every task")
    expect(len(graph.findall(f"{SVG}line")) > 0, "the graph has no edges")


def main():
    tool, model, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "schedule.html")
    problems = []
    done = compile_model(tool, model, folder, f"--threads={THREADS}", f"--report={path}")
    if done.returncode != 0:
        sys.exit(f"convoy compile failed:\n{done.stdout}")
    with open(path) as file:
        first = file.read()
    check_page(first, problems)
    compile_model(tool, model, folder, f"--threads={THREADS}", f"--report={path}")
    with open(path) as file:
        if file.read() != first:
            problems.append("a second compile drew another page")
    alone = compile_model(tool, model, folder, f"--report={path}")
    if alone.returncode != 1 or "add --threads=N" not in alone.stdout:
        problems.append(f"one thread: code {alone.returncode}, {alone.stdout}")
    for problem in problems:
        print("FAILED:", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
