# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the flags, the outputs and the errors of `convoy-tuningd simulate`."""

import json
import os
import subprocess
import sys

TOOL, FOLDER = sys.argv[1], sys.argv[2]
SMALL = ["--load", "burst-8", "--seeds", "2"]


def run(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def expect_error(words, *arguments):
    code, _, err = run(*arguments)
    assert code == 1, (arguments, code, err)
    assert words in err, (arguments, err)


def check_errors():
    expect_error("error: unknown verb 'simulat'; expected serve, simulate\n", "simulat")
    expect_error("error: --load: expected all, a file, or one of burst-8, ", "simulate", "--load", "none")
    expect_error("error: --policy: expected one of serial, fifo, fair, srpt, balanced; got 'best'",
                 "simulate", "--policy", "best")
    expect_error("--faults: expected worker=SECONDS, device=SECONDS, hung=SHARE (at most 0.5), "
                 "lease=SECONDS, return=SECONDS or limit=SECONDS, got 'hung=2'",
                 "simulate", "--faults", "hung=2")
    expect_error("error: --gantt: expected one load, got 6; add --load NAME", "simulate", "--gantt", "a.svg")
    expect_error("error: --gantt: an SVG file shows one policy; add --policy NAME, or name a file that "
                 "ends in .html", "simulate", *SMALL, "--gantt", os.path.join(FOLDER, "a.svg"))
    expect_error("see `convoy-tuningd simulate --help`", "simulate", "--seeds", "0")


def check_outputs():
    code, out, err = run("simulate", *SMALL, "--json")
    assert code == 0, err
    rows = json.loads(out)[0]["policies"]
    assert [row["policy"] for row in rows] == ["serial", "fifo", "fair", "srpt", "balanced"], rows
    assert all(row["makespanOfBound"] >= 1 for row in rows), rows
    code, out, _ = run("simulate", *SMALL, "--policy", "fifo,balanced", "--markdown")
    assert code == 0 and out.startswith("**burst-8**") and "| balanced | " in out, out
    code, out, _ = run("simulate", *SMALL, "--policy", "fifo", "--check")
    assert code == 1 and "missed: the targets compare the policies 'fifo' and 'balanced'" in out, out


def check_files():
    os.makedirs(FOLDER, exist_ok=True)
    load, times = os.path.join(FOLDER, "load.json"), os.path.join(FOLDER, "times.csv")
    with open(load, "w", encoding="utf-8") as file:
        json.dump({"buildSlots": 2, "devices": {"arm": 1}, "jobs": [{"class": "arm", "rounds": 2}]}, file)
    with open(times, "w", encoding="utf-8") as file:
        file.write("build,1\nmeasure,0.5\n")
    for name in ("chart.svg", "chart.html"):
        chart = os.path.join(FOLDER, name)
        code, _, err = run("simulate", "--load", load, "--times", times, "--policy", "balanced",
                           "--seeds", "1", "--faults", "worker=20,hung=0.05", "--gantt", chart)
        assert code == 0, err
        with open(chart, encoding="utf-8") as file:
            text = file.read()
        assert "<svg " in text and ("<html" in text) == name.endswith(".html"), name
    expect_error("--load: expected all, a file", "simulate", "--load", os.path.join(FOLDER, "missing.json"))


check_errors()
check_outputs()
check_files()
