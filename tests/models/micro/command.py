# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs convoy for the tests of this folder, and ends a test whose command fails."""

import json
import os
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def bench(convoy, model, target, folder):
    """Returns the row of `convoy bench --json`."""
    path = os.path.join(folder, "bench.json")
    run(convoy, "bench", model, "--target", target, "--json=" + path)
    with open(path) as file:
        rows = json.load(file)
    return rows[0] if isinstance(rows, list) else rows
