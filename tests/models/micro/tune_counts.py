#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tunes a model by counted instructions and checks that the compiler uses the records.

usage: tune_counts.py CONVOY MODEL TARGET SCRATCH

Two searches with the same seed must have the same records. On a microcontroller, the count that
`tune` reports for the network is the count of `bench` with the records. If `convoy` can run code for
the target, the tuned model has the bytes of the reference.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


def run(*command):
    """Runs a command and returns its standard output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def records_of(convoy, file):
    """Returns what a search has measured, without ids, times and hashes of programs."""
    lines = [json.loads(line) for line in run(convoy, "records", "export", file).splitlines()]
    trials = [line for line in lines if "samples" in line and "configuration" in line]
    assert trials and all(one["policy"] == "instructions" for one in trials), lines
    assert all(one["outcome"] == "ok" and len(one["samples"]) == 1 for one in trials), trials
    keys = ("task", "template", "version", "configuration", "inputLayout", "outputLayout", "samples")
    return sorted(json.dumps([one.get(key) for key in keys]) for one in trials)


def verbs_of(convoy, target):
    """Returns the verbs that accept the target on this machine."""
    return re.search(r"^verbs (.*)$", run(convoy, "targets", target), re.M).group(1).replace(",", " ").split()


def compare_counts(convoy, model, target, records, network):
    """Compares the counts of the network with those of `bench`."""
    bench = [convoy, "bench", model, "--target", target, "--json"]
    before = json.loads(run(*bench))
    after = json.loads(run(*bench, "--records", records))
    before, after = (one[0] if isinstance(one, list) else one for one in (before, after))
    if network["changed"]:
        assert before["instructions"] == network["before_instructions"], (before, network)
        expected = network["before_instructions"] if network["keeps_default"] else network["after_instructions"]
        assert after["instructions"] == expected, (after["instructions"], network)
        assert network["before_cycles"] >= network["before_instructions"], network
    assert after["instructions"] <= before["instructions"], (before["instructions"], after["instructions"])


def main():
    convoy, model, target, scratch = sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    if "rv64" in target and not (shutil.which("qemu-riscv64") and os.path.isdir("/usr/riscv64-linux-gnu/include")):
        print("skipped: qemu-riscv64 or the C library for RISC-V is not installed; scripts/install-deps.sh installs it")
        sys.exit(77)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    tune = [convoy, "tune", model, "--target", target, "--trials", "12", "--seed", "3", "--json", "--records"]
    result = json.loads(run(*tune, scratch / "first.db"))
    again = json.loads(run(*tune, scratch / "second.db"))
    assert result["policy"] == "instructions" and result["failed"] == 0, result
    assert 0 < result["best_instructions"] <= result["default_instructions"], result
    assert result["best_instructions"] == again["best_instructions"], (result, again)
    first, second = (records_of(convoy, scratch / f"{name}.db") for name in ("first", "second"))
    assert first == second, "two searches with the same seed differ"
    verbs = verbs_of(convoy, target)
    if "bench" in verbs:
        compare_counts(convoy, model, target, scratch / "first.db", result["network"])
    if "check" in verbs:
        run(convoy, "check", model, "--exact", "--target", target, "--records", scratch / "first.db")
    print(f"{target}: {result['trials']} trials, {len(first)} records, {result['default_instructions']} instructions "
          f"of kernels before, {result['best_instructions']} after")


if __name__ == "__main__":
    main()
