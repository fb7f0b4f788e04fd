#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Passes the models of make_models.py to the driver and compares the exit code and every error and
# warning line with expected.tsv. A signal, a missing row and an unexpected row are failures.
#
#   run.py CONVOY DIR            writes the models to DIR/models and tests them
#   run.py CONVOY DIR --update   rewrites expected.tsv; review the difference

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "expected.tsv"
HEADER = "# model\targuments\texit\tline\n"
# Time limit in seconds. The slowest model takes about 4 s.
LIMIT = 300


def read_table():
    """Returns the rows as {(model, arguments): (exit code, [lines])}, in order."""
    table = {}
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, arguments, code, text = line.split("\t")
            _, lines = table.setdefault((name, arguments), (int(code), []))
            if text:
                lines.append(text)
    return table


def run(convoy, folder, name, arguments):
    """Returns the exit code (negative for a signal) and the lines of diagnostics."""
    verb, *flags = arguments.split()
    try:
        done = subprocess.run([convoy, verb, name, *flags], cwd=folder, capture_output=True,
                              timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "no end", [f"still running after {LIMIT} s"]
    lines = done.stderr.decode(errors="replace").splitlines()
    return done.returncode, [line for line in lines if line.startswith(("error:", "warning:"))]


def explain(case, expected, got):
    name, arguments = case
    print(f"FAILED {name}: convoy {arguments}")
    if got[0] != expected[0]:
        print(f"  exit code {got[0]}, expected {expected[0]}")
    for line in expected[1]:
        if line not in got[1]:
            print(f"  missing:    {line}")
    for line in got[1]:
        if line not in expected[1]:
            print(f"  unexpected: {line}")


def update(results):
    with TABLE.open("w") as out:
        out.write(HEADER)
        for (name, arguments), (code, lines) in results.items():
            for line in lines or [""]:
                out.write(f"{name}\t{arguments}\t{code}\t{line}\n")


def main():
    convoy, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "models"
    subprocess.run([sys.executable, HERE / "make_models.py", folder], check=True)
    table = read_table()
    models = {path.name for path in folder.glob("*.onnx")}
    untested = sorted(models - {name for name, _ in table})
    for name in untested:
        if "--update" in sys.argv:
            table[name, "inspect"] = (0, [])
        else:
            print(f"FAILED {name}: no row in expected.tsv")
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda case: run(convoy, folder, *case), table)
        results = dict(zip(table, answers))
    if "--update" in sys.argv:
        update(results)
        return 0
    failures = [case for case in table if results[case] != table[case]]
    for case in failures:
        explain(case, table[case], results[case])
    print(f"{len(table) - len(failures)} passed, {len(failures) + len(untested)} failed")
    return 1 if failures or untested else 0


if __name__ == "__main__":
    sys.exit(main())
