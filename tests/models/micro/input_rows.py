#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a network whose input a run fetches row by row gives the bytes of the reference, and
that its workspace has at most LIMIT bytes.

  input_rows.py CONVOY MODEL TARGET LIMIT
"""

import json
import subprocess
import sys


def main():
    convoy, model, target, limit = sys.argv[1:5]
    flags = [f"--target={target}", "--io=rows"]
    subprocess.run([convoy, "check", model, "--exact", *flags], check=True)
    done = subprocess.run([convoy, "bench", model, "--json", *flags], check=True, stdout=subprocess.PIPE, text=True)
    row = json.loads(done.stdout)[0]
    print(f"workspace {row['workspace_bytes']} bytes, limit {limit}")
    return 0 if row["workspace_bytes"] <= int(limit) else 1


sys.exit(main())
